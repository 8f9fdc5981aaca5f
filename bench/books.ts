import { sql } from '../server/src/platform/db/database.ts';
import { verifyLedger } from '../server/src/insight/books/verify-ledger.ts';
import type { Site } from './sites.ts';

/** The counts found in the books of all sites. */
export interface Books {
  readonly movements: number;
  readonly exchanges: number;
}

/** @throws if the books do not agree, or an idempotency key bought twice */
export async function checkBooks(sites: readonly Site[]): Promise<Books> {
  let [movements, exchanges, keys] = [0, 0, 0];
  for (const { db } of sites) {
    // By now a small site has many times more rows than its statistics say.
    await sql`analyze`.execute(db);
    const verified = await verifyLedger(db);
    const [difference] = verified.differences;
    if (difference !== undefined) throw new Error(`the books do not agree: ${JSON.stringify(difference)}`);
    movements += verified.movements;
    const { rows } = await sql<{ exchanges: number; keys: number }>`
      select (select count(*) from vouchers where source = 'exchange') as exchanges,
             (select count(*) from idempotency_keys where operation like 'exchange/%' and result is not null) as keys`.execute(
      db,
    );
    exchanges += rows[0]!.exchanges;
    keys += rows[0]!.keys;
  }
  if (exchanges !== keys) throw new Error(`${exchanges} exchanges for ${keys} idempotency keys`);
  return { movements, exchanges };
}
