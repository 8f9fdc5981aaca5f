import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Opens many connections from one address, some hundred at a time. Connections that fail are closed sockets. */
export async function openSockets(
  port: number,
  from: string,
  count: number,
  isOver: () => boolean,
): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count && !isOver()) {
    for (let n = 0; n < 500 && sockets.length < count; n++) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from });
      socket.on('error', () => {});
      sockets.push(socket);
    }
    await sleep(20);
  }
  return sockets;
}

/** How many connections are still open, as far as the kernel has told us. */
export function countOpen(sockets: readonly Socket[]): number {
  return sockets.filter((socket) => !socket.destroyed && !socket.connecting && !socket.readableEnded).length;
}

/** Sends bytes on a new connection and returns the first line of the answer; empty if there is none. */
export async function firstLineOf(port: number, from: string, bytes: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => {});
  socket.setTimeout(15_000, () => socket.destroy());
  socket.write(bytes);
  const answer = once(socket, 'data').then(([chunk]) => String(chunk as Buffer));
  const closed = once(socket, 'close').then(() => '');
  const text = await Promise.race([answer.catch(() => ''), closed]);
  socket.destroy();
  return text.split('\r\n', 1)[0]!;
}
