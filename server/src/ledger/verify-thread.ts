/** Verifies one part after another on a thread of its own, with a connection of its own, in a snapshot that others read too. */
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase, transaction, type DatabaseAddress } from '#db/database.ts';
import { verifyPart, type Part, type VerifiedPart } from './verify-part.ts';

/** What the thread is told, and what it tells. */
export interface Orders {
  readonly address: DatabaseAddress;
  readonly snapshot: string;
}
export type Told =
  | { readonly movements: number }
  | { readonly verified: VerifiedPart }
  | { readonly failure: string };

const { address, snapshot } = workerData as Orders;
const database = openDatabase({ ...address, poolSize: 1, statementTimeoutMs: 0 });

parentPort!.on('message', (part: Part | null) => {
  if (part === null) void database.destroy().then(() => parentPort!.close());
  else void verify(part);
});

async function verify(part: Part): Promise<void> {
  const onMovements = (movements: number) => tell({ movements });
  try {
    tell({
      verified: await transaction(database, (tx) => verifyPart(tx, part, onMovements), { snapshot }),
    });
  } catch (error) {
    tell({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function tell(told: Told): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort!.postMessage(told);
}
