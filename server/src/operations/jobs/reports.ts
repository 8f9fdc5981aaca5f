import type { Database } from '#db/database.ts';
import { findUncounted, followLedger } from '#reports/follow-ledger.ts';
import { HeldUp, type Job, type RunOptions } from './job.ts';

/**
 * Counts the figures of reports from the ledger. Reports are right whether or not it has run: they add what is not counted yet. It
 * changes no member. If a transaction takes too long, it goes on in the next round.
 */
export const reports: Job = { due: findUncounted, run };

async function run(
  database: Database,
  commerceId: number,
  { signal, tell }: RunOptions = {},
): Promise<number> {
  const counted = await followLedger(database, commerceId, { signal });
  if (counted === null) throw new HeldUp();
  tell?.(`movements counted: ${counted}`);
  return 0;
}
