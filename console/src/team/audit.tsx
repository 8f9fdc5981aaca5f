import type { AuditActors, AuditSearch } from '@loyalty/sdk/admin';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSearch } from 'wouter';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { dayOfFile, saveFile } from '../ui/save-file.ts';
import { say } from '../ui/say.tsx';
import { Empty, Problem, sayProblem, Waiting } from '../ui/states.tsx';
import { AuditLineRow } from './audit-line.tsx';
import { useTeamTexts } from './texts.ts';

/** The view that the address names: `who` is `staff-12`, `key-12`, or a kind of actor. */
interface View {
  readonly action: string;
  readonly who: string;
  readonly from: string;
  readonly to: string;
}

/** Lists the acts of people, keys of the back office and the command line, newest first. */
export function Audit() {
  const t = useTeamTexts();
  const format = useFormat();
  const { api, shop } = usePlace();
  const query = useSearch();
  const view = useMemo(() => readView(query), [query]);
  const search = useMemo(() => searchOf(view), [view]);
  const actors = useQuery({
    queryKey: [shop.id, 'audit-actors'],
    queryFn: ({ signal }) => api.listAuditActors({ signal }),
    staleTime: 60_000,
  });
  const audit = useInfiniteQuery({
    queryKey: [shop.id, 'audit', search],
    queryFn: ({ pageParam, signal }) => api.listAudit({ ...search, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
  });
  const lines = audit.data?.pages.flatMap(({ results }) => results) ?? [];
  const isAll = Object.keys(search).length === 0;
  return (
    <>
      <div className="page-head">
        <div className="words">
          <h1>{t.auditTitle}</h1>
          <p className="small">{t.auditText}</p>
        </div>
        <Export search={search} />
      </div>
      <section className="card" aria-label={t.auditTitle}>
        <div className="audit-filters">
          <Choice
            label={t.filters.action}
            value={view.action}
            onChange={(event) => change(view, { action: event.currentTarget.value })}
            options={[
              ['', t.filters.anyAction] as const,
              ...Object.entries(t.actions),
              ...(view.action === '' || view.action in t.actions
                ? []
                : [[view.action, view.action] as const]),
            ]}
          />
          <Choice
            label={t.filters.who}
            value={view.who}
            onChange={(event) => change(view, { who: event.currentTarget.value })}
            options={[
              ['', t.filters.anybody] as const,
              ...actorOptions(actors.data, t.noLonger),
              ['command_line', t.commandLine] as const,
            ]}
          />
          <Field
            label={t.filters.from}
            type="date"
            value={view.from}
            onChange={(event) => change(view, { from: event.currentTarget.value })}
          />
          <Field
            label={t.filters.to}
            type="date"
            value={view.to}
            onChange={(event) => change(view, { to: event.currentTarget.value })}
          />
        </div>
        {audit.isPending ? (
          <div className="rows">
            <Waiting rows={6} />
          </div>
        ) : audit.isError && lines.length === 0 ? (
          <Problem error={audit.error} onRetry={() => void audit.refetch()} />
        ) : lines.length === 0 ? (
          <Empty
            title={isAll ? t.noLines : t.noLinesFound}
            act={
              isAll ? undefined : (
                <Button look="main" onClick={() => change(view, { action: '', who: '', from: '', to: '' })}>
                  {t.clearFilters}
                </Button>
              )
            }
          >
            {isAll ? t.noLinesText : t.noLinesFoundText}
          </Empty>
        ) : (
          <ul className="rows audit" aria-busy={audit.isPlaceholderData}>
            {lines.map((line) => (
              <AuditLineRow key={line.id} line={line} />
            ))}
          </ul>
        )}
        {lines.length > 0 && (
          <div className="table-foot">
            <span className="small" role="status">
              {t.linesShown(lines.length, format)}
            </span>
            {audit.isError && <span className="wrong">{sayProblem(audit.error, t.shared)}</span>}
            {audit.hasNextPage && (
              <Button busy={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
                {t.showMore}
              </Button>
            )}
          </div>
        )}
      </section>
    </>
  );
}

function Export({ search }: { search: AuditSearch }) {
  const t = useTeamTexts();
  const { api, shop } = usePlace();
  const save = useMutation({
    mutationFn: () => api.exportAudit(search),
    onSuccess(file) {
      const name = `${shop.slug}-audit-${dayOfFile()}.csv`;
      saveFile(file, name);
      say(t.exported(name));
    },
    onError: (error) => say(sayProblem(error, t.shared), { kind: 'wrong' }),
  });
  return (
    <Button busy={save.isPending} onClick={() => save.mutate()}>
      {save.isPending ? t.exporting : t.exportLines}
    </Button>
  );
}

function actorOptions(
  actors: AuditActors | undefined,
  noLonger: (name: string) => string,
): (readonly [string, string])[] {
  return [
    ...(actors?.staff ?? []).map(({ staff_id: id, name, email, is_removed: isRemoved }) => {
      const label = `${name} · ${email}`;
      return [`staff-${id}`, isRemoved ? noLonger(label) : label] as const;
    }),
    ...(actors?.keys ?? []).map(
      ({ key_id: id, name, prefix }) => [`key-${id}`, `${name} · ${prefix}…`] as const,
    ),
  ];
}

function readView(query: string): View {
  const params = new URLSearchParams(query);
  const read = (name: string, format: RegExp) => {
    const value = params.get(name) ?? '';
    return format.test(value) ? value : '';
  };
  const day = /^\d{4}-\d{2}-\d{2}$/;
  return {
    action: read('action', /^[a-z_]+\.[a-z_]+$/),
    who: read('who', /^(?:(?:staff|key)-\d{1,16}|staff|key|command_line)$/),
    from: read('from', day),
    to: read('to', day),
  };
}

function change(view: View, part: Partial<View>): void {
  const set = Object.entries({ ...view, ...part }).filter(([, value]) => value !== '');
  const query = new URLSearchParams(set).toString();
  history.replaceState(history.state, '', location.pathname + (query === '' ? '' : `?${query}`));
}

function searchOf({ action, who, from, to }: View): AuditSearch {
  const [kind, id] = who.split('-');
  return {
    ...(action !== '' && { action }),
    ...(from !== '' && { from }),
    ...(to !== '' && { to }),
    ...(id !== undefined && (kind === 'staff' ? { staff_id: Number(id) } : { key_id: Number(id) })),
    ...(id === undefined && who !== '' && { by: who as 'staff' | 'key' | 'command_line' }),
  };
}
