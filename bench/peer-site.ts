import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { sql, type Database } from '../server/src/db/database.ts';
import { startProgram, type Child } from './child.ts';
import { withEmptyDatabaseOn } from './database.ts';
import type { Members } from './pgbench-scripts.ts';

/** Medusa with its loyalty plugin, as a process of its own on a database of its own. */
export interface Peer {
  readonly name: string;
  readonly service: Child;
  /** As many customers as the service has members, with an account each. */
  readonly customers: number;
  /** Those whose accounts hold enough to be debited all the time. */
  readonly buyers: Members;
  /** Of an administrator: checking it takes no statement, unlike one of its keys. */
  readonly token: string;
}

const CLI = 'node_modules/@medusajs/cli/cli.js';
const ADMINISTRATOR = { email: 'bench@example.com', password: randomBytes(12).toString('hex') };

/** Runs `work` with the peer that is installed there as `bench/peer/README.md` tells. */
export async function withPeer<T>(
  serverUrl: string,
  installedIn: string,
  { customers, buyers }: Pick<Peer, 'customers' | 'buyers'>,
  work: (peer: Peer) => Promise<T>,
): Promise<T> {
  const folder = resolve(installedIn);
  return withEmptyDatabaseOn(serverUrl, async ({ db, url }) => {
    const env = inProduction(url);
    await run(folder, ['db:migrate'], env);
    await run(folder, ['user', '-e', ADMINISTRATOR.email, '-p', ADMINISTRATOR.password], env);
    await openAccounts(db, customers, buyers);
    const args = ['start', '--host', '127.0.0.1', '--types', 'false'];
    const service = await startProgram({ file: join(folder, CLI), args, folder, path: '/health' }, env);
    try {
      const token = await logIn(service);
      return await work({ name: await nameOf(folder), service, customers, buyers, token });
    } finally {
      await service.stop();
    }
  });
}

/** The account of a customer; random ones would have to be looked up before each call. */
export const ACCOUNT = 'sc_acc_bench';

function inProduction(databaseUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    JWT_SECRET: randomBytes(32).toString('hex'),
    COOKIE_SECRET: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'error',
    // Of the number of its listeners, with every load.
    NODE_NO_WARNINGS: '1',
    MEDUSA_DISABLE_TELEMETRY: 'true',
  };
}

async function run(folder: string, args: readonly string[], env: Record<string, string>): Promise<void> {
  const { PATH = '', HOME = '' } = process.env;
  await promisify(execFile)(process.execPath, [join(folder, CLI), ...args], {
    cwd: folder,
    env: { PATH, HOME, ...env },
    maxBuffer: 64 * 2 ** 20,
  });
}

/** Ten credits in each account, as each member has ten purchases; it sums them up for every balance. */
async function openAccounts(db: Database, customers: number, { first, step, count }: Members): Promise<void> {
  await sql`
    insert into customer (id, email, has_account)
    select 'cus_bench' || n, 'member' || n || '@example.com', true
      from generate_series(1, ${customers}::int) as n`.execute(db);
  await sql`
    insert into store_credit_account (id, code, currency_code, customer_id)
    select ${ACCOUNT} || n, 'SC-' || n, 'eur', 'cus_bench' || n
      from generate_series(1, ${customers}::int) as n`.execute(db);
  await sql`
    insert into store_credit_account_transaction (id, type, amount, raw_amount, reference, reference_id, account_id)
    select 'sc_trx_bench' || g.n, 'credit', g.points, jsonb_build_object('value', g.points::text, 'precision', 20),
           'order', 'order_bench' || g.n, ${ACCOUNT} || g.customer
      from (select n, 1 + n * 31 % 200 as points, 1 + n * 7919 % ${customers}::int8 as customer
              from generate_series(1, 10 * ${customers}::int8) as n
            union all
            select -n, 900000000, ${first}::int8 + ${step}::int8 * (n - 1)
              from generate_series(1, ${count}::int8) as n) as g`.execute(db);
  await sql`vacuum (analyze)`.execute(db);
}

async function logIn({ port }: Child): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/auth/user/emailpass`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMINISTRATOR),
  });
  if (!answer.ok) throw new Error(`the peer lets nobody in: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { token: string }).token;
}

async function nameOf(folder: string): Promise<string> {
  const version = async (of: string) => {
    const manifest = await readFile(join(folder, 'node_modules/@medusajs', of, 'package.json'), 'utf8');
    return (JSON.parse(manifest) as { version: string }).version;
  };
  return `Medusa ${await version('medusa')} with its loyalty plugin ${await version('loyalty-plugin')}`;
}
