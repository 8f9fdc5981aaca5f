import type { Day } from '#calendar/calendar.ts';
import { takeJobTurn } from '#commerces/import-turn.ts';
import { transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { lockMembers } from '#members/lock-members.ts';
import type { Member } from '#members/member.ts';
import { inBatches } from './in-batches.ts';
import type { RunOptions } from './job.ts';

/** A lot of points or a tier period of a member that has ended. */
export interface Ended {
  readonly expiresOn: Day;
  readonly memberId: number;
}

/** Returns what has ended at a commerce, in order of day and member, after the given item. */
export type NextEnded = (db: Db, commerceId: number, after: Ended, limit: number) => Promise<Ended[]>;

/** Settles everything of these members, who are locked. Returns how many it changed. */
export type SettleMembers = (tx: Tx, commerceId: number, members: readonly Member[]) => Promise<number>;

/**
 * Settles what has ended at a commerce until nothing is left, the signal aborts or an import starts. Returns how many
 * members were changed.
 * @throws PartlyFailed once everything else is done
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
