import { sql, type Sql } from '#db/database.ts';

/**
 * Returns the id of a new commerce, for an insert. A dry run must take none from the sequence, because no rollback gives it
 * back. It uses one that no commerce has; two dry runs at once wait for each other.
 */
export function newCommerceId(isDryRun: boolean): Sql {
  return isDryRun ? sql`-1` : sql`default`;
}
