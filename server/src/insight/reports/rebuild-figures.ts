import { transaction, type Database } from '#db/database.ts';
import { followLedger, forgetFigures, type FollowOptions } from './follow-ledger.ts';

/**
 * Counts the figures of a commerce's reports from its whole ledger again. Reports stay right meanwhile: they count by themselves
 * what is not stored. Returns how many movements it counted, or null if somebody's transaction took too long; the job does the rest.
 */
export async function rebuildFigures(
  database: Database,
  commerceId: number,
  options: Pick<FollowOptions, 'onBatch'> = {},
): Promise<number | null> {
  await transaction(database, (tx) => forgetFigures(tx, commerceId));
  return followLedger(database, commerceId, options);
}
