import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Pace {
  readonly port: number;
  readonly connections: number;
  readonly perSecond: number;
  readonly seconds: number;
  /** The whole request, as it goes over the wire. */
  readonly request: () => string;
}

/**
 * Asks at a fixed rate, whether or not the answers keep up, and gives how long each took from the moment it was
 * due, in milliseconds: a call that had to wait for a free connection has waited. @throws where one is no 2xx
 */
export async function pace(options: Pace): Promise<number[]> {
  const { port, connections, perSecond, seconds, request } = options;
  const idle = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const all = [...idle];
  const waiting: number[] = [];
  const took: number[] = [];
  const total = Math.round(perSecond * seconds);
  let started = 0;

  return new Promise<number[]>((resolve, reject) => {
    const start = performance.now();
    const fail = (error: Error) => {
      clearInterval(timer);
      for (const socket of all) socket.destroy();
      reject(error);
    };
    const send = (socket: Socket, dueAt: number) => {
      let answer = '';
      const receive = (chunk: Buffer) => {
        answer += chunk.toString('latin1');
        if (!isWhole(answer)) return;
        socket.off('data', receive);
        if (!answer.startsWith('HTTP/1.1 2')) return fail(new Error(`not a 2xx: ${answer.slice(0, 300)}`));
        took.push(performance.now() - dueAt);
        if (took.length === total) {
          clearInterval(timer);
          for (const socket of all) socket.destroy();
          return resolve(took);
        }
        const next = waiting.shift();
        if (next === undefined) idle.push(socket);
        else send(socket, next);
      };
      socket.on('data', receive);
      socket.write(request());
    };
    const tick = () => {
      for (; started < total; started++) {
        const dueAt = start + (started * 1000) / perSecond;
        if (dueAt > performance.now()) break;
        // In turn: the service closes a connection that asks nothing for too long.
        const socket = idle.shift();
        if (socket === undefined) waiting.push(dueAt);
        else send(socket, dueAt);
      }
    };
    const timer = setInterval(tick, 1);
    for (const socket of all) socket.on('error', fail);
  });
}

/** A purchase as `pace` sends it. */
export function purchaseText(key: string, code: number, amount: number): string {
  const body = JSON.stringify({ client_code: code, amount });
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

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? 0);
  return answer.length >= end + 4 + length;
}
