/** The service and the shop side by side, with databases of their own, for the stories. */
import pg from 'pg';
import { createShopClient, type ShopClient } from '../../sdk/src/index.ts';
import { startScratchServer } from '../../server/test/postgres.ts';
import { openSmtpSink, type SmtpSink } from '../../server/test/smtp-sink.ts';
import { SHOP } from './install.ts';
import { loyalty, makeService, makeShop, type Running } from './processes.ts';
import { signIn, visit, type Visitor } from './shop-api.ts';

export interface Stage {
  service: Running;
  shop: Running;
  /** The service as the shop's own server sees it: the stories check by it what the plugin has done. */
  client: ShopClient;
  commerceId: number;
  mails: SmtpSink;
  /** Runs a command of the service's command line. */
  loyalty<T>(...args: string[]): Promise<T>;
  staff(): Promise<Visitor>;
  end(): Promise<void>;
}

/** @param program the file of the program, which names the commerce by its slug */
export async function setStage(
  { program, slug, worker }: { program: string; slug: string; worker: boolean },
): Promise<Stage> {
  const postgres = await startScratchServer();
  const mails = await openSmtpSink();
  const databaseUrl = await makeDatabase(postgres.adminUrl, 'loyalty');
  const place = { databaseUrl, smtpUrl: mails.url };
  const service = await makeService(place);
  await service.start();
  const applied = await loyalty<{ commerce_id: number }>(place, ['apply', program]);
  const commerceId = applied.commerce_id;
  const scopes = 'default,undo,sign_in';
  const { key } = await loyalty<{ key: string }>(place, ['key', 'create', '--commerce', slug, '--scopes', scopes]);
  const shop = await makeShop(
    {
      DATABASE_URL: await makeDatabase(postgres.adminUrl, 'shop'),
      LOYALTY_URL: service.base,
      LOYALTY_COMMERCE: String(commerceId),
      LOYALTY_KEY: key,
      LOYALTY_WEBHOOK_SECRET: WEBHOOK_SECRET,
      LOYALTY_SWEEP_MS: '5000',
      LOG_LEVEL: process.env['SHOP_LOG'] ?? 'Error',
    },
    { worker },
  );
  await shop.start();
  return {
    service,
    shop,
    commerceId,
    mails,
    client: createShopClient({ baseUrl: service.base, apiKey: key }),
    loyalty: (...args) => loyalty(place, args),
    async staff() {
      const staff = visit(shop.base, 'admin-api');
      await signIn(staff, 'superadmin', 'superadmin');
      return staff;
    },
    async end() {
      await Promise.all([shop.kill(), service.kill()]);
      await mails.close();
      await postgres.stop();
    },
  };
}

export const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of the stories, 32 byte').toString('base64')}`;
export const PROGRAM = `${SHOP}/program.yaml`;

async function makeDatabase(adminUrl: string, name: string): Promise<string> {
  const client = new pg.Client(adminUrl);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
}
