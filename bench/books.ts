import { sql } from '../server/src/db/database.ts';
import { verifyLedger } from '../server/src/ledger/verify-ledger.ts';
import { say } from './progress.ts';
import type { Site } from './sites.ts';

/** What was found in the books of all sites. */
export interface Books {
  readonly movements: number;
  readonly exchanges: number;
  readonly doubleCharges: number;
}

/** @throws where the books do not agree, or a key bought twice */
export async function checkBooks(sites: readonly Site[]): Promise<Books> {
  let [movements, exchanges, doubleCharges] = [0, 0, 0];
  for (const { db, loaded } of sites) {
    const members = loaded.members.toLocaleString('en');
    // A small site has many times the rows by now that its statistics know of.
    await sql`analyze`.execute(db);
    const verified = await verifyLedger(db, {
      onCommerce: (slug, place, of) => {
        if (place % 10 === 0) say(`Checking the books of ${members} members, ${slug} of ${of}.`);
      },
    });
    const [difference] = verified.differences;
    if (difference !== undefined) throw new Error(`the books do not agree: ${JSON.stringify(difference)}`);
    movements += verified.movements;
    const { rows } = await sql<{ bought: number; keys: number }>`
      select (select count(*) from vouchers where source = 'exchange') as bought,
             (select count(*) from idempotency_keys where operation like 'exchange/%' and result is not null) as keys`.execute(
      db,
    );
    exchanges += rows[0]!.bought;
    doubleCharges += rows[0]!.bought - rows[0]!.keys;
  }
  if (doubleCharges !== 0) throw new Error(`${doubleCharges} exchanges more than keys`);
  return { movements, exchanges, doubleCharges };
}
