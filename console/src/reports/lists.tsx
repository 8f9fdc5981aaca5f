import type {
  ReportMovement,
  ReportMovementKind,
  ReportPeopleKind,
  ReportPeopleLine,
  ReportPerson,
} from '@loyalty/sdk/admin';
import { inGroups } from '@loyalty/ui/format.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { Link, Redirect, useSearch } from 'wouter';
import { initials, useFormat } from '../format.ts';
import { keepPlace, useKeptPlace } from '../members/kept-place.ts';
import { usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Problem, sayProblem, Waiting } from '../ui/states.tsx';
import { isDay, type Days } from './days.ts';
import { reportOf } from './links.ts';
import { usePeriodNames } from './period-names.ts';
import { useReportTexts } from './texts.ts';

interface Asked<Kind> extends Days {
  readonly kind: Kind;
  readonly benefit_id?: string;
  readonly level_id?: string;
}

/** Reads from the address what is asked for. Null if it names no list. */
function useAsked<Kind extends string>(kinds: Readonly<Record<Kind, string>>): Asked<Kind> | null {
  const params = new URLSearchParams(useSearch());
  const kind = params.get('kind') ?? '';
  const from = params.get('from') ?? '';
  const to = params.get('to') ?? '';
  const benefit = params.get('benefit') ?? '';
  const level = params.get('tier') ?? '';
  if (!Object.hasOwn(kinds, kind) || !isDay(from) || !isDay(to)) return null;
  return {
    kind: kind as Kind,
    from,
    to,
    ...(benefit !== '' && { benefit_id: benefit }),
    ...(level !== '' && { level_id: level }),
  };
}

/** Reads page after page of what is asked for. */
function useTrail<Kind, Page extends { readonly next_cursor: string | null }>(
  name: string,
  asked: Asked<Kind> | null,
  read: (page: Asked<Kind> & { readonly cursor?: string }, signal: AbortSignal) => Promise<Page>,
) {
  const { shop } = usePlace();
  return useInfiniteQuery({
    queryKey: [shop.id, name, asked],
    queryFn: ({ pageParam: cursor, signal }) =>
      read({ ...asked!, ...(cursor !== null && { cursor }) }, signal),
    enabled: asked !== null,
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    staleTime: 30_000,
  });
}

/** The movements that a figure is made of. */
export function MovementList() {
  const t = useReportTexts();
  const f = useFormat();
  const { api, path } = usePlace();
  const asked = useAsked<ReportMovementKind>(t.lists.movements);
  const list = useTrail('report movements', asked, ({ level_id: _ofPeople, ...page }, signal) =>
    api.listReportMovements(page, { signal }),
  );
  if (asked === null) return <Redirect to={path('reports')} replace />;
  const rows = list.data?.pages.flatMap(({ results }) => results) ?? [];
  const hasAmounts = rows.some(({ amount }) => amount !== null);
  const hasKinds = rows.some(({ kind, title }) => title !== null || kind !== rows[0]!.kind);
  const isWhole = list.isSuccess && !list.hasNextPage && rows.length > 1;
  return (
    <List
      {...{ asked, list, count: rows.length }}
      title={t.lists.movements[asked.kind]}
      what={rows[0]?.title}
    >
      <table className="table folds trail">
        <caption className="unseen">{t.lists.movements[asked.kind]}</caption>
        <thead>
          <tr>
            <th scope="col">{t.columns.member}</th>
            {hasKinds && <th scope="col">{t.columns.what}</th>}
            <th scope="col">{t.columns.when}</th>
            {hasAmounts && (
              <th scope="col" className="number">
                {t.columns.amount}
              </th>
            )}
            <th scope="col" className="number">
              {t.columns.points}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <MovementRow key={`${row.id} ${row.at} ${i}`} {...{ row, hasAmounts, hasKinds }} />
          ))}
        </tbody>
        {isWhole && (
          <tfoot>
            <tr>
              <th scope="row" colSpan={hasKinds ? 3 : 2}>
                {t.inAll}
              </th>
              {hasAmounts && <td className="number later">{f.money(sum(rows, 'amount'))}</td>}
              <td className="number change">
                {rows.every(({ points }) => points === null) ? '–' : f.change(sum(rows, 'points'))}
              </td>
            </tr>
          </tfoot>
        )}
      </table>
    </List>
  );
}

const sum = (rows: readonly ReportMovement[], what: 'points' | 'amount') =>
  rows.reduce((total, row) => total + (row[what] ?? 0), 0);

function MovementRow(props: { row: ReportMovement; hasAmounts: boolean; hasKinds: boolean }) {
  const t = useReportTexts();
  const f = useFormat();
  const { path } = usePlace();
  const { row } = props;
  const page = path('members', row.member.member_id);
  return (
    <tr className="is-link">
      <td>
        <Person
          id={`row-${row.id}-${row.member.member_id}-${Date.parse(row.at)}`}
          person={row.member}
          href={row.id === 0 ? page : `${page}?movement=${row.id}`}
        />
      </td>
      {props.hasKinds && (
        <td className="wide">
          {row.title === null ? t.kinds[row.kind] : `${t.kinds[row.kind]} · ${row.title}`}
        </td>
      )}
      <td className="wide small">
        <time dateTime={row.at}>{f.dayAndTime(row.at)}</time>
        {row.amount !== null && <span className="amount-on-phone"> · {f.money(row.amount)}</span>}
      </td>
      {props.hasAmounts && <td className="number later">{row.amount === null ? '' : f.money(row.amount)}</td>}
      <td className={`number change ${row.points > 0 ? 'gain' : ''}`}>
        {row.points === 0 ? '–' : f.change(row.points)}
      </td>
    </tr>
  );
}

