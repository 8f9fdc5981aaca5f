import { readStoredFacts, type BenefitFacts, type StoredFacts } from '#benefits/benefit-facts.ts';
import { sql, type Db } from '#db/database.ts';
import type { Position } from '#http/cursor.ts';

/** One entry of a member's history. */
export interface Activity {
  readonly id: number;
  readonly type: 'purchase' | 'reversal' | 'exchange' | 'give_back' | 'usage' | 'reward' | 'adjustment';
  readonly at: Date;
  readonly points: number;
  readonly amount: number | null;
  readonly event: string | null;
  readonly note: string | null;
  readonly benefit: BenefitFacts | null;
}

export interface ActivityPage {
  /** Newest first. */
  readonly items: Activity[];
  readonly next: Position | null;
  readonly previous: Position | null;
}

const PAGE = 20;

/**
 * A page of a member's history, newest first; from `position` on, in its direction. What is added meanwhile is
 * never shown twice and hides nothing. What expired is in the ledger and not in the history.
 */
export async function readActivity(
  db: Db,
  commerceId: number,
  memberId: number,
  position: Position | null,
): Promise<ActivityPage> {
  const backwards = position?.direction === 'newer';
  const rows = backwards
    ? await readNewer(db, commerceId, memberId, position)
    : await readOlder(db, commerceId, memberId, position);
  const more = rows.length > PAGE;
  const items = backwards ? rows.slice(0, PAGE).toReversed() : rows.slice(0, PAGE);
  const [first, last] = [items[0], items.at(-1)];
  const hasOlder = backwards || more;
  const hasNewer = backwards ? more : position !== null;
  return {
    items,
    next: hasOlder && last !== undefined ? { direction: 'older', at: last.at, id: last.id } : null,
    previous: hasNewer && first !== undefined ? { direction: 'newer', at: first.at, id: first.id } : null,
  };
}

const columns = sql.raw(`
  m.id, m.type, m.at, m.points, m.amount, m.event, m.note, v.benefit
  from movements m
  left join vouchers v on v.commerce_id = m.commerce_id and v.code = m.voucher_code`);

interface Row extends Omit<Activity, 'benefit'> {
  readonly benefit: StoredFacts | null;
}

function activityOf(row: Row): Activity {
  return { ...row, benefit: row.benefit && readStoredFacts(row.benefit) };
}

async function readOlder(
  db: Db,
  commerceId: number,
  memberId: number,
  position: Position | null,
): Promise<Activity[]> {
  const { rows } = await sql<Row>`-- read-activity-older
    select ${columns}
     where m.commerce_id = ${commerceId} and m.member_id = ${memberId} and m.type not in ('expiry', 'redate')
       and (m.at, m.id) < (coalesce(${position?.at ?? null}::timestamptz, 'infinity'), coalesce(${position?.id ?? null}::bigint, 0))
     order by m.at desc, m.id desc
     limit ${PAGE + 1}`.execute(db);
  return rows.map(activityOf);
}

async function readNewer(
  db: Db,
  commerceId: number,
  memberId: number,
  position: Position,
): Promise<Activity[]> {
  const { rows } = await sql<Row>`-- read-activity-newer
    select ${columns}
     where m.commerce_id = ${commerceId} and m.member_id = ${memberId} and m.type not in ('expiry', 'redate')
       and (m.at, m.id) > (${position.at}::timestamptz, ${position.id}::bigint)
     order by m.at, m.id
     limit ${PAGE + 1}`.execute(db);
  return rows.map(activityOf);
}
