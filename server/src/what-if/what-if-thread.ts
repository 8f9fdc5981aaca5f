/** Answers one what-if on a thread of its own, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '#db/database.ts';
import type { Asked, Told } from './ask-in-thread.ts';
import { askWhatIf } from './what-if.ts';

await answer(workerData as Asked);

async function answer({ address, question }: Asked): Promise<void> {
  const database = openDatabase({ ...address, poolSize: 1, statementTimeoutMs: 60_000 });
  try {
    tell({ whatIf: await askWhatIf(database, question, (progress) => tell({ progress })) });
  } catch (error) {
    tell({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  } finally {
    await database.destroy();
  }
}

function tell(told: Told): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(told);
}
