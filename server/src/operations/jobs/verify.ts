import type { Database } from '#db/database.ts';
import { checkSmallCommerces, followChecks } from './follow-checks.ts';
import { findUnchecked } from '#books/ledger-checks.ts';
import { HeldUp, type Job, type RunOptions } from './job.ts';

/**
 * Compares the books with the movements that came since the last check, and the whole books once a day. It changes no member; what it
 * finds is in `ledger_checks`, for monitoring. If a transaction takes too long, it goes on in the next round.
 */
export const verify: Job = {
  everywhere: (database, _settings, signal) => checkSmallCommerces(database, signal),
  due: findUnchecked,
  run,
};

async function run(
  database: Database,
  commerceId: number,
  { signal, tell }: RunOptions = {},
): Promise<number> {
  const followed = await followChecks(database, commerceId, { signal });
  if (followed === null) throw new HeldUp();
  tell?.(`histories compared: ${followed.people}, differences: ${followed.differences}`);
  return 0;
}
