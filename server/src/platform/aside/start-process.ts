import { fork, type ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';

/** Calls of the main process come first. */
const NICENESS = 10;

/**
 * Starts a process that works beside the service and must not slow it: with a lower priority, a limit of its heap, and without
 * keeping the service from ending. Unlike a thread, it can be ended in the middle of foreign code and gives all its memory back.
 */
export function startProcess(
  file: URL,
  options: {
    megabytes: number;
    env?: Readonly<Record<string, string>>;
    /** True if somebody waits for its start: the caller lowers its priority once it has started. */
    startsAtOnce?: boolean;
  },
): ChildProcess {
  const { megabytes, env } = options;
  const child = fork(file, {
    // Compiled code is read from the disk, as in this process.
    execArgv: [`--max-old-space-size=${megabytes}`, '--import', START_QUICKLY],
    ...(env && { env }),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  if (options.startsAtOnce !== true) lowerPriority(child);
  return child;
}

/** Puts a process behind the main one. */
export function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // Where that is not allowed, or the process is gone, it works as well.
  }
}

const START_QUICKLY = new URL('../../base/start-quickly.js', import.meta.url).href;
