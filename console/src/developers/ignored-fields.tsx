import { useQuery } from '@tanstack/react-query';
import { useFormat } from '../format.ts';
import { usePolling } from '../polling.ts';
import { usePlace } from '../session.ts';
import { When } from '../ui/when.tsx';
import { useDeveloperTexts } from './texts.ts';

/** Lists the fields that calls of the keys sent in vain, and how often. Nothing is shown if there is nothing. */
export function IgnoredFields({ keyId }: { keyId: number | null }) {
  const t = useDeveloperTexts();
  const format = useFormat();
  const { api, shop } = usePlace();
  const ignored = useQuery({
    queryKey: [shop.id, 'ignored-fields', keyId],
    queryFn: ({ signal }) => api.listIgnoredFields({ key_id: keyId }, { signal }),
    refetchInterval: usePolling(10_000),
  });
  const rows = ignored.data?.results ?? [];
  if (rows.length === 0) return null;
  return (
    <section className="card" aria-labelledby="ignored-fields">
      <div className="toolbar words">
        <h2 id="ignored-fields">{t.ignoredTitle}</h2>
        <p className="small">{t.ignoredText}</p>
      </div>
      <table className="table folds problem-calls">
        <caption className="unseen">{t.ignoredTitle}</caption>
        <thead>
          <tr>
            <th>{t.columns.field}</th>
            <th>{t.columns.calls}</th>
            <th>{t.columns.name}</th>
            <th>{t.columns.last}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.key_id} ${row.method} ${row.route} ${row.name}`}>
              <td className="wide">
                <div className="row-words">
                  <code>
                    <b>{row.name}</b>
                  </code>
                  <code className="small">
                    {row.method} {row.route}
                  </code>
                </div>
              </td>
              <td>{t.callsOf(format.number(row.calls), row.calls)}</td>
              <td>{row.key_name}</td>
              <td>
                <When at={row.last_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
