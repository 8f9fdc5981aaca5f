/** Reads the people of a commerce and everything that the ledger has about each, in one snapshot and in bounded memory. */
import { sql, type Sql, type Tx } from '#db/database.ts';
import { memberColumns, memberOf, type Member, type MemberRow } from '#members/member.ts';
import type { MovementType } from '#points/locked-member.ts';
import type { Line } from '#points/line.ts';
import type { Lot } from '#points/lots.ts';
import type { PendingPoints } from '#points/pending.ts';
import { readSplit, type SplitText } from '#points/split-text.ts';
import type { NameOfCard } from './cards-of-life.ts';

/** A person as the database has them now. */
export interface Person {
  readonly member: Member;
  readonly erasedAt: Date | null;
  readonly lots: readonly Lot[];
  readonly pending: readonly PendingPoints[];
  /** The tiers whose benefit the person has got. */
  readonly rewardedTiers: readonly string[];
  /** The full cards of which codes were issued, by their codes. */
  readonly cards: ReadonlyMap<number, NameOfCard>;
}

/** One row of the ledger. Instants are milliseconds, because parsing dates would take as long as replaying the row. */
export interface Recorded {
  readonly id: number;
  readonly memberId: number;
  readonly type: MovementType;
  readonly atMs: number;
  /** When the row was written, by the commerce's clock: later than `atMs` if a past purchase was reported late. */
  readonly writtenMs: number;
  readonly points: number;
  readonly pointsEarned: number;
  readonly amount: number | null;
  /** The change of the number of purchases that count. */
  readonly purchases: number;
  readonly branchId: number | null;
  readonly registerId: number | null;
  /** JSON of a `SplitText`, which is parsed only where it is needed. */
  readonly split: string;
  readonly snapshot: unknown;
  /** Of a purchase, as the shop said them; null if it said none, or they are known no more. */
  readonly lines: readonly Line[] | null;
  readonly reversesId: number | null;
  readonly voucherCode: number | null;
  /** True for a purchase that is reversed later, in part or as a whole. */
  readonly isReversed: boolean;
}

const PEOPLE = 500;
const ROWS = 1_000;

/** Yields pages of everybody, in the order of their ids. */
export async function* readPeople(tx: Tx, commerceId: number): AsyncGenerator<Person[], void> {
  const query = sql`
    select ${memberColumns}, m.erased_at as "erasedAt",
           (select jsonb_agg(jsonb_build_array(b.expires_on, b.moving, b.points) order by b.expires_on, b.moving)
              from balances b
             where b.commerce_id = m.commerce_id and b.member_id = m.id) as lots,
           (select jsonb_agg(jsonb_build_object('purchaseId', p.purchase_id, 'points', p.points, 'dueAt', p.due_at, 'becomes', p.becomes))
              from pending_points p
             where p.commerce_id = m.commerce_id and p.member_id = m.id) as pending,
           (select array_agg(r.period)
              from rewards r
             where r.commerce_id = m.commerce_id and r.member_id = m.id and r.event = 'level') as "rewardedTiers",
           (select jsonb_agg(jsonb_build_array(f.code, f.stamp_id, f.ordinal))
              from full_cards f
             where f.commerce_id = m.commerce_id and f.member_id = m.id and f.code is not null) as cards
      from members m
     where m.commerce_id = ${commerceId}
     order by m.id`;
  type Row = MemberRow & {
    readonly erasedAt: Date | null;
    readonly lots: SplitText | null;
    readonly pending: readonly (Omit<PendingPoints, 'dueAt'> & { readonly dueAt: string })[] | null;
    readonly rewardedTiers: readonly string[] | null;
    readonly cards: readonly (readonly [code: number, stampId: string, ordinal: number])[] | null;
  };
  for await (const rows of readPages<Row>(tx, 'people', query, PEOPLE)) {
    yield rows.map((row) => ({
      member: memberOf(row),
      erasedAt: row.erasedAt,
      lots: readSplit(row.lots ?? []),
      pending: (row.pending ?? []).map(({ dueAt, ...pending }) => ({ ...pending, dueAt: new Date(dueAt) })),
      rewardedTiers: row.rewardedTiers ?? [],
      cards: new Map((row.cards ?? []).map(([code, stampId, ordinal]) => [code, { stampId, ordinal }])),
    }));
  }
}

