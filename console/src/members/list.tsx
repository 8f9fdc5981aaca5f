import type { MemberList, MemberRow, MemberSort } from '@loyalty/sdk/admin';
import { inGroups } from '@loyalty/ui/format.ts';
import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { initials, useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Drawn, Icon } from '../ui/icon.tsx';
import { say } from '../ui/say.tsx';
import { Empty, Problem, sayProblem, Waiting } from '../ui/states.tsx';
import { Filters } from './filters.tsx';
import { ICONS } from './icons.ts';
import { keepPlace, keptPlace, useKeptPlace } from './kept-place.ts';
import { countFilters, useListView, type ListView, type ViewChange } from './list-view.ts';
import { dayOfFile, saveFile } from '../ui/save-file.ts';
import { useMemberTexts } from './texts.ts';
import { When } from '../ui/when.tsx';

const PAGE = 50;

/** Finds members as one types, and lists those that meet the filters. */
export function MemberListPage() {
  const t = useMemberTexts();
  const format = useFormat();
  const { path } = usePlace();
  const [view, change] = useListView();
  const list = useList(view);
  const rows = list.data?.pages.flatMap(({ results }) => results) ?? [];
  const total = list.data?.pages[0]?.total ?? null;
  const isFound = list.isSuccess && !list.isPlaceholderData;
  const isAll = view.text === undefined && countFilters(view) === 0;

  const wanted = keptPlace().pages ?? 1;
  const shown = list.data?.pages.length ?? 0;
  useKeptPlace(isFound && (shown >= wanted || !list.hasNextPage));
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  // After a reload, the pages come one after the other. And a page may be empty though more follow.
  const isGoingOn =
    isFound &&
    hasNextPage &&
    (shown < wanted || (list.data.pages.at(-1)?.results.length === 0 && shown < 50));
  useEffect(() => {
    if (isGoingOn && !isFetching && !isError) void fetchNextPage();
  }, [isGoingOn, isFetching, isError, fetchNextPage]);

  const summary = isFound
    ? total === null
      ? t.peopleShown(rows.length, format)
      : t.people(total, format)
    : '';
  return (
    <>
      <div className="page-head">
        <div className="words">
          <h1>{t.members}</h1>
          <p className="small" role="status">
            {summary || '\u00A0'}
          </p>
        </div>
        <div className="acts">
          <Link className="button" href={path('members', 'orders')}>
            {t.orders}
          </Link>
          <Export view={view} isEmpty={isFound && rows.length === 0} />
        </div>
      </div>
      <section className="card" aria-label={t.members}>
        <div className="toolbar">
          <Finder text={view.text ?? ''} onFind={(text) => change({ text })} />
          <Filters view={view} onChange={change} />
        </div>
        {list.isError && rows.length === 0 ? (
          <Problem error={list.error} onRetry={() => void list.refetch()} />
        ) : list.isPending || (rows.length === 0 && isGoingOn) ? (
          <div className="inset">
            <Waiting rows={8} />
          </div>
        ) : rows.length === 0 ? (
          isAll ? (
            <NoMembers />
          ) : (
            <NothingFound view={view} onClear={change} />
          )
        ) : (
          <>
            <Table
              rows={rows}
              sort={view.sort ?? 'newest'}
              isBusy={!isFound}
              onSort={(sort) => change({ sort })}
            />
            <div className="table-foot">
              <span className="small">
                {total === null ? t.shownOfMany(rows.length, format) : t.shownOf(rows.length, total, format)}
              </span>
              {list.isError && <span className="wrong">{sayProblem(list.error, t.shared)}</span>}
              {hasNextPage && (
                <Button
                  busy={list.isFetchingNextPage}
                  onClick={() => {
                    keepPlace({ pages: shown + 1 });
                    void fetchNextPage();
                  }}
                >
                  {t.showMore}
                </Button>
              )}
            </div>
          </>
        )}
      </section>
    </>
  );
}

function useList(view: ListView) {
  const { api, shop } = usePlace();
  return useInfiniteQuery({
    queryKey: [shop.id, 'members', view],
    queryFn: ({ pageParam, signal }): Promise<MemberList> =>
      api.searchMembers(
        { ...view, limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 15 * 60_000,
  });
}

/** Searches a moment after the last letter. */
function Finder({ text, onFind }: { text: string; onFind: (text: string) => void }) {
  const t = useMemberTexts();
  const [typed, setTyped] = useState(text);
  const sent = useRef(text);
  // The address has changed by other means: the back button, or "Clear all".
  if (sent.current !== text) {
    sent.current = text;
    if (typed.trim() !== text) setTyped(text);
  }
  useEffect(() => {
    const next = typed.trim();
    if (next === sent.current) return undefined;
    const timer = setTimeout(() => onFind(next), 150);
    return () => clearTimeout(timer);
  }, [typed, onFind]);
  return (
    <div className="finder list-finder">
      <Icon name="search" size={18} />
      <input
        type="search"
        enterKeyHint="search"
        autoFocus={keptPlace().focus === undefined && matchMedia('(hover: hover)').matches}
        aria-label={t.find}
        placeholder={t.findHint}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onFind(typed.trim());
        }}
      />
      {typed !== '' && (
        <button type="button" className="round" aria-label={t.clearText} onClick={() => setTyped('')}>
          <Icon name="close" size={16} />
        </button>
      )}
    </div>
  );
}

