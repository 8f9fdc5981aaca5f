/** Waits for all parts of the shutdown. @throws the first error, once all parts have ended */
export async function endAll(parts: (Promise<void> | undefined)[]): Promise<void> {
  const ended = await Promise.allSettled(parts.map(inTime));
  const failed = ended.find((part) => part.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

const LONGEST_STOP_MS = 8_000;

/** Waits for a part of the shutdown, but not for ever: the database may be silent, and calls have their own limit. */
async function inTime(part: Promise<void> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, LONGEST_STOP_MS)));
  await Promise.race([part, late]).finally(() => clearTimeout(timer));
}
