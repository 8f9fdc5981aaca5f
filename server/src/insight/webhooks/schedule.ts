const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** How long an event waits after each attempt that failed, as the specification suggests: 75 hours in all. */
const WAITS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** An endpoint that has taken nothing for so long is switched off. */
export const DAYS_OF_FAILING = 5;

const LONGEST_PAUSE_MS = 5 * MINUTE;

/** Returns how long an event waits after so many attempts; null if it is given up. */
export function waitAfter(attempts: number): number | null {
  return WAITS_MS[attempts - 1] ?? null;
}

/**
 * Returns how long an endpoint is left alone after so many turns in which it took nothing: 5 s at first, 5 minutes in the end. After that
 * it gets a single delivery, to see whether it is back.
 */
export function pauseAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(5 * SECOND * 2 ** Math.min(failures - 1, 10), LONGEST_PAUSE_MS);
}
