/** Verifies one part after another in a process of its own, with a connection of its own, in a snapshot that others read too. */
import { openDatabase, transaction, type Database, type DatabaseAddress } from '#db/database.ts';
import { verifyPart, type Part, type VerifiedPart } from './verify-part.ts';

/** The first message to the process. Parts follow. Parts follow. It ends when nobody can tell it more. */
export interface Orders {
  readonly address: DatabaseAddress;
  readonly snapshot: string;
}

/** The messages of the process. */
export type Told =
  | { readonly movements: number }
  | { readonly verified: VerifiedPart }
  | { readonly failure: string };

// The process that asked decides when it ends, also where a terminal or a service manager signals both.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit());

process.once('message', ({ address, snapshot }: Orders) => {
  const database = openDatabase({ ...address, poolSize: 1, statementTimeoutMs: 0 });
  process.on('message', (part: Part) => void verify(database, snapshot, part));
});

async function verify(database: Database, snapshot: string, part: Part): Promise<void> {
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
  process.send!(told);
}
