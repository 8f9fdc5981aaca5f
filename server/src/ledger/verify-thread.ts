/** Verifies one part after another on a thread of its own, with a connection of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase, type DatabaseAddress } from '#db/database.ts';
import type { Part, VerifiedPart } from './verify-part.ts';
import { verifyPart } from './verify-part.ts';

/** What the thread tells. */
export type Told =
  | { readonly movements: number }
  | { readonly verified: VerifiedPart }
  | { readonly failure: string };

const database = openDatabase({
  ...(workerData as DatabaseAddress),
  poolSize: 1,
  statementTimeoutMs: 0,
});

parentPort!.on('message', (part: Part | null) => {
  if (part === null) void database.destroy().then(() => parentPort!.close());
  else void verify(part);
});

async function verify(part: Part): Promise<void> {
  try {
    tell({ verified: await verifyPart(database, part, (movements) => tell({ movements })) });
  } catch (error) {
    tell({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function tell(told: Told): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort!.postMessage(told);
}
