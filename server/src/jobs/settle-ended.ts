import type { Day } from '#calendar/calendar.ts';
import { takeJobTurn } from '#commerces/import-turn.ts';
import { transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { lockMembers } from '#members/lock-members.ts';
import type { Member } from '#members/member.ts';
import { inBatches } from './in-batches.ts';
import type { RunOptions } from './job.ts';

/** Something of a member that has ended. */
export interface Ended {
  readonly expiresOn: Day;
  readonly memberId: number;
}

/** Returns what has ended at a commerce, by day and member, after the given one. */
export type NextEnded = (db: Db, commerceId: number, after: Ended, limit: number) => Promise<Ended[]>;

/** Settles everything that has ended for these locked members. Returns how many it touched. */
export type SettleMembers = (tx: Tx, commerceId: number, members: readonly Member[]) => Promise<number>;

/**
 * Settles everything that has ended at a commerce, until nothing is left, the signal ends the run or an import takes
 * its turn. Returns how many members it touched.
 * @throws PartlyFailed at the end, if it failed for anyone
 */
export function settleEnded(
  database: Database,
  commerceId: number,
  { next, settle }: { next: NextEnded; settle: SettleMembers },
  options: RunOptions = {},
): Promise<number> {
  return inBatches(
    (after: Ended = { expiresOn: '-infinity', memberId: 0 }, limit) =>
      next(database, commerceId, after, limit),
    (ended) => {
      const ids = [...new Set(ended.map(({ memberId }) => memberId))];
      return transaction(database, async (tx) => {
        if (!(await takeJobTurn(tx, commerceId))) return null;
        const members = await lockMembers(
          tx,
          ids.map((id) => ({ commerceId, id })),
        );
        return settle(tx, commerceId, members);
      });
    },
    options,
  );
}
