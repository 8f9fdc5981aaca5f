import { programField } from '#commerces/program-field.ts';
import { sql, type Db } from '#db/database.ts';

/**
 * Returns since when a commerce's program has had the reward of an event, by the commerce's own clock, or null if it
 * has none. Changing what the reward gives does not change this. Removing the reward and adding it back starts anew.
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
