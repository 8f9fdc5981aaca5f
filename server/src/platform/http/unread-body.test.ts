import assert from 'node:assert/strict';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { testDatabase } from '#test/database.ts';
import { SECRET } from '#test/harness.ts';
import { buildApp } from '../../app.ts';

test('a caller who is still sending gets the whole answer before the connection closes', async (t) => {
  const app = await buildApp({ db: await testDatabase(), log: false, secret: SECRET, accessLog: 'none' });
  t.after(() => app.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const json = 'Host: x\r\nConnection: close\r\nContent-Type: application/json\r\n';
  const calls: [call: string, bytes: number, status: number][] = [
    ['GET /admin/openapi.json', 500_000, 200],
    ['GET /nothing-here', 500_000, 404],
    ['POST /v1/auth/otp/request', 500_000, 413],
    ['POST /v1/consumptions/client-code', 500_000, 401],
    ['GET /admin/openapi.json', 0, 200],
  ];
  for (const [call, bytes, status] of calls) {
    const { head, body } = await send(
      port,
      `${call} HTTP/1.1\r\n${json}Content-Length: ${bytes}\r\n\r\n`,
      bytes,
    );
    assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `), call);
    assert.equal(body.length, Number(/^content-length: (\d+)$/im.exec(head)?.[1]), call);
  }
});

test('a caller who never finishes sending is answered all the same', async (t) => {
  const app = await buildApp({ db: await testDatabase(), log: false, secret: SECRET, accessLog: 'none' });
  t.after(() => app.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const started =
    'POST /v1/auth/otp/request HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 500000\r\n\r\n';
  const { head } = await send(port, started, 1);
  assert.match(head, /^HTTP\/1\.1 413 /);
});

/** Sends a head and that many bytes, reads nothing meanwhile, and returns the answer. */
async function send(port: number, start: string, bytes: number): Promise<{ head: string; body: Buffer }> {
  const socket = connect(port, '127.0.0.1').on('error', () => socket.destroy());
  const closed = new Promise<void>((resolve) => void socket.on('close', () => resolve()));
  socket.pause();
  socket.write(start);
  const piece = Buffer.alloc(10_000, '[');
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += piece.length) {
    socket.write(piece.subarray(0, bytes - sent));
    await sleep(2);
  }
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
  await closed;
  const answer = Buffer.concat(chunks);
  const end = answer.indexOf('\r\n\r\n');
  return { head: answer.subarray(0, end).toString('latin1'), body: answer.subarray(end + 4) };
}
