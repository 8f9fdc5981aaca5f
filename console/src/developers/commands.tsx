import type { ExampleCall } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { usePlace } from '../session.ts';
import { SERVICE } from '../place.ts';
import { Icon } from '../ui/icon.tsx';
import { CommandLines } from './command-lines.tsx';
import { useDeveloperTexts } from './texts.ts';
import { Answered } from '../ui/answered.tsx';

/** Each operation of the contract as a command, with the ids of this shop. */
export function Commands() {
  const t = useDeveloperTexts();
  const { api, shop } = usePlace();
  const calls = useQuery({
    queryKey: [shop.id, 'example-calls'],
    queryFn: ({ signal }) => api.listExampleCalls({ signal }),
    staleTime: 60_000,
  });
  const tags = [...new Set(calls.data?.results.map(({ tag }) => tag))];
  return (
    <>
      <div className="page-head">
        <div className="words">
          <h1>{t.commandsTitle}</h1>
          <p className="small">
            {t.commandsText} <a href={`${SERVICE}/docs`}>{t.reference}</a>
          </p>
        </div>
      </div>
      <Answered query={calls} rows={6}>
        {({ results }) => (
          <div className="stack">
            <div className="card inside stack">
              <p>{t.before}</p>
              <CommandLines label={t.before} text={'export API_KEY=lk_…'} />
            </div>
            {tags.map((tag) => (
              <section key={tag} className="card commands" aria-labelledby={`tag-${tag}`}>
                <div className="toolbar">
                  <h2 id={`tag-${tag}`}>{t.tags[tag] ?? tag}</h2>
                </div>
                {results
                  .filter((call) => call.tag === tag)
                  .map((call) => (
                    <Command key={call.operation_id} call={call} />
                  ))}
              </section>
            ))}
          </div>
        )}
      </Answered>
    </>
  );
}

function Command({ call }: { call: ExampleCall }) {
  const t = useDeveloperTexts();
  return (
    <details>
      <summary>
        <span className={`tag method ${call.method === 'GET' ? '' : 'gain'}`}>{call.method}</span>
        <span className="row-words">
          <code className="clip">{call.path}</code>
          <span className="small">{call.summary}</span>
        </span>
        <Icon name="down" size={18} />
      </summary>
      <div className="inside stack">
        <p className="small">{t.credentials[call.credential]}</p>
        <CommandLines label={call.summary} text={call.curl} />
      </div>
    </details>
  );
}
