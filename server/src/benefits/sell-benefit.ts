import { sql, type Db } from '#db/database.ts';
import type { Benefit } from './benefit.ts';

/**
 * Takes one of what is left of a benefit, for an exchange that was decided on `benefit`. False where none is
 * left or where the program has changed it since: what is sold is always what was decided on.
 */
export async function sellBenefit(db: Db, commerceId: number, benefit: Benefit): Promise<boolean> {
  const { rows } = await sql`-- sell-benefit
    update benefits
       set sold = sold + 1
     where commerce_id = ${commerceId} and id = ${benefit.id}
       and version = ${benefit.version}
       and (buy_limit = 0 or sold < buy_limit)
    returning 1`.execute(db);
  return rows.length === 1;
}
