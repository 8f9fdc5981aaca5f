import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '../../../bench/child.ts';

/** The resources that the service holds: memory in bytes, and open files, most of them sockets. */
export interface Held {
  readonly memory: number;
  readonly sockets: number;
}

export async function readHeld(service: Child): Promise<Held> {
  const [memory, files] = await Promise.all([
    service.memory(),
    readdir(`/proc/${service.pid}/fd`).catch(() => []),
  ]);
  return { memory, sockets: files.length };
}

/** Returns the most that the service held until `isOver`. */
export async function watchPeak(service: Child, isOver: () => boolean): Promise<Held> {
  let peak = await readHeld(service);
  while (!isOver()) {
    await sleep(500);
    peak = largerOf(peak, await readHeld(service));
  }
  return peak;
}

export function largerOf(a: Held, b: Held): Held {
  return { memory: Math.max(a.memory, b.memory), sockets: Math.max(a.sockets, b.sockets) };
}

/** A process that has just warmed up keeps some of its heap, and callers some of their connections. */
const TOLERANCE: Held = { memory: 100 * 2 ** 20, sockets: 20 };

/** Waits until the service holds about what it held before. Returns the seconds; null if it never does. */
export async function waitUntilBack(service: Child, before: Held, seconds: number): Promise<number | null> {
  const start = performance.now();
  for (;;) {
    const now = await readHeld(service);
    const spent = (performance.now() - start) / 1_000;
    const isBack =
      now.memory <= before.memory + TOLERANCE.memory && now.sockets <= before.sockets + TOLERANCE.sockets;
    if (isBack) return spent;
    if (spent >= seconds) return null;
    await sleep(1_000);
  }
}
