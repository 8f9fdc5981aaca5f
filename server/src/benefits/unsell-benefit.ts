import { sql, type Tx } from '#db/database.ts';

/** A benefit that was sold is given back: its place under the limit is free again. */
export async function unsellBenefit(tx: Tx, commerceId: number, benefitId: string): Promise<void> {
  await sql`-- unsell-benefit
    update benefits
       set sold = sold - 1
     where commerce_id = ${commerceId} and id = ${benefitId}`.execute(tx);
}
