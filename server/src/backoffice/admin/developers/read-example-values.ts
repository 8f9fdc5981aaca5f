import { readShelves } from '#benefits/shelf-reader.ts';
import { sql, type Db } from '#db/database.ts';
import type { ExampleValues } from './example-calls.ts';

/** Returns things of a commerce to try calls with: its newest member, a benefit for sale and a code that nobody has used. */
export async function readExampleValues(db: Db, commerceId: number): Promise<ExampleValues> {
  const { rows } = await sql<Pick<ExampleValues, 'clientCode' | 'voucherCode'>>`-- read-example-values
    select (select m.code from members m
             where m.commerce_id = ${commerceId} and m.state = 'member'
             order by m.id desc limit 1) as "clientCode",
           (select v.code from vouchers v
             where v.commerce_id = ${commerceId} and v.used_at is null and v.given_back_at is null
               and (v.due_at is null or v.due_at > program_now(c.clock_offset))
             limit 1) as "voucherCode"
      from commerces c
     where c.id = ${commerceId}`.execute(db);
  const shelf = (await readShelves(db, [commerceId])).get(commerceId);
  return { commerceId, benefitId: shelf?.live.offers[0]?.id ?? null, ...rows[0]! };
}
