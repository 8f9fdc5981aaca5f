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
   * Does what is due at a commerce; gives how many members it touched. A member that it fails for keeps it from nobody
   * else.
   * @throws PartlyFailed once it has done the rest
   */
  readonly run: (database: Database, commerceId: number, options?: RunOptions) => Promise<number>;
}

export interface RunOptions {
  /** Members in one transaction. */
  readonly batch?: number;
  /** Ends the run after the transaction that is under way; the next run goes on from there. */
  readonly signal?: AbortSignal | undefined;
  /** Since when every run of the job has failed at this commerce, by its own clock; null if the last one did not. */
  readonly failingSince?: Date | null;
}

/** Small enough that a purchase of one of them waits for milliseconds. */
export const BATCH = 200;

/** A member whom a job failed for. */
export interface Broken {
  /** Null if it failed before it came to a member. */
  readonly memberId: number | null;
  readonly error: unknown;
}

/** A job failed for some members of a commerce, and did what was due to the others. */
export class PartlyFailed extends Error {
  readonly done: number;
  readonly broken: readonly Broken[];

  constructor(done: number, broken: readonly Broken[]) {
    super(`the job failed for ${broken.length} members`);
    this.done = done;
    this.broken = broken;
  }
}
