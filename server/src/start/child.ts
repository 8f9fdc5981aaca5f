import { closeSync, openSync } from 'node:fs';
import { describeFailure } from './describe-failure.ts';
import { send } from './fork-part.ts';
import type { Begin, FromChild, ToChild } from './messages.ts';
import { readServiceConfig } from '#settings/config.ts';
import { serveBeside } from './serve-beside.ts';

/** Runs one of several processes that serve on one port, under a supervisor. */
export async function main(): Promise<void> {
  const tell = (message: FromChild) => send(process, message);
  // The supervisor decides when a process ends, also where a service manager signals all of them.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.on('SIGHUP', () => tell({ restart: true }));
  const files = watchFiles(() => tell({ restart: true }));
  setInterval(() => {
    tell({ alive: true });
    files.look();
  }, 1_000).unref();
  try {
    const config = readServiceConfig(process.env);
    const { begin, process: number } = await beginning();
    await serveBeside(config, begin, { number, tell });
  } catch (error) {
    tell({ failed: describeFailure(error) });
    process.exitCode = 1;
  }
  if (process.connected) process.disconnect?.();
}

/**
 * Looks whether this process can still open a file. One that cannot takes new connections from the others and breaks them off, faster than
 * they could answer, so it must not go on.
 */
function watchFiles(onNone: () => void): { look(): void } {
  let seconds = 0;
  return {
    look() {
      try {
        closeSync(openSync('/dev/null', 'r'));
        seconds = 0;
      } catch (error) {
        // It is said once: the restart that follows may take a while.
        if ((error as NodeJS.ErrnoException).code === 'EMFILE' && ++seconds === 2) onNone();
      }
    },
  };
}

/** Waits for the word to begin. Without a supervisor there is nothing to do. */
function beginning(): Promise<{ begin: Begin; process: number }> {
  return new Promise((resolve) => {
    const end = () => process.exit(1);
    process.once('disconnect', end);
    process.once('message', (message: ToChild) => {
      process.off('disconnect', end);
      if ('begin' in message) resolve(message);
    });
  });
}
