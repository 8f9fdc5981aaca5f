/** Purchases that are sent at a fixed rate, so that a slow service cannot slow down its own measurement. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { AMOUNT, anybody, codeOf, shopOf } from './load-members.ts';
import type { Site } from './sites.ts';

/** Purchases of random members. Returns the time that each took, in milliseconds. */
export function pacedPurchases(site: Site, perSecond: number, seconds: number): Promise<number[]> {
  return pace(site, { connections: 64, perSecond, seconds, nextBuyer: () => anybody(site.loaded) });
}

/** One purchase a second at each commerce but the largest. Returns the time that each took, in milliseconds. */
export function smallCommerces(site: Site, seconds: number): Promise<number[]> {
  const small = site.loaded.shops.slice(1);
  let turn = 0;
  const nextBuyer = () => {
    const { firstMember, members } = small[turn++ % small.length]!;
    return firstMember + Math.floor(Math.random() * members);
  };
  return pace(site, { connections: small.length, perSecond: small.length, seconds, nextBuyer });
}

interface Pace {
  readonly connections: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly nextBuyer: () => number;
}

/**
 * Sends purchases at that rate, whether or not the answers keep up. The time of each counts from the moment it was
 * due, so it includes the wait for a free connection. @throws if an answer is not 2xx
 */
async function pace({ service, loaded }: Site, options: Pace): Promise<number[]> {
  const { connections, perSecond, seconds, nextBuyer } = options;
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(service.port)));
  const idle = [...sockets];
  const waiting: number[] = [];
  const took: number[] = [];
  const total = Math.round(perSecond * seconds);
  const { promise, resolve, reject } = Promise.withResolvers<number[]>();
  for (const socket of sockets) socket.on('error', reject);

  const send = (socket: Socket, dueAt: number) => {
    let answer = '';
    const receive = (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (!isWhole(answer)) return;
      socket.off('data', receive);
      if (!answer.startsWith('HTTP/1.1 2')) return reject(new Error(`not a 2xx: ${answer.slice(0, 300)}`));
      took.push(performance.now() - dueAt);
      if (took.length === total) return resolve(took);
      const next = waiting.shift();
      if (next === undefined) idle.push(socket);
      else send(socket, next);
    };
    const buyer = nextBuyer();
    socket.on('data', receive);
    socket.write(purchase(shopOf(loaded, buyer).key, codeOf(buyer)));
  };

  const start = performance.now();
  let started = 0;
  const timer = setInterval(() => {
    for (; started < total; started++) {
      const dueAt = start + (started * 1000) / perSecond;
      if (dueAt > performance.now()) break;
      // Connections take turns, because the service closes one that sends nothing for too long.
      const socket = idle.shift();
      if (socket === undefined) waiting.push(dueAt);
      else send(socket, dueAt);
    }
  }, 1);
  try {
    return await promise;
  } finally {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  }
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

function purchase(key: string, code: number): string {
  const body = JSON.stringify({ client_code: code, amount: AMOUNT });
  return [
    'POST /v1/consumptions/client-code HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? 0);
  return answer.length >= end + 4 + length;
}
