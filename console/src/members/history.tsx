import type { MemberMovement, MovementKind } from '@loyalty/sdk/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useLocationProperty } from 'wouter/use-browser-location';
import { usePlace } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Problem, sayProblem, Waiting } from '../ui/states.tsx';
import { LineActs, type LineAct } from './acts/line-acts.tsx';
import { MovementRows } from './movement-rows.tsx';
import { useMemberTexts } from './texts.ts';

/** So many pages are read to find the line that the address names. */
const MOST_PAGES = 25;

/**
 * The history of a member's points, newest first. Each line opens into its arithmetic. A line that the address names is open, in view, and
 * read for if it is further down; else the newest one is open.
 */
export function History({ memberId }: { memberId: number }) {
  const t = useMemberTexts();
  const [params, setParams] = useSearchParams();
  const kind = (Object.keys(t.kindsOf) as MovementKind[]).find((one) => one === params.get('kind')) ?? null;
  const history = useHistory(memberId, kind);
  const lines = history.data?.pages.flatMap(({ results }) => results) ?? [];
  const named = useNamedMovement();
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [act, setAct] = useState<LineAct | null>(null);
  const keys = keysOf(lines);
  const hasBalances = lines.some(({ balance }) => balance !== null);

  const isThere = named !== null && lines.some(({ id }) => id === named);
  const { hasNextPage, isFetching, isError, fetchNextPage } = history;
  const isLooking =
    history.isSuccess && named !== null && !isThere && hasNextPage && history.data.pages.length < MOST_PAGES;
  const isGoingOn =
    isLooking || (history.isSuccess && hasNextPage && history.data.pages.at(-1)?.results.length === 0);
  useEffect(() => {
    if (isGoingOn && !isFetching && !isError) void fetchNextPage();
  }, [isGoingOn, isFetching, isError, fetchNextPage]);
  useEffect(() => {
    if (!isThere || named === null) return;
    const row = document.getElementById(`movement-${named}`);
    row?.scrollIntoView({ block: 'center' });
    row?.querySelector('button')?.focus({ preventScroll: true });
    setToggled((before) => new Map(before).set(String(named), true));
  }, [isThere, named]);

  const isOpen = (line: MemberMovement, key: string, i: number) =>
    toggled.get(key) ?? (named === null && i === 0 && kind === null && line.kind === 'purchase');
  const toggle = (key: string, open: boolean) => setToggled(new Map(toggled).set(key, open));

  return (
    <section className="card" id="history" aria-labelledby="history-title" aria-busy={isFetching}>
      <div className="toolbar history-bar">
        <h2 id="history-title">{t.history}</h2>
        <div className="chips kinds" role="group" aria-label={t.kindFilter}>
          {[null, ...(Object.keys(t.kindsOf) as MovementKind[])].map((one) => (
            <button
              key={one}
              type="button"
              className="chip"
              aria-pressed={kind === one}
              onClick={() =>
                setParams(one === null ? {} : { kind: one }, { replace: true, state: window.history.state })
              }
            >
              {one === null ? t.allKinds : t.kindsOf[one]}
            </button>
          ))}
        </div>
      </div>
      <p className="small inset looking" role="status">
        {isLooking
          ? t.lookingFor
          : named !== null && history.isSuccess && !isThere && !isFetching
            ? t.notFoundLine
            : ''}
      </p>
      {history.isPending || (lines.length === 0 && isGoingOn) ? (
        <div className="inset">
          <Waiting rows={6} />
        </div>
      ) : history.isError && lines.length === 0 ? (
        <Problem error={history.error} onRetry={() => void history.refetch()} />
      ) : lines.length === 0 ? (
        kind === null ? (
          <Empty title={t.emptyHistory}>{t.emptyHistoryText}</Empty>
        ) : (
          <Empty title={t.emptyKind} />
        )
      ) : (
        <table className="table folds history">
          <caption className="unseen">{t.history}</caption>
          <thead>
            <tr>
              <th scope="col">{t.columnsOfHistory.when}</th>
              <th scope="col">{t.columnsOfHistory.what}</th>
              <th scope="col" className="number">
                {t.columnsOfHistory.amount}
              </th>
              <th scope="col" className="number">
                {t.columnsOfHistory.points}
              </th>
              {hasBalances && (
                <th scope="col" className="number">
                  {t.columnsOfHistory.balance}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {lines.map((line, i) => (
              <MovementRows
                key={keys[i]}
                line={line}
                isNamed={line.id !== 0 && line.id === named}
                hasBalances={hasBalances}
                isOpen={isOpen(line, keys[i]!, i)}
                onToggle={(open) => toggle(keys[i]!, open)}
                onAct={setAct}
              />
            ))}
          </tbody>
        </table>
      )}
      {act !== null && <LineActs act={act} lines={lines} onClose={() => setAct(null)} />}
      {hasNextPage && lines.length > 0 && (
        <div className="table-foot">
          <span className="wrong">{isError && sayProblem(history.error, t.shared)}</span>
          <Button busy={history.isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t.showMore}
          </Button>
        </div>
      )}
    </section>
  );
}

function useHistory(memberId: number, kind: MovementKind | null) {
  const { api, shop } = usePlace();
  return useInfiniteQuery({
    queryKey: [shop.id, 'member', memberId, 'history', kind],
    queryFn: ({ pageParam, signal }) =>
      api.listMemberHistory(memberId, { kind, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });
}

/** Points that expired are lines without an id. */
function keysOf(lines: readonly MemberMovement[]): string[] {
  return lines.map(({ id, at }) => (id === 0 ? `expired ${at}` : String(id)));
}

/** The movement that the address names, behind the `#`. */
function useNamedMovement(): number | null {
  const hash = useLocationProperty(() => location.hash);
  const id = /^#movement-(\d{1,16})$/.exec(hash)?.[1];
  return id === undefined ? null : Number(id);
}
