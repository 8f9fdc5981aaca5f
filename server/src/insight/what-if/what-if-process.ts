/** Answers one what-if in a process of its own. It ends when nobody waits for the answer. */
import { openDatabase } from '#db/database.ts';
import { COMMAND_PATIENCE } from '#db/patience.ts';
import type { Asked, Told } from './ask-in-process.ts';
import { askWhatIf } from './what-if.ts';

// The process that asked decides when it ends, also where a terminal or a service manager signals both.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit());
process.once('message', (asked: Asked) => void answer(asked));

async function answer({ address, question }: Asked): Promise<void> {
  // It computes between its statements, and behind everybody else.
  const database = openDatabase({
    ...address,
    poolSize: 1,
    statementTimeoutMs: 60_000,
    patience: COMMAND_PATIENCE,
  });
  try {
    tell({ whatIf: await askWhatIf(database, question, (progress) => tell({ progress })) });
  } catch (error) {
    tell({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  } finally {
    await database.destroy();
  }
}

function tell(told: Told): void {
  process.send!(told);
}
