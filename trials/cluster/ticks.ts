/** Processor time of processes, in hundredths of a second. */
import { readFileSync } from 'node:fs';
import { childrenOf, type OwnPostgres } from '../faults/own-postgres.ts';
import type { Service } from '../faults/world.ts';

/** Returns that of a server, with those of its processes that have ended. */
export async function ticksOfServer(server: OwnPostgres): Promise<number> {
  const [postmaster] = await server.processes();
  return ticksOfFamily(postmaster!);
}

/** Returns that of a service, with all its processes. */
export function ticksOfService({ child }: Service): number {
  return ticksOfFamily(child.pid!);
}

function ticksOfFamily(parent: number): number {
  return childrenOf(parent).reduce((sum, pid) => sum + ticksOf(pid, false), ticksOf(parent, true));
}

function ticksOf(pid: number, withEnded: boolean): number {
  try {
    const fields = /\) (.*)/s
      .exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))![1]!
      .split(' ')
      .map(Number);
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15) as [number, number, number, number];
    return user + system + (withEnded ? endedUser + endedSystem : 0);
  } catch {
    // It has ended, and its parent counts it.
    return 0;
  }
}
