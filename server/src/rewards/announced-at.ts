import { programField } from '#commerces/program-field.ts';
import { sql, type Db } from '#db/database.ts';

/**
 * Returns when the reward of an event entered a commerce's program, by the commerce's clock; null if the program has
 * none. A reward that changes what it hands out keeps its date. One that leaves the program and comes back gets a new
 * one.
 */
export async function announcedAt(
  db: Db,
  commerceId: number,
  event: 'birthday' | 'monthly_top',
): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`-- reward-announced-at
    select min(p.in_force_at) as at
      from programs p
     where p.commerce_id = ${commerceId}
       and p.version > (select coalesce(max(p.version), 0)
                          from programs p
                         where p.commerce_id = ${commerceId}
                           and ${programField('rewards', event)} = 'null')`.execute(db);
  return rows[0]!.at;
}
