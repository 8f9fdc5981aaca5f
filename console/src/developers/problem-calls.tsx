import type { ProblemCall } from '@loyalty/sdk/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import { usePolling } from '../polling.ts';
import { usePlace } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy-text.ts';
import { Choice } from '../ui/field.tsx';
import { Empty, Problem, sayProblem, Waiting } from '../ui/states.tsx';
import { When } from '../ui/when.tsx';
import { IgnoredFields } from './ignored-fields.tsx';
import { useKeys } from './keys.tsx';
import { useDeveloperTexts } from './texts.ts';

/** The calls of the shop's own servers that were refused or failed. The key stands in the address. */
export function ProblemCalls() {
  const t = useDeveloperTexts();
  const { api, shop } = usePlace();
  const keys = useKeys().data ?? [];
  const chosen = new URLSearchParams(useSearch()).get('key') ?? '';
  const keyId = /^\d{1,16}$/.test(chosen) ? Number(chosen) : null;
  const calls = useInfiniteQuery({
    queryKey: [shop.id, 'problem-calls', keyId],
    queryFn: ({ pageParam, signal }) =>
      api.listProblemCalls({ key_id: keyId, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: usePolling(10_000),
  });
  const rows = calls.data?.pages.flatMap(({ results }) => results) ?? [];
  return (
    <>
      <div className="page-head">
        <div className="words">
          <h1>{t.problemsTitle}</h1>
          <p className="small">{t.problemsText}</p>
        </div>
      </div>
      <section className="card" aria-label={t.problemsTitle}>
        <div className="toolbar">
          <Choice
            label={t.ofKey}
            value={chosen}
            onChange={({ currentTarget: { value } }) =>
              history.replaceState(null, '', location.pathname + (value === '' ? '' : `?key=${value}`))
            }
            options={[
              ['', t.allKeys] as const,
              ...keys.map(({ key_id, name, prefix }) => [String(key_id), `${name} · ${prefix}…`] as const),
            ]}
          />
        </div>
        {calls.isPending ? (
          <div className="rows">
            <Waiting rows={5} />
          </div>
        ) : calls.isError && rows.length === 0 ? (
          <Problem error={calls.error} onRetry={() => void calls.refetch()} />
        ) : rows.length === 0 ? (
          <Empty title={t.noProblems}>{t.noProblemsText}</Empty>
        ) : (
          <table className="table folds problem-calls">
            <caption className="unseen">{t.problemsTitle}</caption>
            <thead>
              <tr>
                <th>{t.columns.call}</th>
                <th>{t.columns.answer}</th>
                <th>{t.columns.name}</th>
                <th>{t.columns.at}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, i) => (
                <CallRow key={`${row.request_id} ${row.at} ${i}`} call={row} />
              ))}
            </tbody>
          </table>
        )}
        {(calls.hasNextPage || (calls.isError && rows.length > 0)) && (
          <div className="table-foot">
            {calls.isError && <span className="wrong">{sayProblem(calls.error, t.shared)}</span>}
            <Button busy={calls.isFetchingNextPage} onClick={() => void calls.fetchNextPage()}>
              {t.showMore}
            </Button>
          </div>
        )}
      </section>
      <IgnoredFields keyId={keyId} />
    </>
  );
}

function CallRow({ call }: { call: ProblemCall }) {
  const t = useDeveloperTexts();
  return (
    <tr>
      <td className="wide">
        <div className="row-words">
          <code>
            <b>{call.method}</b> {call.route}
          </code>
          <button
            type="button"
            className="request-id small clip"
            title={t.copyRequest}
            onClick={() => void copyText(call.request_id, t.copied, t.notCopied)}
          >
            <span className="unseen">{t.copyRequest} </span>
            {call.request_id}
          </button>
        </div>
      </td>
      <td>
        <span className={`tag ${call.status >= 500 ? 'wrong' : 'ending'}`}>{call.status}</span>{' '}
        {call.code !== null && <code className="small">{call.code}</code>}
      </td>
      <td>{call.key_name}</td>
      <td>
        <When at={call.at} />
      </td>
    </tr>
  );
}
