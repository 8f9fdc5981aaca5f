import { sql, type Sql } from '#db/sql.ts';

/**
 * The time in a column, so much earlier, to let time pass in an update. Computed in UTC: a cluster refuses an update with a function that
 * depends on the time zone of the session.
 */
export function earlier(column: string, interval: string): Sql {
  return sql`(${sql.id(column)} at time zone 'UTC' - ${interval}::interval) at time zone 'UTC'`;
}
