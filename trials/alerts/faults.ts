/** One fault for each alert. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openDatabase, sql, transaction, type Database } from '../../server/src/platform/db/database.ts';
import { chooseUnprivilegedUser } from '../../server/src/platform/db/embedded/place.ts';
import { storeLedgerChecks } from '../../server/src/insight/books/ledger-checks.ts';
import { verifyLedger } from '../../server/src/insight/books/verify-ledger.ts';
import { createHeadSigner } from '../../server/src/insight/seals/head.ts';
import {
  publishHeads,
  startPublishingHeads,
  type PublishOptions,
} from '../../server/src/insight/seals/publish-heads.ts';
import { sealLedger } from '../../server/src/insight/seals/seal-ledger.ts';
import { createWebhook } from '../../server/src/insight/webhooks/create-webhook.ts';
import { INTERNET_ONLY } from '../../server/src/insight/webhooks/webhook-address.ts';
import { createWebhookSecrets } from '../../server/src/insight/webhooks/webhook-secret.ts';
import { ROOT } from '../../server/test/repository.ts';
import { openSmtpSink } from '../../server/test/smtp-sink.ts';
import { SECRET } from '../faults/world.ts';
import { flood, type Stage, type StageOptions } from './stage.ts';

export interface AlertFault {
  readonly alert: string;
  /** The fault, as the table says it. */
  readonly fault: string;
  readonly options?: Omit<StageOptions, 'serverUrl'>;
  /** Other alerts that the same fault sets off, with the reason. */
  readonly alongside?: Readonly<Record<string, string>>;
  /** Makes things wrong. Returns what ends it. */
  readonly begin: (stage: Stage) => Promise<(() => unknown) | void>;
}

/** Needs more than a database, so it is prepared and cleaned up around the stage. */
export type Prepared = AlertFault & { readonly cleanUp: () => Promise<void> };

