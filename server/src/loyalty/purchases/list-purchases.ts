import { sql, type Db } from '#db/database.ts';
import type { Position } from '#http/cursor.ts';
import { explainRows, purchaseColumns, type PurchaseRead, type Row } from './read-purchase.ts';
import { orderKey, ORDERS } from './recorded-purchases.ts';

/** Which purchases of a commerce are listed. Conditions that are left out do not count. */
export interface PurchaseFilter {
  readonly externalId?: string | undefined;
  /** The buyer's code. */
  readonly code?: number | undefined;
  /** Purchases made at this instant or later. */
  readonly from?: Date | undefined;
  /** Purchases made before this instant. */
  readonly to?: Date | undefined;
}

export interface PurchasePage {
  /** Newest first. */
  readonly purchases: PurchaseRead[];
  /** Where the next page begins; null on the last page. */
  readonly next: Position | null;
}

export const PAGE = 20;

/**
 * Returns a page of a commerce's purchases, newest first, from behind a position. A page costs the same however long the
 * history is. Purchases recorded meanwhile never make another appear twice.
 */
export async function listPurchases(
  db: Db,
  commerceId: number,
  filter: PurchaseFilter,
  position: Position | null,
): Promise<PurchasePage> {
  const range = rangeOf(filter, position);
  if (filter.externalId !== undefined) {
    const { rows } = await findByOrder(commerceId, filter.externalId, filter.code, range).execute(db);
    return { purchases: await explainRows(db, commerceId, rows), next: null };
  }
  const memberId = filter.code === undefined ? null : await findMemberId(db, commerceId, filter.code);
  if (memberId === undefined) return { purchases: [], next: null };
  const { rows } = await (
    memberId === null ? listAll(commerceId, range) : listOfMember(commerceId, memberId, range)
  ).execute(db);
  const page = rows.slice(0, PAGE);
  const next =
    rows.length > PAGE
      ? page.at(-1)!
      : memberId === null
        ? null
        : await findEndOfScan(db, commerceId, memberId, range);
  return {
    purchases: await explainRows(db, commerceId, page),
    next: next && { direction: 'older', at: next.at, id: next.id },
  };
}

type Fragment = ReturnType<typeof sql>;

function rangeOf({ from, to }: PurchaseFilter, position: Position | null): Fragment {
  return sql`p.at >= coalesce(${from ?? null}::timestamptz, '-infinity')
       and p.at < coalesce(${to ?? null}::timestamptz, 'infinity')
       and (p.at, p.id) < (coalesce(${position?.at ?? null}::timestamptz, 'infinity'), coalesce(${position?.id ?? null}::bigint, 0))`;
}

/** The shop's own id names one purchase at most. */
function findByOrder(commerceId: number, externalId: string, code: number | undefined, range: Fragment) {
  return sql<Row>`-- find-purchase-by-order
    select ${purchaseColumns(commerceId)}
      from idempotency_keys k
      join movements p on p.commerce_id = k.commerce_id and p.id = k.result
      join members m on m.commerce_id = p.commerce_id and m.id = p.member_id
     where k.commerce_id = ${commerceId} and k.operation = ${ORDERS} and k.key = ${orderKey(externalId)}
       and p.type = 'purchase' and ${range} and (${code ?? null}::bigint is null or m.code = ${code ?? null}::bigint)`;
}

function listAll(commerceId: number, range: Fragment) {
  return sql<Row>`-- list-purchases
    select ${purchaseColumns(commerceId)}
      from (select *
              from movements p
             where p.commerce_id = ${commerceId} and p.type = 'purchase' and ${range}
             order by p.at desc, p.id desc
             limit ${PAGE + 1}) p
      join members m on m.commerce_id = p.commerce_id and m.id = p.member_id
     where p.commerce_id = ${commerceId}
     order by p.at desc, p.id desc`;
}

/** A member's history holds more than purchases. This many of its entries are looked at for a page. */
const SCANNED = 500;

/** The history of the member, without what its index leaves out. */
function historyOf(commerceId: number, memberId: number, range: Fragment): Fragment {
  return sql`movements p
             where p.commerce_id = ${commerceId} and p.member_id = ${memberId} and p.type not in ('expiry', 'redate')
               and ${range}
             order by p.at desc, p.id desc`;
}

function listOfMember(commerceId: number, memberId: number, range: Fragment) {
  return sql<Row>`-- list-purchases-of-member
    select ${purchaseColumns(commerceId)}
      from (select * from (select * from ${historyOf(commerceId, memberId, range)} limit ${SCANNED}) p
             where p.type = 'purchase'
             order by p.at desc, p.id desc
             limit ${PAGE + 1}) p
      join members m on m.commerce_id = p.commerce_id and m.id = p.member_id
     where p.commerce_id = ${commerceId}
     order by p.at desc, p.id desc`;
}

/** Where the look at the history ended although there is more of it; null if it reached the end. */
async function findEndOfScan(
  db: Db,
  commerceId: number,
  memberId: number,
  range: Fragment,
): Promise<Pick<Position, 'at' | 'id'> | null> {
  const { rows } = await sql<Pick<Position, 'at' | 'id'>>`-- find-end-of-scan
    select p.at, p.id from ${historyOf(commerceId, memberId, range)} offset ${SCANNED - 1} limit 1`.execute(
    db,
  );
  return rows[0] ?? null;
}

async function findMemberId(db: Db, commerceId: number, code: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`-- find-buyer-by-code
    select id from members where commerce_id = ${commerceId} and code = ${code}`.execute(db);
  return rows[0]?.id;
}
