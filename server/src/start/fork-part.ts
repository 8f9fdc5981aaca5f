import { fork, type ChildProcess } from 'node:child_process';

/** Starts a process that is a part of the service. It inherits these sockets, from file descriptor 4 on. */
export function forkPart(file: URL, env: NodeJS.ProcessEnv, sockets: readonly number[] = []): ChildProcess {
  return fork(file, {
    // The supervisor has read the file of settings already.
    env: { ...env, ENV_FILE: 'off' },
    // In a group of its own: a terminal sends Ctrl-C to the supervisor only, which ends its parts in order.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...sockets],
  });
}

/** Sends a message to a process. One that has gone gets nothing, and its end is noticed elsewhere. */
export function send(to: ChildProcess | NodeJS.Process, message: object): void {
  if (to.connected) to.send!(message, undefined, undefined, () => {});
}
