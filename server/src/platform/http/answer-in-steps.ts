// Longer than the work takes on a busy machine, because work that often misses the first step is visible in the timing.
// With steps of 20 ms, a rank test could tell throttled addresses from others after 2,000 responses each, at load 10 on
// two processors.
const STEP_MS = 50;

/**
 * Runs `work` and returns or throws its outcome only at a multiple of 50 ms after the start. The response time then
 * does not reveal what the work found, such as a valid code or a reached limit.
 */
export async function answerInSteps<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    const spent = performance.now() - startedAt;
    await new Promise((resolve) => setTimeout(resolve, STEP_MS - (spent % STEP_MS)));
  }
}
