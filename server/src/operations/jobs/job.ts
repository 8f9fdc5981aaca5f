import type { Database } from '#db/database.ts';

/**
 * A scheduled task. A job finds what is due and does it in small transactions, each complete in itself, so it can be
 * stopped at any time, run again, and run twice at once. It only writes what every reader already takes into account,
 * or what a unique key allows once.
 */
export interface Job {
  /** Returns the open commerces where something may be due, by their own clocks. */
  readonly due: (database: Database, settings?: JobSettings) => Promise<number[]>;
  /** Does what belongs to no single commerce, in small transactions, before the commerces. */
  readonly everywhere?: (database: Database, settings?: JobSettings, signal?: AbortSignal) => Promise<void>;
  /**
   * Does what is due at a commerce. Returns how many members it changed. If it fails for a member, it still does the
   * others.
   * @throws PartlyFailed once everything else is done
   */
  readonly run: (database: Database, commerceId: number, options?: RunOptions) => Promise<number>;
}

/** The operator's settings for jobs. */
export interface JobSettings {
  /** Months after which an address whose points nobody has claimed is erased; 0 for never. */
  readonly unclaimedMonths: number;
  /** Months for which the lines of orders are kept; 0 for ever. */
  readonly orderLinesMonths: number;
}

export const DEFAULT_SETTINGS: JobSettings = { unclaimedMonths: 24, orderLinesMonths: 24 };

export interface RunOptions {
  readonly settings?: JobSettings | undefined;
  /** The number of members in one transaction. */
  readonly batch?: number;
  /** Ends the run after the current transaction. The next run continues from there. */
  readonly signal?: AbortSignal | undefined;
  /** Is told what was done at the commerce, for people, if it is something else than changing members. */
  readonly tell?: (what: string) => void;
  /** Since when the job has been failing at this commerce, by its own clock. Null if its last run succeeded. */
  readonly failingSince?: Date | null;
}

/** So small that a purchase by one of these members waits only milliseconds. */
export const BATCH = 200;

/**
 * Somebody's transaction has been open for so long that what it adds to the ledger is not decided yet. That holds for all commerces, so
 * the job ends its round, and the next one goes on.
 */
export class HeldUp extends Error {}

/** What holds a job up, in words. */
export const HELD_UP =
  'A transaction has been open for a while, and what it adds to the ledger is not decided yet.';

/** A member for whom a job failed. */
export interface Broken {
  /** Null if the job failed before it reached a member. */
  readonly memberId: number | null;
  readonly error: unknown;
}

/** A job failed for some members of a commerce, and did its work for the others. */
export class PartlyFailed extends Error {
  readonly done: number;
  readonly broken: readonly Broken[];

  constructor(done: number, broken: readonly Broken[]) {
    super(`the job failed for ${broken.length} members`);
    this.done = done;
    this.broken = broken;
  }
}
