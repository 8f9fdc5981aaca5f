import { sql, type Database } from '#db/database.ts';

/** What comparing the books of a commerce with its movements found. */
export interface LedgerCheck {
  readonly commerceId: number;
  /** The last movement that was compared; null if there was none. */
  readonly lastMovement: number | null;
  readonly differences: number;
}

/** Stores the results of checks that have just been made, for monitoring. Each replaces the one before. */
export async function storeLedgerChecks(database: Database, checks: readonly LedgerCheck[]): Promise<void> {
  await sql`-- store-ledger-checks
    insert into ledger_checks (commerce_id, checked_at, last_movement, differences)
    select commerce_id, now(), last_movement, differences
      from unnest(${checks.map((check) => check.commerceId)}::bigint[],
                  ${checks.map((check) => check.lastMovement)}::bigint[],
                  ${checks.map((check) => check.differences)}::integer[]) as c(commerce_id, last_movement, differences)
        on conflict (commerce_id) do update
       set checked_at = excluded.checked_at, last_movement = excluded.last_movement, differences = excluded.differences`.execute(
    database,
  );
}
