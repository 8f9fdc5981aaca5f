/**
 * `npm run shop:medusa`: a service, a Medusa shop and its storefront to look at, as `examples/shop-medusa` describes. The data stays in the folder of
 * the shop. `SERVICE_PORT`, `SHOP_PORT` and `STOREFRONT_PORT` choose other ports. Ctrl-C ends all three.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbedded } from '../../server/src/platform/db/embedded/embedded.ts';
import { buildAdmin, FOLDER, hasAdmin, installShop, medusaCommand } from './install.ts';
import { medusa, startLoyalty, startMedusa } from './processes.ts';
import { ADMIN, seedShop } from './seed.ts';
import { serveStorefront } from './storefront.ts';
import { connectionOf, makeCommerce } from './world.ts';

/** What a first start decides for all later ones. */
interface Kept {
  readonly commerceId: number;
  readonly key: string;
  readonly jwtSecret: string;
  readonly cookieSecret: string;
}

const PORTS = {
  service: Number(process.env['SERVICE_PORT'] ?? 3200),
  shop: Number(process.env['SHOP_PORT'] ?? 9000),
  storefront: Number(process.env['STOREFRONT_PORT'] ?? 8000),
};
const DATA = join(FOLDER, 'data');

if (!existsSync(medusaCommand())) installShop();
if (!hasAdmin()) buildAdmin();
await mkdir(DATA, { recursive: true });
const service = await startLoyalty(join(DATA, 'service'), PORTS.service);
const postgres = await startEmbedded({ dataDir: join(DATA, 'shop'), log: () => {} });
const kept = await readKept();
const env = {
  ...connectionOf(service.base, kept.commerceId, kept.key),
  DATABASE_URL: postgres.url,
  JWT_SECRET: kept.jwtSecret,
  COOKIE_SECRET: kept.cookieSecret,
};
await medusa(env, 'db:migrate');
await medusa(env, 'user', '-e', ADMIN.email, '-p', ADMIN.password).catch(() => {});
const shop = await startMedusa(env, PORTS.shop);
const storefront = await serveStorefront(await seedShop(shop.base), shop.base, PORTS.storefront);
process.stdout.write(`
  Storefront   ${storefront.base}/
  Admin        ${shop.base}/app (${ADMIN.email}, ${ADMIN.password})
  Service      ${service.base}
  Mailbox      ${service.base}/dev/mail

`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end());

async function end(): Promise<void> {
  await Promise.all([shop.stop(), service.stop()]);
  await postgres.stop();
  process.exit(0);
}

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
