/**
 * Measures webhooks: `npm run webhooks -w trials [-- --seconds N --backlog N]`. 50 healthy receivers alone, then beside 50 sick ones, then a
 * backlog of one receiver. Prints how long it takes from the commit of an event to its receipt, and how many events a second a backlog
 * drains by. Receivers and sender are processes of their own.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { applyProgram } from '../../server/src/loyalty/apply/apply-program.ts';
import { sql, transaction, type Database } from '../../server/src/platform/db/database.ts';
import { NOWHERE } from '../../server/src/loyalty/points/purchase-facts.ts';
import { checkProgram } from '../../server/src/program/check-program.ts';
import { recordPurchases, type PurchaseCall } from '../../server/src/loyalty/purchases/record-purchases.ts';
import { createWebhook } from '../../server/src/insight/webhooks/create-webhook.ts';
import { createWebhookSecrets } from '../../server/src/insight/webhooks/webhook-secret.ts';
import { withDatabase, withServer } from '../../bench/database.ts';
import { percentile } from '../../bench/statistics.ts';
import type { ReceiverReport } from './receivers.ts';

const SECRET = 'a key of the bench that is long enough for it';
const RULES = { ports: [443], ownHosts: [], loopback: true };
const [HEALTHY, SICK, SHOPS] = [50, 50, 10];
const KINDS = ['hangs', 'refuses', 'crawls', 'floods', 'fails'] as const;
const LONGEST_MS = 300_000;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '20' },
    backlog: { type: 'string', default: '10000' },
  },
});

await withServer((server) =>
  withDatabase(server, 'migrated', async ({ db, url }) => {
    const receivers = start('receivers.ts', {});
    const [port] = (await once(receivers, 'message')) as [number];
    const sender = start('sender.ts', { DATABASE_URL: url, SECRET_KEY: SECRET });
    try {
      const shops = await Promise.all(Array.from({ length: SHOPS }, (_, n) => makeShop(db, n)));
      for (let n = 0; n < HEALTHY; n++) await addWebhook(db, shops[n % SHOPS]!, `${port}/healthy`);
      await measure('50 healthy receivers alone', db, shops, receivers);
      for (let n = 0; n < SICK; n++) {
        const kind = KINDS[n % KINDS.length]!;
        await addWebhook(db, shops[(n >> 3) % SHOPS]!, kind === 'refuses' ? '1/' : `${port}/${kind}`);
      }
      await measure('50 healthy receivers beside 50 sick ones', db, shops, receivers);
      await measure('the same, once the sick ones are known', db, shops, receivers);
      await sql`delete from webhooks where commerce_id = any(${shops}::bigint[])`.execute(db);
      await drain(db, shops[0]!, port, receivers);
    } finally {
      sender.kill();
      receivers.kill();
      await Promise.all([once(sender, 'exit'), once(receivers, 'exit')]);
    }
  }),
);

function start(file: string, env: Record<string, string>): ChildProcess {
  return fork(new URL(file, import.meta.url), { env: { ...process.env, ...env } });
}

/** Purchases at a fixed rate over all shops. The healthy receivers of a shop get each of them. */
async function measure(
  title: string,
  db: Database,
  shops: readonly number[],
  receivers: ChildProcess,
): Promise<void> {
  await ask(receivers, 'reset');
  const [seconds, rate] = [Number(values.seconds), Number(values.rate)];
  const began = performance.now();
  for (let n = 0; n < seconds * rate; n++) {
    await pause(Math.max(0, began + (n * 1_000) / rate - performance.now()));
    await buy(db, shops[n % shops.length]!, 1);
  }
  const wanted = seconds * rate * (HEALTHY / SHOPS);
  const { ages } = await until(receivers, (report) => report.ages.length >= wanted);
  const figure = (share: number) => Math.round(percentile(ages, share));
  process.stdout.write(
    `${title}: ${ages.length} of ${wanted} received, p50 ${figure(0.5)} ms, p99 ${figure(0.99)} ms, longest ${figure(1)} ms\n`,
  );
}

/** Events that have gathered before the receiver is there. */
async function drain(db: Database, shop: number, port: number, receivers: ChildProcess): Promise<void> {
  const backlog = Number(values.backlog);
  await addWebhook(db, shop, `${port}/healthy`);
  await sql`update webhooks set next_at = 'infinity' where commerce_id = ${shop}`.execute(db);
  for (let n = 0; n < backlog; n += 100) await buy(db, shop, 100);
  await ask(receivers, 'reset');
  const began = performance.now();
  await sql`update webhooks set next_at = now() where commerce_id = ${shop}`.execute(db);
  await until(receivers, (report) => report.ages.length >= backlog);
  const seconds = (performance.now() - began) / 1_000;
  process.stdout.write(
    `a backlog of ${backlog}: ${seconds.toFixed(1)} s, ${Math.round(backlog / seconds)} events a second\n`,
  );
}

async function until(
  receivers: ChildProcess,
  isSo: (report: ReceiverReport) => boolean,
): Promise<ReceiverReport> {
  const end = performance.now() + LONGEST_MS;
  for (;;) {
    const report = await ask(receivers, 'report');
    if (isSo(report) || performance.now() > end) return report;
    await pause(100);
  }
}

async function ask(receivers: ChildProcess, question: 'report' | 'reset'): Promise<ReceiverReport> {
  const answer = once(receivers, 'message');
  receivers.send(question);
  return ((await answer) as [ReceiverReport])[0];
}

async function makeShop(db: Database, n: number): Promise<number> {
  const checked = checkProgram({
    slug: `bench-${n}`,
    name: `Bench ${n}`,
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 1 },
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  const { commerceId } = await applyProgram(db, checked.program, { clock: checked.clock });
  await buy(db, commerceId!, 1);
  return commerceId!;
}

async function addWebhook(db: Database, commerceId: number, place: string): Promise<void> {
  const secrets = createWebhookSecrets([SECRET]);
  // More than a shop may have, because ten shops stand for many.
  await transaction(db, (tx) =>
    createWebhook(
      tx,
      commerceId,
      { name: 'bench', address: `http://127.0.0.1:${place}`, types: [], scopes: [] },
      { rules: RULES, secrets },
    ),
  );
}

/** Purchases of one person at a shop, in one transaction. */
async function buy(db: Database, commerceId: number, count: number): Promise<void> {
  const one: PurchaseCall = {
    commerceId,
    buyer: { email: 'bench@example.com' },
    amount: 1,
    ...NOWHERE,
    invite: false,
  };
  await transaction(db, (tx) =>
    recordPurchases(
      tx,
      Array.from({ length: count }, () => one),
    ),
  );
}
