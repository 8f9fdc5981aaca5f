/** Serves the storefront of the example, with what it needs to know of the shop. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { ROOT } from '../../server/test/repository.ts';
import type { Seeded } from './seed.ts';

const FOLDER = join(ROOT, 'examples/shop-medusa/storefront');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** @param port 0 for any */
export async function serveStorefront(
  { adminToken: _token, ...seeded }: Seeded,
  shop: string,
  port: number,
): Promise<{ base: string; server: Server }> {
  const facts = JSON.stringify({ ...seeded, base: shop });
  const server = createServer((request, response) => {
    void sendFile(request.url ?? '/', facts).then(({ status, type, body }) =>
      response.writeHead(status, { 'content-type': type }).end(body),
    );
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function sendFile(
  url: string,
  facts: string,
): Promise<{ status: number; type: string; body: string | Buffer }> {
  const { pathname } = new URL(url, 'http://localhost');
  if (pathname === '/shop.json') return { status: 200, type: 'application/json', body: facts };
  if (pathname === '/favicon.ico') return { status: 204, type: 'image/x-icon', body: '' };
  const name = pathname === '/' ? 'index.html' : pathname.slice(1);
  const type = /^[\w-]+\.\w+$/.test(name) ? TYPES[extname(name)] : undefined;
  const file = join(FOLDER, name);
  if (type === undefined || !existsSync(file)) return { status: 404, type: 'text/plain', body: 'not found' };
  return { status: 200, type, body: await readFile(file) };
}
