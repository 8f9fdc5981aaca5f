import type { SocketNews } from './messages.ts';

/** Counts the open sockets of all processes, by client network and, as the network '', of all. */
export interface KeptSockets {
  changed(process: number, network: string, by: number): void;
  trimmed(network: string, count: number): void;
  /** A process has ended, and its sockets with it. */
  forget(process: number): void;
}

/** Processes need not know of each other before a network has so much of its limit. */
const WORTH_KNOWING = 1 / 2;

interface Network {
  readonly open: Map<number, number>;
  /** Whether the processes were told. */
  isTold: boolean;
  /** How many a process has been asked to close and has not answered. */
  trimming: number;
}

/**
 * Keeps the count of sockets for several processes. Each decides by itself about a new one, by its own count and what it was told of the
 * others, so a socket never waits for a message. What opened in several processes at the same moment is closed again: idle ones, in the
 * process that has most of the network. 0 means no limit.
 */
export function keepSockets(
  limits: { readonly total: number; readonly perNetwork: number },
  {
    processes,
    tell,
  }: { readonly processes: number; readonly tell: (process: number, news: SocketNews) => void },
): KeptSockets {
  const networks = new Map<string, Network>();
  const changed = new Set<string>();

  return {
    changed(process, name, by) {
      const network = networks.get(name) ?? { open: new Map<number, number>(), isTold: false, trimming: 0 };
      networks.set(name, network);
      network.open.set(process, (network.open.get(process) ?? 0) + by);
      note(name);
    },

    trimmed(name, count) {
      const network = networks.get(name);
      if (network !== undefined) network.trimming = Math.max(0, network.trimming - count);
    },

    forget(process) {
      for (const [name, { open }] of networks) if (open.delete(process)) note(name);
      // What it had been asked to close is closed.
      for (const network of networks.values()) network.trimming = 0;
    },
  };

  /** Tells the processes once for all changes of a turn of the event loop. */
  function note(name: string): void {
    changed.add(name);
    if (changed.size > 1) return;
    setImmediate(() => {
      const names = [...changed];
      changed.clear();
      tellAll(names);
    });
  }

  function tellAll(names: readonly string[]): void {
    const news = Array.from({ length: processes }, () => ({
      others: [] as [string, number][],
      trim: [] as [string, number][],
    }));
    for (const name of names) {
      const network = networks.get(name)!;
      const limit = name === '' ? limits.total : limits.perNetwork;
      const sum = network.open.values().reduce((a, b) => a + b, 0);
      const isWorth = limit > 0 && sum >= limit * WORTH_KNOWING;
      if (isWorth || network.isTold)
        for (const [at, one] of news.entries())
          one.others.push([name, isWorth ? sum - (network.open.get(at + 1) ?? 0) : 0]);
      network.isTold = isWorth;
      const surplus = limit > 0 ? sum - limit - network.trimming : 0;
      if (surplus > 0) {
        network.trimming += surplus;
        news[largestOf(network) - 1]!.trim.push([name, surplus]);
      }
      if (sum === 0) networks.delete(name);
    }
    for (const [at, one] of news.entries()) if (one.others.length + one.trim.length > 0) tell(at + 1, one);
  }
}

function largestOf({ open }: Network): number {
  return [...open].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
}
