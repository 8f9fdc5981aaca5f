import { createBatch } from '#batching/batch.ts';
import { onCluster } from '#batching/on-cluster.ts';
import { readCommerces, type Commerce } from '#commerces/commerce.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { onConnection, sql, type Database, type Db, type Sql } from '#db/database.ts';
import type { Day } from '#calendar/calendar.ts';
import { balanceOn, type Lot } from '#points/lots.ts';
import { lotsNow, type PendingPoints } from '#points/pending.ts';

/** A client as the shop sees them, with the balance that can be spent now. Erased people have neither name nor address. */
export interface Client {
  /** Null only in rows that are no clients. */
  readonly code: number | null;
  readonly username: string | null;
  readonly email: string | null;
  readonly points: number;
}

export interface ClientCode {
  readonly commerceId: number;
  readonly code: number;
}

/** A part of a commerce's list of clients, which is in order of enrolment. */
export interface ClientPlaces {
  readonly commerceId: number;
  readonly limit: number;
  readonly offset: number;
}

export interface ClientPage {
  readonly clients: Client[];
  /** The number of clients on all pages. */
  readonly total: number;
}

/** The most clients on a page. */
export const LARGEST_PAGE = 100;

/** Reads clients for all requests of this process. Requests that wait at the same moment share their statements. */
export interface ClientReader {
  /** Returns null if the code is nobody's. */
  byCode(wanted: ClientCode): Promise<Client | null>;
  page(wanted: ClientPlaces): Promise<ClientPage>;
}

export function createClientReader(db: Database): ClientReader {
  const shared = {
    ...onCluster(db),
    tracing: db.tracing,
    commerceOf: ({ commerceId }: { commerceId: number }) => commerceId,
    mayRepeat: () => true,
    longestQueuedMs: db.patience.queuedMs,
  };
  const codes = createBatch<ClientCode, Client | null>({
    ...shared,
    name: 'read-clients',
    run: (wanted) => onConnection(db, (connection) => readClients(connection, wanted)),
  });
  const pages = createBatch<ClientPlaces, ClientPage>({
    ...shared,
    name: 'read-client-pages',
    // Nobody should wait for the rows of many others.
    largest: 8,
    longestWaitMs: db.patience.turnMs,
    run: (wanted) => onConnection(db, (connection) => readClientPages(connection, wanted)),
  });
  return { byCode: (wanted) => codes.submit(wanted), page: (wanted) => pages.submit(wanted) };
}

/** Returns one client for each code, in order. */
export async function readClients(db: Db, wanted: readonly ClientCode[]): Promise<(Client | null)[]> {
  const commerceIds = wanted.map(({ commerceId }) => commerceId);
  const [commerces, { rows }] = await Promise.all([
    readCommerces(db, [...new Set(commerceIds)]),
    sql<ClientRow>`-- read-clients
      select ${clientColumns}
        from unnest(${commerceIds}::bigint[], ${wanted.map(({ code }) => code)}::bigint[])
               with ordinality as w(commerce_id, code, nth)
        join members m on m.commerce_id = w.commerce_id and m.code = w.code
       ${withPoints(commercesOf(wanted))}
       where m.commerce_id = any(${commercesOf(wanted)}::bigint[])
       order by w.nth`.execute(db),
  ]);
  const found = clientsOf(rows, wanted, commerces);
  return wanted.map((_, i) => found[i]?.[0] ?? null);
}

/** Returns one page for each part of a list, in order. The places have no gaps, so every offset costs the same. */
export async function readClientPages(db: Db, wanted: readonly ClientPlaces[]): Promise<ClientPage[]> {
  const commerceIds = wanted.map(({ commerceId }) => commerceId);
  const ids = [...new Set(commerceIds)];
  const [commerces, totals, { rows }] = await Promise.all([
    readCommerces(db, ids),
    readTotals(db, ids),
    sql<ClientRow>`-- read-client-pages
      select ${clientColumns}
        from unnest(${commerceIds}::bigint[], ${wanted.map(({ offset }) => offset)}::bigint[],
                    ${wanted.map(({ limit, offset }) => offset + limit)}::bigint[])
               with ordinality as w(commerce_id, skipped, last, nth)
       cross join lateral (
             select *
               from members
              where commerce_id = any(${ids}::bigint[])
                and commerce_id = w.commerce_id and ordinal > w.skipped and ordinal <= w.last
              order by ordinal
              limit ${sql.lit(LARGEST_PAGE)}) m
       ${withPoints(ids)}
       where m.commerce_id = any(${ids}::bigint[])
       order by w.nth, m.ordinal`.execute(db),
  ]);
  const found = clientsOf(rows, wanted, commerces);
  return wanted.map(({ commerceId }, i) => ({ clients: found[i] ?? [], total: totals.get(commerceId) ?? 0 }));
}

async function readTotals(db: Db, commerceIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ id: number; total: number }>`-- count-clients
    select commerce_id as id, total from enrolments where commerce_id = any(${commerceIds}::bigint[])`.execute(
    db,
  );
  return new Map(rows.map(({ id, total }) => [id, total]));
}

/** A client with the points of one day or of one purchase that waits, or with none. Rows of one client follow one another. */
type ClientRow = Omit<Client, 'points'> & {
  /** The position of the wanted client, counted from 1. */
  readonly nth: number;
  /** What the points of `lotsNow` depend on. */
  readonly movedOn: Day | null;
} & (
    | Lot
    | ({ readonly expiresOn: null } & PendingPoints)
    | { readonly expiresOn: null; readonly becomes: null }
  );

const clientColumns: Sql = sql`w.nth, m.code, m.username, m.email, m.moved_on as "movedOn", b.*`;

/**
 * The limit and the offset, here and above, keep PostgreSQL from joining whole tables: it does not know how short the arrays are,
 * and planned a hash join that took 2 ms a page.
 */
const withPoints = (among: readonly number[]): Sql => sql`
        left join lateral (
             select expires_on as "expiresOn", moving, points, null::bigint as "purchaseId", null::timestamptz as "dueAt", null as becomes
               from balances
              where commerce_id = any(${among}::bigint[]) and commerce_id = m.commerce_id and member_id = m.id
              union all
             select null, null, points, purchase_id, due_at, becomes
               from pending_points
              where commerce_id = any(${among}::bigint[]) and commerce_id = m.commerce_id and member_id = m.id
             offset 0) b on true`;

/** Returns the clients of each place in `wanted`. */
function clientsOf(
  rows: readonly ClientRow[],
  wanted: readonly { readonly commerceId: number }[],
  commerces: ReadonlyMap<number, Commerce>,
): Client[][] {
  const found: Client[][] = [];
  for (let i = 0; i < rows.length;) {
    const { nth, code, username, email, movedOn } = rows[i]!;
    const lots: Lot[] = [];
    const pending: PendingPoints[] = [];
    for (; rows[i]?.code === code && rows[i]!.nth === nth; i += 1) {
      const row = rows[i]!;
      if (row.expiresOn !== null) lots.push(row);
      else if (row.becomes !== null) pending.push(row);
    }
    const commerce = commerces.get(wanted[nth - 1]!.commerceId)!;
    const held = pending.length === 0 ? lots : lotsNow({ lots, movedOn, pending }, commerce);
    (found[nth - 1] ??= []).push({ code, username, email, points: balanceOn(held, commerce.today) });
  }
  return found;
}
