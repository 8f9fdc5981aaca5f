import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineAttack } from './harness/attack.ts';
import { openCaller } from './harness/caller.ts';
import { ATTACKER, OTHERS } from './harness/networks.ts';
import { countOpen, openSockets } from './harness/raw-sockets.ts';
import { sendWaves } from './harness/waves.ts';

/** More than the service takes. */
const SOCKETS = 10_500;
const REQUEST = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';

export const idleSockets = defineAttack({
  name: 'idle-sockets',
  sentence: 'opens over 10,000 connections from one address, sends one request on each and leaves them open',
  load: {
    harmless: async ({ port, isOver }) => {
      const caller = openCaller(port, { keepAlive: false });
      return sendWaves({ connections: 100, perSecond: 500, isOver }, () =>
        caller.call(ATTACKER, { path: '/healthz' }),
      );
    },
    attack: async ({ port, isOver }) => {
      const sockets = await openIdle(port, SOCKETS, isOver);
      while (!isOver()) {
        await sleep(250);
        // Sockets that somebody else gives up, or the service closes, are taken again.
        sockets.push(...(await openIdle(port, Math.min(250, SOCKETS - countOpen(sockets)), isOver)));
      }
      return { 200: countOpen(sockets) };
    },
    onlyInFull: true,
  },
  async check({ port }) {
    const sockets = await openIdle(port, 3_000, () => false);
    await sleep(2_000);
    const open = countOpen(sockets);
    const newcomer = openCaller(port, { keepAlive: false });
    const { status } = await newcomer.call(OTHERS, { path: '/healthz' });
    for (const socket of sockets) socket.destroy();
    return [
      {
        promise: 'one network cannot keep 3,000 connections',
        holds: open < 3_000,
        seen: `${open} stayed open`,
      },
      { promise: 'somebody else still gets in', holds: status === 200, seen: `status ${status}` },
    ];
  },
});

async function openIdle(port: number, count: number, isOver: () => boolean): Promise<Socket[]> {
  const sockets = await openSockets(port, ATTACKER, count, isOver);
  for (const socket of sockets) socket.resume().write(REQUEST);
  return sockets;
}
