import type { TroubleLog } from './trouble.ts';

/** The statements of a process that took long. */
export interface SlowStatements {
  readonly limitMs: number;
  note(statement: string, ms: number): void;
  /** Returns how many statements of each name took long since the process started. */
  counts(): ReadonlyMap<string, number>;
}

/** A database that is slow makes every statement slow, and a line for each would make it slower. */
const QUIET_MS = 10_000;

/** Counts slow statements, and logs them by name: one line in ten seconds for each, which says how many there were. */
export function createSlowStatements(limitMs: number, log: TroubleLog | undefined): SlowStatements {
  const counts = new Map<string, number>();
  const quiet = new Map<string, { until: number; since: number; longestMs: number }>();
  return {
    limitMs,
    note(statement, ms) {
      counts.set(statement, (counts.get(statement) ?? 0) + 1);
      const now = performance.now();
      const last = quiet.get(statement);
      if (last !== undefined && now < last.until) {
        last.since += 1;
        last.longestMs = Math.max(last.longestMs, ms);
        return;
      }
      const more =
        last === undefined || last.since === 0
          ? {}
          : { before: last.since, longestMs: Math.round(last.longestMs) };
      log?.warn({ statement, ms: Math.round(ms), ...more }, 'a statement was slow');
      quiet.set(statement, { until: now + QUIET_MS, since: 0, longestMs: 0 });
    },
    counts: () => counts,
  };
}
