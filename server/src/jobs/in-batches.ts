import type { Day } from '#calendar/calendar.ts';
import { takeJobTurn } from '#commerces/import-turn.ts';
import { transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { lockMembers } from '#members/lock-members.ts';
import type { Member } from '#members/member.ts';
import { BATCH, type RunOptions } from './job.ts';

/** Something of a member that has ended. */
export interface Ended {
  readonly expiresOn: Day;
  readonly memberId: number;
}

/** What has ended at a commerce, by day and member, after the one that is given. */
export type NextEnded = (db: Db, commerceId: number, after: Ended, limit: number) => Promise<Ended[]>;

/** Settles everything of these members, who are locked; gives how many it touched. */
export type Settle = (tx: Tx, commerceId: number, members: readonly Member[]) => Promise<number>;

/**
 * Settles what has ended batch by batch, each in a transaction of its own, until nothing is left, the signal says so or
 * an import has taken the turn. Gives how many members were touched.
 */
export async function inBatches(
  database: Database,
  commerceId: number,
  { next, settle }: { next: NextEnded; settle: Settle },
  { batch = BATCH, signal }: RunOptions = {},
): Promise<number> {
  let touched = 0;
  let after: Ended = { expiresOn: '-infinity', memberId: 0 };
  for (;;) {
    if (signal?.aborted === true) return touched;
    const ended = await next(database, commerceId, after, batch);
    if (ended.length === 0) return touched;
    const ids = [...new Set(ended.map(({ memberId }) => memberId))];
    const count = await transaction(database, async (tx) => {
      if (!(await takeJobTurn(tx, commerceId))) return null;
      const members = await lockMembers(
        tx,
        ids.map((id) => ({ commerceId, id })),
      );
      return settle(tx, commerceId, members);
    });
    if (count === null) return touched;
    touched += count;
    after = ended.at(-1)!;
  }
}
