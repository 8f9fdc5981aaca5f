const STEP_MS = 20;

/**
 * Lets an answer leave only at whole steps of 20 ms after its call came in, whatever became of it. What the work
 * found (a code that lives, a limit that was reached) then does not show in the time that it took.
 */
export async function steadily<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    const spent = performance.now() - startedAt;
    await new Promise((resolve) => setTimeout(resolve, STEP_MS - (spent % STEP_MS)));
  }
}
