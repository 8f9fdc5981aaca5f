import { sql, type Sql } from '#db/database.ts';

/**
 * Selects by how much a movement with this alias changed the points of its member, those that wait included. Points count where they were
 * earned or taken back, so a movement of type `available` has none to show.
 */
export function shownPoints(alias: string): Sql {
  const m = sql.raw(alias);
  return sql`case when ${m}.type = 'available' then 0
                  when ${m}.type in ('purchase', 'correction', 'reversal')
                  then ${m}.points + coalesce((${m}.snapshot -> 'waits' ->> 'points')::bigint, 0)
                                   - coalesce((${m}.snapshot ->> 'waited')::bigint, 0)
                  else ${m}.points end`;
}
