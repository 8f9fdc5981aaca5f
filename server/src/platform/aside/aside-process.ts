/** Does one task after the other in a process of its own. It ends when nobody can give it more. */
import { UnusablePicture } from '#pictures/write-anew.ts';
import { tasks, type Task } from './tasks.ts';

/** The messages to the process, and from it. */
export interface Order {
  readonly task: Task;
  readonly given: unknown;
}
/** Told first, once. */
export interface Ready {
  readonly ready: true;
}
export type Told = { readonly done: unknown } | { readonly unusable: string } | { readonly failure: string };

// The process that asked decides when it ends, also where a terminal or a service manager signals both.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit());
process.on('message', (order: Order) => void obey(order));
tell({ ready: true });

async function obey({ task, given }: Order): Promise<void> {
  try {
    tell({ done: await (tasks[task] as (value: unknown) => unknown)(given) });
  } catch (error) {
    if (error instanceof UnusablePicture) tell({ unusable: error.message });
    else tell({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function tell(told: Ready | Told): void {
  process.send!(told);
}
