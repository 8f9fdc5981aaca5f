import type { Database } from '#db/database.ts';

/**
 * Something of the program that happens because time passes. A job looks for what is due and does it in small
 * transactions, each of them whole: it may be stopped anywhere, run again, and run twice at once. It writes only what
 * every reader already takes into account or what a unique key promises once.
 */
export interface Job {
  /** The open commerces where something may be due, by their own clocks. */
  readonly due: (database: Database) => Promise<number[]>;
  /** Does what is due at a commerce; gives how many members it touched. */
  readonly run: (database: Database, commerceId: number, options?: RunOptions) => Promise<number>;
}

export interface RunOptions {
  /** Members in one transaction. */
  readonly batch?: number;
  /** Ends the run after the transaction that is under way; the next run goes on from there. */
  readonly signal?: AbortSignal | undefined;
}

/** Small enough that a purchase of one of them waits for milliseconds. */
export const BATCH = 200;
