import type { Database } from '#db/database.ts';

/**
 * Something of the program that happens because time passes. A job looks for what is due and does it in small
 * transactions, each of them whole: it may be stopped anywhere, run again, and run twice at once. It writes only what
 * every reader already takes into account or what a unique key promises once.
 */
export interface Job {
  /** The open commerces where something may be due, by their own clocks. */
  readonly due: (database: Database) => Promise<number[]>;
  /**
   * Does what is due at a commerce and returns how many members it touched. If it fails for a member, it goes on with
   * the others.
   * @throws PartlyFailed at the end, if it failed for anyone
   */
  readonly run: (database: Database, commerceId: number, options?: RunOptions) => Promise<number>;
}

export interface RunOptions {
  /** Members in one transaction. */
  readonly batch?: number;
  /** Ends the run after the transaction that is under way; the next run goes on from there. */
  readonly signal?: AbortSignal | undefined;
  /** When the job began to fail at this commerce, by the commerce's clock; null if its last run was fine. */
  readonly failingSince?: Date | null;
}

/** Small enough that a purchase of one of them waits for milliseconds. */
export const BATCH = 200;

/** A member for whom a job failed. */
export interface Broken {
  /** Null if the job failed before it reached a member. */
  readonly memberId: number | null;
  readonly error: unknown;
}

/** A job failed for some members of a commerce and was done for the others. */
export class PartlyFailed extends Error {
  readonly done: number;
  readonly broken: readonly Broken[];

  constructor(done: number, broken: readonly Broken[]) {
    super(`the job failed for ${broken.length} members`);
    this.done = done;
    this.broken = broken;
  }
}
