import { describeUnavailable, isBusy, isDatabaseAway, isDiskFull } from './database-errors.ts';

/** The part of a log that this needs. */
export interface TroubleLog {
  warn(fields: object, message: string): void;
}

/** A process's knowledge of the failures of its database. */
export interface Trouble {
  /**
   * Notes an error of the database. Returns false if the database is not to blame, so the caller must log the error.
   * @param calls number of calls that were refused because of it
   */
  note(error: unknown, calls?: number): boolean;
  counts(): TroubleCounts;
  /** Returns true if a statement has failed for want of disk space since the last successful check. */
  wasDiskFull(): boolean;
  stop(): void;
}

export interface TroubleCounts {
  /** Whether calls are being refused at the moment. */
  readonly unavailable: boolean;
  readonly outages: number;
  readonly refusedCalls: number;
}

export interface TroubleOptions {
  readonly log?: TroubleLog | undefined;
  /** Resolves if the database can be written to. */
  readonly check: () => Promise<void>;
  readonly checkEveryMs?: number;
}

interface Episode {
  readonly kind: 'away' | 'busy';
  readonly since: number;
  lastAt: number;
  calls: number;
  errors: number;
}

const MESSAGES = {
  away: ['the database is not available', 'the database is available again'],
  busy: ['the database is too slow: calls are refused', 'the database is fast enough again'],
} as const;

/** After so much time without an error, an outage is over if the check succeeds. */
const QUIET_MS = 1_000;

/**
 * Logs one line when an outage begins and one when it ends, with its length and the number of calls it cost. A log with
 * a stack trace for each refused call would fill the disk and say nothing more.
 */
export function createTrouble({ log, check, checkEveryMs = 500 }: TroubleOptions): Trouble {
  const episodes = new Map<Episode['kind'], Episode>();
  let outages = 0;
  let refusedCalls = 0;
  let diskFull = false;
  let checking: NodeJS.Timeout | undefined;

  return {
    note(error, calls = 0) {
      if (!isDatabaseAway(error)) return false;
      // During an outage, connections that wait for the server keep the pool full.
      const kind = isBusy(error) && !episodes.has('away') ? 'busy' : 'away';
      const episode = episodes.get(kind) ?? begin(kind, error);
      episode.lastAt = performance.now();
      episode.calls += calls;
      episode.errors += 1;
      refusedCalls += calls;
      if (isDiskFull(error)) diskFull = true;
      return true;
    },
    counts: () => ({ unavailable: episodes.size > 0, outages, refusedCalls }),
    wasDiskFull: () => diskFull,
    stop: () => clearTimeout(checking),
  };

  function begin(kind: Episode['kind'], error: unknown): Episode {
    const now = performance.now();
    const episode = { kind, since: now, lastAt: now, calls: 0, errors: 0 };
    episodes.set(kind, episode);
    outages += 1;
    log?.warn(describeUnavailable(error), MESSAGES[kind][0]);
    if (episodes.size === 1) checkSoon();
    return episode;
  }

  function checkSoon(): void {
    checking = setTimeout(() => void checkAll(), checkEveryMs);
    checking.unref();
  }

  async function checkAll(): Promise<void> {
    const quiet = [...episodes.values()].filter(({ lastAt }) => performance.now() - lastAt >= QUIET_MS);
    if (quiet.length > 0 && (await isWell())) for (const episode of quiet) end(episode);
    if (episodes.size > 0) checkSoon();
  }

  async function isWell(): Promise<boolean> {
    try {
      await check();
      diskFull = false;
      return true;
    } catch {
      return false;
    }
  }

  function end(episode: Episode): void {
    const { kind, since, lastAt, calls, errors } = episode;
    episodes.delete(kind);
    const seconds = Math.round((performance.now() - since) / 100) / 10;
    log?.warn(
      {
        seconds,
        lastErrorAfterSeconds: Math.round((lastAt - since) / 100) / 10,
        refusedCalls: calls,
        errors,
      },
      MESSAGES[kind][1],
    );
  }
}
