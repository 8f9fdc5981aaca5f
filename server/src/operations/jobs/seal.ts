import type { Database } from '#db/database.ts';
import { findUnsealed, sealLedger } from '#seals/seal-ledger.ts';
import { HeldUp, type Job, type RunOptions } from './job.ts';

/**
 * Seals what the ledger has got since the last round, behind the purchases. It changes no member. If a transaction takes too long,
 * it goes on in the next round.
 */
export const seal: Job = { due: findUnsealed, run };

async function run(
  database: Database,
  commerceId: number,
  { signal, tell }: RunOptions = {},
): Promise<number> {
  const sealed = await sealLedger(database, commerceId, { signal });
  if (sealed === null) throw new HeldUp();
  tell?.(`movements sealed: ${sealed}`);
  return 0;
}