function Table(props: {
  rows: readonly MemberRow[];
  sort: MemberSort;
  isBusy: boolean;
  onSort: (sort: MemberSort) => void;
}) {
  const t = useMemberTexts();
  return (
    <table className="table folds members" aria-busy={props.isBusy}>
      <caption className="unseen">{t.members}</caption>
      <thead>
        <tr>
          <th aria-sort={props.sort === 'name' ? 'ascending' : undefined}>
            <button
              type="button"
              title={t.sortBy(t.sorts[props.sort === 'name' ? 'newest' : 'name'])}
              onClick={() => props.onSort(props.sort === 'name' ? 'newest' : 'name')}
            >
              {t.columns.name} {props.sort === 'name' && <Drawn path={ICONS.up} size={12} />}
            </button>
          </th>
          <th>{t.columns.tier}</th>
          <th className="number">{t.columns.points}</th>
          <th className="number">{t.columns.spent}</th>
          <th className="number">{t.columns.bought}</th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => (
          <Row key={row.member_id} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row }: { row: MemberRow }) {
  const t = useMemberTexts();
  const format = useFormat();
  const { path } = usePlace();
  const id = `row-${row.member_id}`;
  const about = [
    row.client_code === null ? null : inGroups(row.client_code),
    row.username === null ? null : row.email,
  ]
    .filter(Boolean)
    .join(' · ');
  return (
    <tr className="is-link">
      <td>
        <div className="person-line">
          <span className="avatar little" aria-hidden="true">
            {initials(row.username ?? row.email)}
          </span>
          <div className="row-words">
            <span className="name-line">
              <Link
                id={id}
                className="row-link clip"
                href={path('members', row.member_id)}
                onClick={() => keepPlace({ y: Math.round(scrollY), focus: id })}
              >
                {t.nameOf(row)}
              </Link>
              <StateTag state={row.state} />
            </span>
            {about !== '' && <span className="small clip">{about}</span>}
          </div>
        </div>
      </td>
      <td className="later">{row.level_name ?? <span className="small">–</span>}</td>
      <td className="number">
        <b>{format.number(row.points)}</b>
        <span className="phone-word"> {t.pointsWord(row.points, format)}</span>
      </td>
      <td className="number later">{format.money(row.amount_spent)}</td>
      <td className="number later">
        {row.last_purchase_at === null ? '–' : <When at={row.last_purchase_at} />}
      </td>
    </tr>
  );
}

/** Says what is unusual about a person; being a member is not. */
export function StateTag({ state }: { state: MemberRow['state'] }) {
  const t = useTexts();
  if (state === 'member') return null;
  const look = state === 'blocked' ? 'wrong' : state === 'invited' ? 'ending' : '';
  return <span className={`tag ${look}`.trim()}>{t.states[state]}</span>;
}

function Export({ view, isEmpty }: { view: ListView; isEmpty: boolean }) {
  const t = useMemberTexts();
  const { api, shop } = usePlace();
  const save = useMutation({
    mutationFn: () => api.exportMembers(view),
    onSuccess(file) {
      const name = `${shop.slug}-members-${dayOfFile()}.csv`;
      saveFile(file, name);
      say(t.exported(name));
    },
    onError: (error) => say(sayProblem(error, t.shared), { kind: 'wrong' }),
  });
  if (isEmpty) return null;
  return (
    <Button busy={save.isPending} onClick={() => save.mutate()}>
      <Drawn path={ICONS.download} size={18} />
      {save.isPending ? t.exporting : t.exportList}
    </Button>
  );
}

function NoMembers() {
  const t = useMemberTexts();
  const { path } = usePlace();
  return (
    <Empty
      title={t.noMembers}
      act={
        <Link className="button main" href={path('till')}>
          {t.toTill}
        </Link>
      }
    >
      {t.noMembersText}
    </Empty>
  );
}

function NothingFound({ view, onClear }: { view: ListView; onClear: (part: ViewChange) => void }) {
  const t = useMemberTexts();
  const { path } = usePlace();
  const { text } = view;
  const isAddress = text !== undefined && /^\S+@\S+\.\S+$/.test(text);
  const cleared = Object.fromEntries(Object.keys(view).map((field) => [field, undefined])) as ViewChange;
  return (
    <Empty
      title={text === undefined ? t.nobodyMatches : t.nobodyFound(text)}
      act={
        <div className="acts">
          <Button look={isAddress ? '' : 'main'} onClick={() => onClear(cleared)}>
            {t.clearAll}
          </Button>
          {isAddress && (
            <Link className="button main" href={`${path('till')}?email=${encodeURIComponent(text)}`}>
              {t.recordForAddress}
            </Link>
          )}
        </div>
      }
    >
      {isAddress ? t.addressText : text === undefined ? t.nobodyMatchesText : t.nobodyFoundText}
    </Empty>
  );
}