export const faults: readonly AlertFault[] = [
  {
    alert: 'LoyaltyProcessDown',
    fault: 'the process is killed and not started again',
    begin: async ({ service }) => void service.child.kill('SIGKILL'),
  },
  {
    alert: 'LoyaltyGone',
    fault: 'Prometheus is told that there are no processes',
    begin: async ({ prometheus }) => prometheus.watch([]),
  },
  {
    alert: 'LoyaltyFewerThanTwo',
    fault: 'one of two processes is killed and not started again',
    alongside: { LoyaltyProcessDown: 'it is the one that is down' },
    begin: async (stage) => {
      const another = await stage.startAnother();
      while (Number((await stage.prometheus.query('sum(up)'))[0]?.value[1]) !== 2) await sleep(250);
      // The rules look back in steps of two seconds.
      await sleep(4_000);
      another.child.kill('SIGKILL');
    },
  },
  {
    alert: 'LoyaltyProcessRestarts',
    fault:
      'the process is killed three times, and starts again each time (within two hours here, because starts are not hastened)',
    options: { limits: [['[30m]', '[2h]']] },
    alongside: { LoyaltyProcessDown: 'a start of a second or two is a minute of the hastened rules' },
    begin: async (stage) => {
      for (let i = 0; i < 3; i++) {
        await stage.restart();
        await untilScraped(stage);
      }
    },
  },
  {
    alert: 'LoyaltyDatabaseUnavailable',
    fault: 'the database refuses connections',
    begin: async ({ proxy }) => {
      proxy.refuse();
      return () => proxy.answerAgain();
    },
  },
  {
    alert: 'LoyaltyErrors',
    fault: 'a table is missing, so a list is a 500',
    begin: async ({ world, service }) => {
      await sql`alter table vouchers rename to vouchers_gone`.execute(world.db);
      const { key, codes } = world.tills[0]!;
      return every(200, () =>
        fetch(`${service.base}/v1/clients/${codes[0]}/benefits`, {
          headers: { authorization: `Bearer ${key}` },
        }),
      );
    },
  },
  {
    alert: 'LoyaltyRefuses',
    fault: 'the server of one shop lists its members 800 times at once',
    alongside: { LoyaltyLimitsHit: 'the limit that refuses the calls counts them' },
    begin: async ({ world, service }) => {
      const { key } = world.tills[0]!;
      const request = `GET /v1/clients/list HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      return flood(service.base, request, 800, 1);
    },
  },
  {
    alert: 'LoyaltySlow',
    fault: 'every purchase takes 1.3 s in the database',
    options: { env: { SLOW_STATEMENT_MS: '4000' } },
    begin: async ({ world }) => slowDown(world.db, 'movements', 1.3),
  },
  {
    alert: 'LoyaltySlowStatements',
    fault: 'storing a sign-in code takes 1.3 s in the database',
    begin: async ({ world, service }) => {
      await slowDown(world.db, 'sign_in_codes', 1.3);
      return every(700, (i) =>
        askForCode(service.base, world.tills[i % 2]!.commerceId, `slow-${i}@example.com`),
      );
    },
  },
  {
    alert: 'LoyaltyPoolExhausted',
    fault: 'one connection, and each purchase holds it for 0.12 s',
    alongside: { LoyaltySlow: 'a purchase waits for the connection, too' },
    options: { env: { DATABASE_POOL_SIZE: '1' } },
    begin: async ({ world }) => slowDown(world.db, 'movements', 0.12),
  },
  {
    alert: 'LoyaltyEventLoopBusy',
    fault: 'more calls than one process can answer (durations divided by 10)',
    options: { factor: 10 },
    alongside: { LoyaltySlow: 'a purchase waits for the event loop, too' },
    begin: async ({ service }) => {
      return flood(service.base, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n', 16, 16);
    },
  },
  {
    alert: 'LoyaltyMailsWait',
    fault: 'the mail server does not answer; a sign-in code was written three minutes ago',
    begin: async ({ world, service }) => {
      await askForCode(service.base, world.tills[0]!.commerceId, 'late@example.com');
      await sql`update outbox set created_at = now() - interval '180 s'`.execute(world.db);
    },
  },
  {
    alert: 'LoyaltyWebhooksWait',
    fault: 'a delivery has been due for an hour, and somebody’s transaction holds the webhook',
    begin: async ({ world }) => {
      await addWebhook(world, 'http://127.0.0.1:9/');
      const client = new Client({ connectionString: world.url.href });
      await client.connect();
      await client.query(`
        update webhooks set next_at = now() - interval '1 hour', retry_at = now() - interval '1 hour', leased_until = null;
        commit;
        begin;
        select from webhooks for update`);
      return () => client.end();
    },
  },
  {
    alert: 'LoyaltyWebhooksFail',
    fault: 'the only webhook has an address to which the service does not send',
    begin: async ({ world }) => addWebhook(world, 'http://127.0.0.1:9/'),
  },
  {
    alert: 'LoyaltyJobLate',
    fault: 'a process has frozen in a job and holds it, since an hour ago',
    begin: async ({ world }) => {
      await untilRow(world.db, sql`select from jobs where name = 'reports' and finished_at is not null`);
      await sql`
        update jobs set leased_until = 'infinity', finished_at = now() - interval '1 hour' where name = 'reports'`.execute(
        world.db,
      );
    },
  },
  {
    alert: 'LoyaltyJobFails',
    fault: 'a job fails at every commerce, since an hour ago',
    options: {
      before: async ({ db }) =>
        void (await sql`alter table report_progress rename to progress_gone`.execute(db)),
    },
    begin: async ({ world }) => {
      await untilRow(world.db, sql`select from jobs where name = 'reports' and failing_since is not null`);
      await sql`update jobs set failing_since = now() - interval '1 hour' where name = 'reports'`.execute(
        world.db,
      );
    },
  },
  {
    alert: 'LoyaltyLedgerDiffers',
    fault: 'somebody adds points to a balance in the database, and the books are checked',
    begin: async ({ world }) => {
      const { commerceId, memberIds } = world.tills[0]!;
      await sql`
        insert into balances (commerce_id, member_id, expires_on, moving, points)
        values (${commerceId}, ${memberIds[0]}, '2999-01-01', false, 1000)`.execute(world.db);
      await checkBooks(world.db, commerceId);
    },
  },
  {
    alert: 'LoyaltyLedgerUnchecked',
    fault: 'the books were last checked three days ago',
    begin: async ({ world }) => {
      const { commerceId } = world.tills[0]!;
      await checkBooks(world.db, commerceId);
      await sql`update ledger_checks set checked_at = now() - interval '3 days'`.execute(world.db);
    },
  },
  {
    alert: 'LoyaltyHistoryRewritten',
    fault: 'somebody changes a movement that was published, and seals the history again',
    begin: async ({ world: { db, tills } }) => {
      const { commerceId } = tills[0]!;
      const folder = temporaryFolder();
      await sealLedger(db, commerceId);
      await publishHeads(publishInto(db, folder));
      await transaction(db, async (tx) => {
        await sql`set local session_replication_role = replica`.execute(tx);
        await sql`update movements set note = 'x' where commerce_id = ${commerceId}`.execute(tx);
        for (const table of ['seals', 'seal_tiles', 'seal_members', 'seal_notes', 'seal_logs'])
          await sql`delete from ${sql.id(table)} where commerce_id = ${commerceId}`.execute(tx);
      });
      await sealLedger(db, commerceId);
      await publishHeads(publishInto(db, folder)).catch(() => {}); // It says so in the log.
      return () => rmSync(folder, { recursive: true });
    },
  },
  {
    alert: 'LoyaltyHeadsFail',
    fault: 'the folder for heads cannot be written, since an hour ago',
    begin: async ({ world: { db, tills } }) => {
      await sealLedger(db, tills[0]!.commerceId);
      await startPublishingHeads(publishInto(db, '/proc/heads')).stop();
      await sql`update watched_work set failing_since = now() - interval '1 hour'`.execute(db);
    },
  },
  {
    alert: 'LoyaltyBackupFails',
    fault: 'the folder for backups cannot be written',
    begin: async ({ world }) => takeBackup(world.url, '/proc/backups'),
  },
  {
    alert: 'LoyaltyBackupOld',
    fault: 'the last backup was taken two days ago',
    begin: async ({ world }) => {
      const folder = temporaryFolder();
      takeBackup(world.url, folder);
      await sql`update watched_work set succeeded_at = now() - interval '2 days'`.execute(world.db);
      return () => rmSync(folder, { recursive: true });
    },
  },
  {
    alert: 'LoyaltyConnectionsUsedUp',
    fault: 'another program takes nine connections of ten',
    begin: async ({ world }) => {
      const { rows } = await sql<{ most: number }>`
        select 0.9 * current_setting('max_connections')::integer as most`.execute(world.db);
      const taken = Math.floor(rows[0]!.most);
      const clients = Array.from({ length: taken }, () => new Client({ connectionString: world.url.href }));
      await Promise.all(clients.map((client) => client.connect()));
      return () => Promise.all(clients.map((client) => client.end()));
    },
  },
  {
    alert: 'LoyaltyTransactionOpen',
    fault: 'a transaction is left open (the limit of two hours is four seconds here)',
    options: { limits: [['> 7200', '> 4']] },
    begin: async ({ world }) => {
      const client = new Client({ connectionString: world.url.href, application_name: 'loyalty' });
      await client.connect();
      await client.query('begin; select from members limit 1');
      return () => client.end();
    },
  },
  {
    alert: 'LoyaltyBlind',
    fault: 'a table that monitoring reads is missing (the limit of two minutes is 12 seconds here)',
    options: {
      limits: [['timestamp_seconds{job="loyalty"} > 120', 'timestamp_seconds{job="loyalty"} > 12']],
    },
    begin: async ({ world }) =>
      void (await sql`alter table ledger_checks rename to checks_gone`.execute(world.db)),
  },
  {
    alert: 'LoyaltyLimitsHit',
    fault: 'one address calls without a credential as fast as it can',
    options: { env: { RATE_LIMITS: 'on', RATE_LIMIT_KEY: '0' } },
    begin: async ({ service }) =>
      flood(service.base, 'GET /v1/public/commerce HTTP/1.1\r\nHost: a\r\nX-Commerce-Id: 1\r\n\r\n', 1, 4),
  },
];

/** @returns null if it cannot be made here */
export function prepareWrongClock(): AlertFault | null {
  const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
  if (!existsSync(library)) return null;
  return {
    alert: 'LoyaltyClockWrong',
    fault: 'the clock of the process is a minute ahead',
    options: {
      env: {
        LD_PRELOAD: library,
        FAKETIME: '+60s',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        DONT_FAKE_MONOTONIC: '1',
      },
    },
    begin: async () => {},
  };
}

/** A mail server that refuses every recipient for good. */
export async function prepareRefusingMailServer(): Promise<Prepared> {
  const sink = await openSmtpSink({
    refuse: () => Object.assign(new Error('no such mailbox'), { responseCode: 550 }),
  });
  return {
    alert: 'LoyaltyMailsFail',
    fault: 'the mail server refuses every recipient',
    options: { env: { SMTP_URL: sink.url } },
    begin: async ({ world, service }) => {
      for (let i = 0; i < 10; i++)
        await askForCode(service.base, world.tills[0]!.commerceId, `refused-${i}@example.com`);
    },
    cleanUp: () => Promise.resolve(sink.close()),
  };
}

/** @returns null if no small volume can be made here */
export async function prepareFullDisk(serverUrl: string): Promise<Prepared | null> {
  const volume = mkdtempSync(join(tmpdir(), 'loyalty-volume-'));
  if (
    process.getuid?.() !== 0 ||
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m,mode=755', 'none', volume]).status !== 0
  ) {
    rmSync(volume, { recursive: true });
    return null;
  }
  const tables = join(volume, 'tables');
  const { uid, gid } = chooseUnprivilegedUser(null);
  mkdirSync(tables);
  chownSync(tables, uid, gid);
  chmodSync(volume, 0o755);
  const admin = openDatabase({ url: serverUrl, poolSize: 1, preparedStatements: false });
  const tablespace = `small_${process.pid}`;
  await sql`create tablespace ${sql.id(tablespace)} location ${sql.raw(`'${tables}'`)}`.execute(admin);
  return {
    alert: 'LoyaltyDiskFull',
    fault: 'the volume of the tables is full',
    options: { tablespace, workers: 16 },
    begin: async () => {
      const { bavail, bsize } = statfsSync(volume);
      try {
        writeFileSync(join(volume, 'filler'), Buffer.alloc(bavail * bsize));
      } catch (error) {
        // The database has taken some of the space meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    async cleanUp() {
      await sql`drop tablespace ${sql.id(tablespace)}`.execute(admin);
      await admin.destroy();
      spawnSync('umount', [volume]);
      rmSync(volume, { recursive: true });
    },
  };
}

function takeBackup(database: URL, to: string): void {
  spawnSync(process.execPath, [join(ROOT, 'server/src/cli/loyalty.js'), 'backup', to], {
    env: { PATH: process.env['PATH'], ENV_FILE: 'off', DATABASE_URL: database.href },
  });
}

const temporaryFolder = () => mkdtempSync(join(tmpdir(), 'loyalty-alert-'));

function publishInto(db: Database, folder: string): PublishOptions {
  const log = { info: () => {}, warn: () => {}, error: () => {} } as unknown as PublishOptions['log'];
  const signer = createHeadSigner('a secret');
  return { db, log, signer, mailer: null, folders: [folder], addresses: [], everyHours: 0 };
}

async function checkBooks(db: Database, commerceId: number): Promise<void> {
  const { differences } = await verifyLedger(db, { commerceIds: [commerceId] });
  await storeLedgerChecks(db, [{ commerceId, lastMovement: null, differences: differences.length }]);
}

/** Makes every write to a table take so long. */
async function slowDown(db: Database, table: string, seconds: number): Promise<void> {
  await sql`
    create function be_slow() returns trigger language plpgsql as
      ${sql.raw(`$$ begin perform pg_sleep(${seconds}); return null; end $$`)}`.execute(db);
  await sql`
    create trigger slow after insert or update on ${sql.id(table)} for each statement execute function be_slow()`.execute(
    db,
  );
}

/** Repeats a call until the fault ends. */
function every(ms: number, call: (i: number) => Promise<unknown>): () => void {
  let i = 0;
  const timer = setInterval(() => void call(i++).catch(() => {}), ms);
  return () => clearInterval(timer);
}

function askForCode(base: string, commerceId: number, email: string): Promise<unknown> {
  return fetch(`${base}/v1/auth/otp/request`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-commerce-id': String(commerceId) },
    body: JSON.stringify({ email }),
  });
}

/** Has the events of a shop sent to an address on this machine. */
async function addWebhook({ db, tills }: Stage['world'], address: string): Promise<void> {
  const terms = { name: 'receiver', address, types: [], scopes: [] };
  const rules = { ...INTERNET_ONLY, loopback: true };
  const secrets = createWebhookSecrets([SECRET]);
  await transaction(db, (tx) => createWebhook(tx, tills[0]!.commerceId, terms, { rules, secrets }));
}

async function untilRow(db: Database, statement: ReturnType<typeof sql>): Promise<void> {
  const waitsUntil = performance.now() + 60_000;
  while ((await statement.execute(db)).rows.length === 0) {
    if (performance.now() > waitsUntil)
      throw new Error('what the fault needs did not happen within a minute');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function untilScraped({ prometheus }: Stage): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  while ((await prometheus.targets())[0] !== 'up') await new Promise((resolve) => setTimeout(resolve, 200));
}
