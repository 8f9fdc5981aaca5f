import { commercesWithRows } from '#db/cluster/commerces-with-rows.ts';
import { sql, type Database, type Db } from '#db/database.ts';

/** The result of comparing the books of a commerce with its movements. */
export interface LedgerCheck {
  readonly commerceId: number;
  /** All movements up to this id were compared. Null if a transaction was open that may still add some before the last. */
  readonly lastMovement: number | null;
  readonly differences: number;
}

/**
 * Stores the results of checks of whole books that have just been made, for monitoring. Each replaces the one before, unless that has
 * compared later movements meanwhile: then what it found stays, too.
 */
export async function storeLedgerChecks(database: Database, checks: readonly LedgerCheck[]): Promise<void> {
  await sql`-- store-ledger-checks
    insert into ledger_checks (commerce_id, checked_at, whole_at, last_movement, differences)
    select commerce_id, now(), now(), last_movement, differences
      from unnest(${checks.map((check) => check.commerceId)}::bigint[],
                  ${checks.map((check) => check.lastMovement)}::bigint[],
                  ${checks.map((check) => check.differences)}::integer[]) as c(commerce_id, last_movement, differences)
        on conflict (commerce_id) do update
       set checked_at = excluded.checked_at, whole_at = excluded.whole_at,
           last_movement = greatest(ledger_checks.last_movement, excluded.last_movement),
           differences = case when ledger_checks.last_movement is null or ledger_checks.last_movement <= excluded.last_movement
                              then excluded.differences
                              else greatest(ledger_checks.differences, excluded.differences) end`.execute(
    database,
  );
}

/** Stores what was found about the people of later movements. Earlier findings stay until the whole books are checked. */
export async function extendLedgerCheck(
  database: Database,
  { commerceId, lastMovement, differences }: LedgerCheck,
): Promise<void> {
  await sql`-- extend-ledger-check
    update ledger_checks
       set checked_at = now(), last_movement = greatest(last_movement, ${lastMovement}),
           differences = greatest(differences, ${differences}::integer)
     where commerce_id = ${commerceId}`.execute(database);
}

/** How far the books of a commerce are checked. */
export interface CheckedBooks {
  readonly lastMovement: number;
  /** True if the whole books were checked within a day. */
  readonly isRecent: boolean;
}

/** Returns null if the books were never checked. */
export async function readLedgerCheck(db: Db, commerceId: number): Promise<CheckedBooks | null> {
  const { rows } = await sql<CheckedBooks>`-- read-ledger-check
    select coalesce(last_movement, 0) as "lastMovement", coalesce(whole_at > now() - ${WHOLE_EVERY}::interval, false) as "isRecent"
      from ledger_checks
     where commerce_id = ${commerceId}`.execute(db);
  return rows[0] ?? null;
}

/** Returns the open commerces that have movements which were not checked, or whose whole books were not checked for a day. */
export async function findUnchecked(db: Db): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`-- find-unchecked-commerces
    select c.id
      from ${commercesWithRows}
      left join ledger_checks l on l.commerce_id = p.commerce_id
     where c.status <> 'closed'
       and (coalesce(l.whole_at < now() - ${WHOLE_EVERY}::interval, true)
            or exists (select from movements m where m.commerce_id = p.commerce_id and m.id > coalesce(l.last_movement, 0)))
     order by l.whole_at nulls first, c.id`.execute(db);
  return rows.map((row) => row.id);
}

/** Returns the open commerces whose whole books were not checked for a day, those first that were never checked. */
export async function findUncheckedWhole(db: Db): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`-- find-commerces-unchecked-for-a-day
    select c.id
      from ${commercesWithRows}
      left join ledger_checks l on l.commerce_id = p.commerce_id
     where c.status <> 'closed' and coalesce(l.whole_at < now() - ${WHOLE_EVERY}::interval, true)
     order by l.whole_at nulls first, c.id`.execute(db);
  return rows.map((row) => row.id);
}

const WHOLE_EVERY = '1 day';
