import { sql, type Tx } from '#db/database.ts';

/** Takes back one sale of a benefit, so that it no longer counts towards the limit. */
export async function unsellBenefit(tx: Tx, commerceId: number, benefitId: string): Promise<void> {
  await sql`-- unsell-benefit
    update benefits
       set sold = sold - 1
     where commerce_id = ${commerceId} and id = ${benefitId}`.execute(tx);
}
