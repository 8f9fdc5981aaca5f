import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineAttack, type Tally } from './harness/attack.ts';
import { ATTACKER, OTHERS } from './harness/networks.ts';
import { withCaller } from './harness/purchases.ts';
import { openSockets } from './harness/raw-sockets.ts';
import { sendWaves } from './harness/waves.ts';

const SOCKETS = 300;
const REQUESTS = 30;

export const neverReading = defineAttack<string>({
  name: 'never-reading',
  sentence: 'asks for 30 large files on each of 300 sockets and never reads an answer',
  prepare: ({ port }) => findLargestFile(port),
  load: {
    harmless: ({ port, prepared: path, isOver }) =>
      withCaller(port, (caller) =>
        sendWaves({ connections: 30, perSecond: 60, isOver }, () => caller.call(ATTACKER, { path })),
      ),
    attack: async ({ port, prepared: path, isOver }) => {
      const sockets = await askAndNeverRead(port, path, SOCKETS, isOver);
      while (!isOver()) await sleep(20);
      return tallyOf(sockets);
    },
    holdsOn: true,
    onlyInFull: true,
  },
  check: async ({ port }, path) => {
    const sockets = await askAndNeverRead(port, path, 20, () => false);
    // Not more often: what arrives at the service could count as progress.
    for (const seconds of [8, 8, 14]) {
      await sleep(seconds * 1_000);
      if (await areClosed(sockets)) break;
    }
    const open = tallyOf(sockets)[0] ?? 0;
    for (const socket of sockets) socket.destroy();
    return [
      { promise: 'sockets that never read are closed', holds: open === 0, seen: `${open} of 20 were not` },
    ];
  },
});

/** Sockets that write their requests and then leave every answer in the kernel. */
async function askAndNeverRead(
  port: number,
  path: string,
  count: number,
  isOver: () => boolean,
): Promise<Socket[]> {
  const sockets = await openSockets(port, ATTACKER, count, isOver);
  for (const socket of sockets) {
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(REQUESTS));
  }
  return sockets;
}

/** A socket that does not read learns that it was closed when it writes. */
async function areClosed(sockets: readonly Socket[]): Promise<boolean> {
  for (const socket of sockets) if (!socket.destroyed) socket.write('GET / HTTP/1.1\r\n');
  await sleep(100);
  return sockets.every((socket) => socket.destroyed);
}

/** Sockets that are still open count as status 0. */
function tallyOf(sockets: readonly Socket[]): Tally {
  const open = sockets.filter((socket) => !socket.destroyed).length;
  return open === 0 ? {} : { 0: open };
}

/** The largest file that anybody may have. */
function findLargestFile(port: number): Promise<string> {
  const paths = ['/docs/static/swagger-ui-bundle.js', '/docs/static/swagger-ui.css', '/openapi.json'];
  return withCaller(port, async (caller) => {
    const found = await Promise.all(
      paths.map(async (path) => {
        const { status, text } = await caller.call(OTHERS, { path });
        return { path, length: status === 200 ? text.length : 0 };
      }),
    );
    return found.toSorted((a, b) => b.length - a.length)[0]!.path;
  });
}
