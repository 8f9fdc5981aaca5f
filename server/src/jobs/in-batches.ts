import { takeJobTurn } from '#commerces/import-turn.ts';
import { transaction, type Database, type Db } from '#db/database.ts';
import { BATCH, type RunOptions } from './job.ts';

/** What is due at a commerce, in an order in which `next` goes on after the last one that was taken. */
export interface DueInOrder<Due> {
  readonly first: Due;
  readonly next: (after: Due, limit: number) => Promise<Due[]>;
  /** Does it all, and gives how many members it touched. */
  readonly settle: (db: Db, due: readonly Due[]) => Promise<number>;
}

/**
 * Takes what is due batch by batch, each in a transaction of its own, until nothing is left, the signal says so or an
 * import has taken the turn. Gives how many members were touched.
 */
export async function inBatches<Due>(
  database: Database,
  commerceId: number,
  { first, next, settle }: DueInOrder<Due>,
  { batch = BATCH, signal }: RunOptions,
): Promise<number> {
  let touched = 0;
  for (let due = await next(first, batch); due.length > 0; due = await next(due.at(-1)!, batch)) {
    if (signal?.aborted === true) break;
    const count = await transaction(database, async (db) =>
      (await takeJobTurn(db, commerceId)) ? settle(db, due) : null,
    );
    if (count === null) break;
    touched += count;
  }
  return touched;
}
