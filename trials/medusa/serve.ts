/**
 * `npm run shop:medusa`: a service, a Medusa shop and its storefront to look at, as `examples/shop-medusa` describes. The data stays in the folder of
 * the shop. Ctrl-C ends all three.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { startEmbedded } from '../../server/src/platform/db/embedded/embedded.ts';
import { ROOT } from '../../server/test/repository.ts';
import { FOLDER, installShop, medusaCommand } from './install.ts';
import { medusa, startLoyalty, startMedusa } from './processes.ts';
import { ADMIN, seedShop } from './seed.ts';
import { connectionOf, makeCommerce } from './world.ts';

/** What a first start decides for all later ones. */
interface Kept {
  readonly commerceId: number;
  readonly key: string;
  readonly jwtSecret: string;
  readonly cookieSecret: string;
}

const PORTS = { service: 3100, shop: 9000, storefront: 8000 };
const DATA = join(FOLDER, 'data');
const STOREFRONT = join(ROOT, 'examples/shop-medusa/storefront');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

if (!existsSync(medusaCommand())) installShop();
await mkdir(DATA, { recursive: true });
const service = await startLoyalty(join(DATA, 'service'), PORTS.service);
const postgres = await startEmbedded({ dataDir: join(DATA, 'shop'), log: () => {} });
const kept = await readKept();
const env = {
  ...connectionOf(service.base, kept.commerceId, kept.key),
  DATABASE_URL: postgres.url,
  JWT_SECRET: kept.jwtSecret,
  COOKIE_SECRET: kept.cookieSecret,
  ADMIN: existsSync(join(FOLDER, '.medusa/server/public/admin')) ? 'on' : 'off',
};
await medusa(env, 'db:migrate');
await medusa(env, 'user', '-e', ADMIN.email, '-p', ADMIN.password).catch(() => {});
const shop = await startMedusa(env, PORTS.shop);
const { adminToken: _token, ...seeded } = await seedShop(shop.base);
const storefront = createServer((request, response) => {
  void sendFile(request.url ?? '/').then(({ status, type, body }) =>
    response.writeHead(status, { 'content-type': type }).end(body),
  );
}).listen(PORTS.storefront, '127.0.0.1');
await once(storefront, 'listening');
process.stdout.write(`
  Storefront   http://127.0.0.1:${PORTS.storefront}/
  Shop         ${shop.base} (${ADMIN.email}, ${ADMIN.password})
  Service      ${service.base}
  Mailbox      ${service.base}/dev/mail

`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void Promise.all([shop.kill(), service.kill()]).then(() => process.exit(0));
  });

async function readKept(): Promise<Kept> {
  const file = join(DATA, 'kept.json');
  if (existsSync(file)) return JSON.parse(await readFile(file, 'utf8')) as Kept;
  const made: Kept = {
    ...(await makeCommerce(join(DATA, 'service'))),
    jwtSecret: randomBytes(32).toString('hex'),
    cookieSecret: randomBytes(32).toString('hex'),
  };
  await writeFile(file, JSON.stringify(made), { mode: 0o600 });
  return made;
}

async function sendFile(url: string): Promise<{ status: number; type: string; body: string | Buffer }> {
  const { pathname } = new URL(url, 'http://localhost');
  if (pathname === '/shop.json')
    return { status: 200, type: 'application/json', body: JSON.stringify({ ...seeded, base: shop.base }) };
  const name = pathname === '/' ? 'index.html' : pathname.slice(1);
  const type = /^[\w-]+\.\w+$/.test(name) ? TYPES[extname(name)] : undefined;
  const file = join(STOREFRONT, name);
  if (type === undefined || !existsSync(file)) return { status: 404, type: 'text/plain', body: 'not found' };
  return { status: 200, type, body: await readFile(file) };
}
