import { once } from 'node:events';
import { connect } from 'node:net';
import type { App } from '#http/server.ts';

/** Sends raw bytes to a listening server and returns the whole response as text. */
export async function rawCall(app: App, bytes: string | Buffer): Promise<string> {
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server is not listening');
  const socket = connect(address.port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  socket.on('error', () => socket.destroy());
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}