/** The people that a figure is made of. */
export function PeopleList() {
  const t = useReportTexts();
  const { api, path } = usePlace();
  const asked = useAsked<ReportPeopleKind>(t.lists.people);
  const list = useTrail('report people', asked, (page, signal) => api.listReportPeople(page, { signal }));
  if (asked === null) return <Redirect to={path('reports')} replace />;
  const rows = list.data?.pages.flatMap(({ results }) => results) ?? [];
  const hasTitles = rows.some(({ title }) => title !== null);
  const hasPoints = asked.kind === 'ending';
  return (
    <List {...{ asked, list, count: rows.length }} title={t.lists.people[asked.kind]} what={rows[0]?.title}>
      <table className="table folds trail">
        <caption className="unseen">{t.lists.people[asked.kind]}</caption>
        <thead>
          <tr>
            <th scope="col">{t.columns.member}</th>
            {hasTitles && <th scope="col">{t.columns.what}</th>}
            <th scope="col">{hasPoints ? t.columns.ends : t.columns.when}</th>
            {hasPoints && (
              <th scope="col" className="number">
                {t.columns.points}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <PersonRow key={`${row.member.member_id} ${i}`} {...{ row, hasTitles, hasPoints, at: i }} />
          ))}
        </tbody>
      </table>
    </List>
  );
}

function PersonRow(props: { row: ReportPeopleLine; hasTitles: boolean; hasPoints: boolean; at: number }) {
  const f = useFormat();
  const { path } = usePlace();
  const { row } = props;
  return (
    <tr className="is-link">
      <td>
        <Person id={`row-${props.at}`} person={row.member} href={path('members', row.member.member_id)} />
      </td>
      {props.hasTitles && <td className="wide">{row.title}</td>}
      <td className="wide small">
        {row.at !== null ? (
          <time dateTime={row.at}>{f.dayAndTime(row.at)}</time>
        ) : row.day === null ? (
          '–'
        ) : (
          <time dateTime={row.day}>{f.day(row.day)}</time>
        )}
      </td>
      {props.hasPoints && (
        <td className="number">
          <b>{row.points === null ? '–' : f.number(row.points)}</b>
        </td>
      )}
    </tr>
  );
}

function Person({ id, person, href }: { id: string; person: ReportPerson; href: string }) {
  const t = useReportTexts();
  const shared = useTexts();
  const name = person.username ?? (person.state === 'erased' ? t.erasedName : shared.noName);
  return (
    <div className="trail-person">
      <span className="avatar little" aria-hidden="true">
        {initials(person.username)}
      </span>
      <span className="row-words">
        <Link
          id={id}
          className="row-link clip"
          href={href}
          onClick={() => keepPlace({ y: Math.round(scrollY), focus: id })}
        >
          {name}
        </Link>
        {person.client_code !== null && <span className="small clip">{inGroups(person.client_code)}</span>}
      </span>
    </div>
  );
}

interface Pages {
  readonly isPending: boolean;
  readonly isSuccess: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
  readonly refetch: () => unknown;
}

function List(props: {
  asked: Asked<ReportMovementKind | ReportPeopleKind>;
  list: Pages;
  count: number;
  title: string;
  /** The benefit or tier of the first line, if the list has only one. */
  what: string | null | undefined;
  children: ReactNode;
}) {
  const t = useReportTexts();
  const shared = useTexts();
  const f = useFormat();
  const names = usePeriodNames();
  const { path } = usePlace();
  const { asked, list, count, title, what } = props;
  const isNarrowed = asked.benefit_id !== undefined || asked.level_id !== undefined;
  const report = `${path('reports', reportOf(asked.kind))}?from=${asked.from}&to=${asked.to}`;
  useKeptPlace(list.isSuccess);
  return (
    <>
      <div className="page-head">
        <div className="words">
          <p className="crumbs">
            <Link href={report}>
              {t.reports} / {t.tabs[reportOf(asked.kind)]}
            </Link>
          </p>
          <h1>{title}</h1>
          <p className="small" role="status">
            {[
              names.range(asked),
              isNarrowed && what != null ? t.onlyBenefit(what) : null,
              list.isSuccess ? (list.hasNextPage ? t.shownAndMore(count, f) : t.shown(count, f)) : null,
            ]
              .filter(Boolean)
              .join(' · ') || '\u00A0'}
          </p>
        </div>
      </div>
      <section className="card" aria-label={title}>
        {list.isError && count === 0 ? (
          <Problem error={list.error} onRetry={() => void list.refetch()} />
        ) : list.isPending ? (
          <div className="inset-rows">
            <Waiting rows={6} />
          </div>
        ) : count === 0 ? (
          <Empty
            title={t.noneTitle}
            act={
              <Link className="button" href={report}>
                {t.backToReport}
              </Link>
            }
          >
            {t.noneText}
          </Empty>
        ) : (
          <>
            {props.children}
            {(list.hasNextPage || list.isError) && (
              <div className="table-foot">
                {list.isError && <span className="wrong">{sayProblem(list.error, shared)}</span>}
                <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                  {t.showMore}
                </Button>
              </div>
            )}
          </>
        )}
      </section>
    </>
  );
}
