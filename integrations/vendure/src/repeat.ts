/** Runs some work again and again, each time some pause after it has ended, until it is stopped. It does not keep the process alive. */
export interface Repetition {
  /** Runs the work now, or once more after the run that is going on. */
  now(): void;
  /** Stops, and waits for the run that is going on. */
  stop(): Promise<void>;
}

/** @param onError is told of work that failed. The next run comes after the pause all the same. */
export function repeat(
  work: () => Promise<unknown>,
  pauseMs: number,
  onError: (error: unknown) => void,
): Repetition {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let isAsked = false;
  let isStopped = false;
  plan(pauseMs);

  return {
    now() {
      isAsked = true;
      if (running === null) plan(0);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };

  function plan(ms: number): void {
    clearTimeout(timer);
    if (isStopped) return;
    timer = setTimeout(() => {
      running = run();
    }, ms);
    timer.unref();
  }

  async function run(): Promise<void> {
    isAsked = false;
    try {
      await work();
    } catch (error) {
      onError(error);
    }
    running = null;
    plan(isAsked ? 0 : pauseMs);
  }
}
