import { commercesOf } from '../commerces-of.ts';
import { sql, type Sql } from '../database.ts';
import type { Remembering } from '../memory.ts';
import { isOnCluster } from './is-on-cluster.ts';

/**
 * Returns the condition that a cluster needs besides `commerce_id = …` of another table: it knows from no other table which machine has the
 * rows, and would ask all. Returns nothing on one server, where it would cost a little for each row.
 */
export function among(db: Remembering, alias: string, rows: readonly { readonly commerceId: number }[]): Sql {
  return isOnCluster(db)
    ? sql` and ${sql.raw(alias)}.commerce_id = any(${commercesOf(rows)}::bigint[])`
    : sql``;
}
