/** A service and a Medusa shop that are connected, on databases of their own. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../bench/database.ts';
import { createShopClient, type ShopClient } from '../../sdk/src/index.ts';
import { sql } from '../../server/src/platform/db/database.ts';
import { findFreePort } from '../../server/src/platform/db/embedded/free-port.ts';
import { startScratchServer } from '../../server/test/postgres.ts';
import { ROOT } from '../../server/test/repository.ts';
import { hasAdmin, installShop, medusaCommand } from './install.ts';
import { loyalty, medusa, startLoyalty, startMedusa, type Server } from './processes.ts';
import { ADMIN, seedShop, type Seeded } from './seed.ts';
import { createCaller, type Caller } from './shop-api.ts';

const PROGRAM = join(ROOT, 'examples/shop-medusa/club.yaml');
const SCOPES = 'default,sign_in,undo';

export interface World {
  readonly service: Server;
  readonly shop: Server;
  readonly seeded: Seeded;
  /** The service as the shop's key sees it. */
  readonly client: ShopClient;
  readonly commerceId: number;
  /** The shop as its admin sees it. */
  readonly admin: Caller;
  /** The shop as a storefront sees it, before anybody has signed in. */
  readonly store: Caller;
  /** The same with the token of a customer. */
  storeOf(token: string): Caller;
  /** How many events the shop has taken by its webhook. */
  takenEvents(): Promise<number>;
  /** The last code that was mailed to an address. */
  mailedCode(email: string): Promise<string>;
  remove(): Promise<void>;
}

/** Starts both. Installs the shop first if it is not there. */
export async function makeWorld(): Promise<World> {
  if (!existsSync(medusaCommand())) installShop();
  const dataDir = await mkdtemp(join(tmpdir(), 'loyalty-medusa-'));
  const postgres = await startScratchServer();
  const [servicePort, shopPort] = [await findFreePort(), await findFreePort()];
  const service = await startLoyalty(dataDir, servicePort);
  const { commerceId, key } = await makeCommerce(dataDir);
  const at = ['--commerce', 'shop-medusa', '--json'];
  const webhook = JSON.parse(
    await loyalty(
      dataDir,
      'webhook',
      'create',
      ...at,
      '--name',
      'shop',
      '--url',
      `http://127.0.0.1:${shopPort}/hooks/loyalty`,
    ),
  ) as { id: string; secret: string };
  const env = {
    ...connectionOf(service.base, commerceId, key),
    LOYALTY_WEBHOOK_SECRET: webhook.secret,
    DATABASE_URL: await makeDatabase(postgres.adminUrl),
    JWT_SECRET: randomBytes(32).toString('hex'),
    COOKIE_SECRET: randomBytes(32).toString('hex'),
  };
  await medusa(env, 'db:migrate');
  await medusa(env, 'user', '-e', ADMIN.email, '-p', ADMIN.password);
  const shop = await startMedusa(env, shopPort);
  const seeded = await seedShop(shop.base);
  const storeHeaders = { 'x-publishable-api-key': seeded.publishableKey };
  return {
    service,
    shop,
    seeded,
    commerceId,
    client: createShopClient({ baseUrl: service.base, apiKey: key }),
    admin: createCaller(shop.base, { authorization: `Bearer ${seeded.adminToken}` }),
    store: createCaller(shop.base, storeHeaders),
    storeOf: (token) => createCaller(shop.base, { ...storeHeaders, authorization: `Bearer ${token}` }),
    async takenEvents() {
      const state = ['--id', webhook.id, '--state', 'delivered'];
      const taken = await loyalty(dataDir, 'webhook', 'deliveries', ...at, ...state);
      return (JSON.parse(taken) as object[]).length;
    },
    async mailedCode(email) {
      const response = await fetch(`${service.base}/dev/mail.json`);
      const mails = (await response.json()) as { to: string; code?: string }[];
      return mails.find(({ to, code }) => to === email && code !== undefined)!.code!;
    },
    async remove() {
      await shop.kill();
      await service.stop();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** What the configuration of the shop reads, besides its database and its secrets. */
export function connectionOf(url: string, commerceId: number, key: string): Record<string, string> {
  return {
    NODE_ENV: 'production',
    ADMIN: hasAdmin() ? 'on' : 'off',
    LOYALTY_URL: url,
    LOYALTY_COMMERCE_ID: String(commerceId),
    LOYALTY_API_KEY: key,
    LOG_LEVEL: process.env['SHOW'] === 'on' ? 'info' : 'error',
    NODE_NO_WARNINGS: '1',
    MEDUSA_DISABLE_TELEMETRY: 'true',
  };
}

/** Makes the commerce of the example and a key for its shop. */
export async function makeCommerce(dataDir: string): Promise<{ commerceId: number; key: string }> {
  const applied = JSON.parse(await loyalty(dataDir, 'apply', PROGRAM, '--json')) as { commerce_id: number };
  const made = JSON.parse(
    await loyalty(dataDir, 'key', 'create', '--commerce', 'shop-medusa', '--scopes', SCOPES, '--json'),
  ) as { key: string };
  return { commerceId: applied.commerce_id, key: made.key };
}

async function makeDatabase(adminUrl: string): Promise<string> {
  const admin = open(adminUrl);
  try {
    await sql`create database medusa`.execute(admin);
  } finally {
    await admin.destroy();
  }
  return Object.assign(new URL(adminUrl), { pathname: '/medusa' }).href;
}
