/** Resolves at the first SIGINT or SIGTERM. More may follow: npm repeats the Ctrl-C that the terminal has sent. */
export function waitForStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => resolve());
    process.on('SIGTERM', () => resolve());
  });
}

const LONGEST_START_AFTER_SIGNAL_MS = 8_000;

/**
 * Ends a start that goes on for seconds after a signal to stop, because it waits for something: the recovery of PostgreSQL, a disk, the
 * migrations of another process. It may be killed at any moment, so nothing is lost. Returns a function to call when the start is over.
 */
export function endUnlessStarted(stopping: Promise<void>): () => void {
  let isStarted = false;
  const end = () => {
    if (isStarted) return;
    process.stderr.write('Stopped before the start was complete.\n');
    process.exit(1);
  };
  void stopping.then(() => setTimeout(end, LONGEST_START_AFTER_SIGNAL_MS).unref());
  return () => void (isStarted = true);
}
