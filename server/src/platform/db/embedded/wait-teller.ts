/** Takes what a start is waiting for, as often as one likes. The reason is asked for only if it is told. */
export type WaitTeller = (reason: () => string | Promise<string>) => void;

/** A start that takes longer has something to wait for. */
const QUIET_MS = 3_000;
const AGAIN_MS = 30_000;

/**
 * Returns a function that says what the start of PostgreSQL waits for: after some seconds, and then twice a minute. `now` is a clock in
 * milliseconds.
 */
export function createWaitTeller(
  log: (sentence: string) => void,
  now: () => number = () => performance.now(),
): WaitTeller {
  const began = now();
  let next = began + QUIET_MS;
  return (reason) => {
    if (now() < next) return;
    next = now() + AGAIN_MS;
    const seconds = Math.round((now() - began) / 1000);
    void Promise.resolve(reason()).then((told) =>
      log(`PostgreSQL is not ready after ${seconds} s: ${told}.`),
    );
  };
}