/**
 * Yields pages of all movements of points made before `to`, member by member, each in the order in which they were recorded.
 * Redemptions move no points and are left out, but for those of full stamp cards. Two lists become one, because two partial indexes cover different types; each is
 * read in the order of its index, so that the first rows come at once.
 */
export async function* readMovements(
  tx: Tx,
  commerceId: number,
  to: Date | null,
): AsyncGenerator<readonly Recorded[], void> {
  const query = (types: Sql) => sql`
    select m.id, m.member_id as "memberId", m.type, (extract(epoch from m.at) * 1000)::bigint as "atMs",
           (extract(epoch from case when c.sandbox then m.at else greatest(m.at, m.recorded_at) end) * 1000)::bigint as "writtenMs",
           m.points, m.points_earned as "pointsEarned", m.amount, m.purchases::bigint,
           m.branch_id as "branchId", m.register_id as "registerId", m.split::text as split, m.snapshot, l.lines, m.reverses_id as "reversesId",
           m.voucher_code as "voucherCode",
           m.type = 'purchase' and m.id in (select r.reverses_id from movements r
                                             where r.commerce_id = ${commerceId} and r.reverses_id is not null) as "isReversed"
      from movements m
     cross join (select sandbox from commerces where id = ${commerceId}) c
      left join purchase_lines l on l.commerce_id = ${commerceId} and l.purchase_id = m.id
     where m.commerce_id = ${commerceId} and ${types}
       and (m.type not in ('usage', 'undo')
            or m.voucher_code in (select f.code from full_cards f where f.commerce_id = ${commerceId}))
       and (${to}::timestamptz is null or m.at < ${to}::timestamptz)
     order by m.member_id, m.id`;
  const expiries = takeOneByOne(
    readPages<Recorded>(tx, 'expiries', query(sql`m.type in ('expiry', 'redate')`), ROWS),
  );
  let expiry = await expiries.next();
  for await (const rows of readPages<Recorded>(
    tx,
    'movements',
    query(sql`m.type not in ('expiry', 'redate')`),
    ROWS,
  )) {
    const page: Recorded[] = [];
    for (const row of rows) {
      for (; expiry !== null && isBefore(expiry, row); expiry = await expiries.next()) page.push(expiry);
      page.push(row);
    }
    yield page;
  }
  for (; expiry !== null; expiry = await expiries.next()) yield [expiry];
}

function isBefore(one: Recorded, other: Recorded): boolean {
  return one.memberId < other.memberId || (one.memberId === other.memberId && one.id < other.id);
}

/** Gives the items of pages one by one, and null at the end. */
export function takeOneByOne<T>(pages: AsyncGenerator<T[], void>) {
  let page: readonly T[] = [];
  let place = 0;
  return {
    async next(): Promise<T | null> {
      if (place === page.length) {
        const { value, done } = await pages.next();
        page = done === true ? [] : value;
        place = 0;
      }
      return page[place++] ?? null;
    },
  };
}

/** PostgreSQL fetches the next page while the service works on this one. */
async function* readPages<Row>(tx: Tx, name: string, query: Sql, size: number): AsyncGenerator<Row[], void> {
  const cursor = sql.raw(`what_if_${name}`);
  await sql`declare ${cursor} no scroll cursor for ${query}`.execute(tx);
  const fetchPage = () => sql<Row>`fetch ${sql.lit(size)} from ${cursor}`.execute(tx);
  let next = fetchPage();
  // If the caller stops early, nobody waits for this page any more.
  next.catch(() => {});
  for (;;) {
    const { rows } = await next;
    if (rows.length === 0) return;
    next = fetchPage();
    next.catch(() => {});
    yield rows;
  }
}
