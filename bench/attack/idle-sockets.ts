import { setTimeout as sleep } from 'node:timers/promises';
import { defineAttack } from './harness/attack.ts';
import { openCaller } from './harness/caller.ts';
import { ATTACKER, OTHERS } from './harness/networks.ts';
import { countOpen, openSockets } from './harness/raw-sockets.ts';
import { sendWaves } from './harness/waves.ts';

const SOCKETS = 10_000;
const REQUEST = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';

export const idleSockets = defineAttack({
  name: 'idle-sockets',
  sentence: 'opens 10,000 connections from one address, sends one request on each and leaves them open',
  load: {
    harmless: async ({ port, isOver }) => {
      const caller = openCaller(port, { keepAlive: false });
      return sendWaves({ connections: 100, perSecond: 500, isOver }, () =>
        caller.call(ATTACKER, { path: '/healthz' }),
      );
    },
    attack: async ({ port, isOver }) => {
      const sockets = await openSockets(port, ATTACKER, SOCKETS, isOver);
      for (const socket of sockets) socket.resume().write(REQUEST);
      while (!isOver()) await sleep(20);
      return { 200: countOpen(sockets) };
    },
    onlyInFull: true,
  },
  async check({ port }) {
    const sockets = await openSockets(port, ATTACKER, 3_000, () => false);
    for (const socket of sockets) socket.resume().write(REQUEST);
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
