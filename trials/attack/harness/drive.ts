import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Tally } from './attack.ts';
import type { Order } from './driver.ts';

/** A load that runs in a process of its own. */
export interface Driven {
  /** Ends the load and returns what it was answered. Sockets that it holds stay open. */
  end(): Promise<Tally>;
  /** Ends the process, and with it all its sockets. */
  leave(): Promise<void>;
}

export async function drive(order: Order): Promise<Driven> {
  const child = fork(new URL('./driver.ts', import.meta.url).pathname, { stdio: ['ignore', 2, 2, 'ipc'] });
  const ended = once(child, 'exit');
  await Promise.race([once(child, 'message'), ended]);
  child.send(order);
  return {
    async end() {
      const answered = once(child, 'message') as Promise<[Tally]>;
      child.send('end');
      const outcome = await Promise.race([answered, ended.then(() => null)]);
      if (outcome === null) throw new Error(`the load of ${order.name} broke off`);
      return outcome[0];
    },
    async leave() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
