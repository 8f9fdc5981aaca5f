/** The service and the shop side by side, with databases of their own, for the stories. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { createShopClient, type ShopClient } from '../../sdk/src/index.ts';
import { startScratchServer } from '../../server/test/postgres.ts';
import { openSmtpSink } from '../../server/test/smtp-sink.ts';
import { SHOP } from './install.ts';
import { loyalty, makeService, makeShop, type Running, type ServicePlace } from './processes.ts';
import { signIn, visit, type Visitor } from './shop-api.ts';

export interface Stage {
  service: Running;
  shop: Running;
  /** The service as the shop's own server sees it: the stories check by it what the plugin has done. */
  client: ShopClient;
  /** The commerce of the sales channel `outlet`. */
  outlet: ShopClient;
  staff(): Promise<Visitor>;
  /** Waits for a mail with a sign-in code to this address, and returns the code. */
  mailedCode(email: string): Promise<string>;
  end(): Promise<void>;
}

export interface Play {
  /** The file of the program. */
  program: string;
  /** The name of its commerce. */
  slug: string;
}

/** Starts everything. Whatever was started is ended if the rest cannot start. */
export async function setStage(play: Play): Promise<Stage> {
  const ends: (() => Promise<unknown>)[] = [];
  const end = async () => {
    for (const one of ends.toReversed()) await one();
  };
  try {
    return { ...(await build(play, (one) => ends.push(one))), end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function build(
  { program, slug }: Play,
  atEnd: (end: () => Promise<unknown>) => void,
): Promise<Omit<Stage, 'end'>> {
  const postgres = await startScratchServer();
  atEnd(() => postgres.stop());
  const mails = await openSmtpSink();
  atEnd(() => mails.close());
  const place = { databaseUrl: await makeDatabase(postgres.adminUrl, 'loyalty'), smtpUrl: mails.url };
  const service = await makeService(place);
  atEnd(() => service.kill());
  await service.start();
  const main = await makeCommerce(place, { program, slug });
  const outlet = await makeCommerce(place, OUTLET);
  const shop = await makeShop({
    DATABASE_URL: await makeDatabase(postgres.adminUrl, 'shop'),
    LOYALTY_URL: service.base,
    LOYALTY_COMMERCE: String(main.commerceId),
    LOYALTY_KEY: main.apiKey,
    LOYALTY_CHANNELS: JSON.stringify({ outlet }),
    LOYALTY_WEBHOOK_SECRET: WEBHOOK_SECRET,
    LOYALTY_SWEEP_MS: '15000',
    LOG_LEVEL: process.env['SHOP_LOG'] ?? 'Error',
  });
  atEnd(() => shop.kill());
  await shop.start();
  return {
    service,
    shop,
    client: createShopClient({ baseUrl: service.base, apiKey: main.apiKey }),
    outlet: createShopClient({ baseUrl: service.base, apiKey: outlet.apiKey }),
    async mailedCode(email) {
      for (;;) {
        const mail = mails.received.findLast(({ to }) => to.includes(email));
        // Lines of a mail are broken anywhere.
        const code = /\b\d{6}\b/.exec(mail?.raw.replaceAll('=\r\n', '') ?? '');
        if (code !== null) return code[0];
        await sleep(50);
      }
    },
    async staff() {
      const staff = visit(shop.base, 'admin-api');
      await signIn(staff, 'superadmin', 'superadmin');
      return staff;
    },
  };
}

export const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of the stories, 32 byte').toString('base64')}`;
export const PROGRAM = `${SHOP}/program.yaml`;
export const STORIES = fileURLToPath(new URL('stories.yaml', import.meta.url));
const OUTLET: Play = { program: fileURLToPath(new URL('outlet.yaml', import.meta.url)), slug: 'outlet' };

async function makeCommerce(
  place: ServicePlace,
  { program, slug }: Play,
): Promise<{ commerceId: number; apiKey: string }> {
  const { commerce_id: commerceId } = await loyalty<{ commerce_id: number }>(place, ['apply', program]);
  const keyed = ['key', 'create', '--commerce', slug, '--scopes', 'default,undo,sign_in'];
  return { commerceId, apiKey: (await loyalty<{ key: string }>(place, keyed)).key };
}

async function makeDatabase(adminUrl: string, name: string): Promise<string> {
  const client = new Client(adminUrl);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
}
