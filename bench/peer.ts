/** W10: Medusa with its loyalty plugin, installed as `bench/peer/README.md` says, at the same work as the service. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { sql, type Database } from '../server/src/platform/db/database.ts';
import type { Members } from './cast.ts';
import { bareEnv, startProgram, type Child } from './child.ts';
import { withDatabase } from './database.ts';
import { COST, POINTS } from './load-members.ts';
import { measureHttp, type Measured, type Postgres } from './measure.ts';

/** The peer as a process of its own on a database of its own. */
export interface Peer {
  readonly name: string;
  readonly service: Child;
  readonly db: Database;
  /** Lua for each load. */
  readonly scripts: Readonly<Record<`Medusa, ${string}`, string>>;
}

const CLI = 'node_modules/@medusajs/cli/cli.js';
const ADMINISTRATOR = { email: 'bench@example.com', password: randomBytes(12).toString('hex') };
/** How account ids begin. Random ids would have to be looked up before each call. */
const ACCOUNT = 'sc_acc_bench';

/**
 * Runs `work` with the peer that is installed in that folder. It has as many customers as the service has members;
 * the accounts of `buyers` hold enough for any number of debits.
 */
export async function withPeer<T>(
  serverUrl: string,
  installedIn: string,
  customers: number,
  buyers: Members,
  work: (peer: Peer) => Promise<T>,
): Promise<T> {
  const folder = resolve(installedIn);
  return withDatabase(serverUrl, 'empty', async ({ db, url }) => {
    const env = inProduction(url);
    const cli = (...args: string[]) =>
      promisify(execFile)(process.execPath, [join(folder, CLI), ...args], {
        cwd: folder,
        env: { ...bareEnv(), ...env },
        maxBuffer: 64 * 2 ** 20,
      });
    await cli('db:migrate');
    await cli('user', '-e', ADMINISTRATOR.email, '-p', ADMINISTRATOR.password);
    await openAccounts(db, customers, buyers);
    const args = ['start', '--host', '127.0.0.1', '--types', 'false'];
    const service = await startProgram({ file: join(folder, CLI), args, folder, path: '/health' }, env);
    try {
      const scripts = scriptsOf(await logIn(service), customers, buyers);
      return await work({ name: await nameOf(folder), service, db, scripts });
    } finally {
      await service.stop();
    }
  });
}

/** Each load of the peer at 16, 32 and 64 connections. Returns the one with the most answers a second. */
export async function measurePeer(
  postgres: Postgres,
  peer: Peer,
  seconds: number,
): Promise<Record<string, Measured>> {
  const best: Record<string, Measured> = {};
  for (const [name, script] of Object.entries(peer.scripts)) {
    for (const connections of [16, 32, 64]) {
      const measured = await measureHttp(postgres, peer, { name, connections, script }, seconds);
      if (measured.perSecond > (best[name]?.perSecond ?? 0)) best[name] = measured;
    }
  }
  return best;
}

function inProduction(databaseUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    JWT_SECRET: randomBytes(32).toString('hex'),
    COOKIE_SECRET: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'error',
    // It would warn of its number of listeners with every load.
    NODE_NO_WARNINGS: '1',
    MEDUSA_DISABLE_TELEMETRY: 'true',
  };
}

/** Ten credits in each account, as each member has ten purchases. The peer adds them up for every balance. */
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

/** An administrator's token: unlike an API key, it is checked without a query. */
async function logIn({ port }: Child): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/auth/user/emailpass`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMINISTRATOR),
  });
  if (!answer.ok) throw new Error(`the peer refused to log in: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { token: string }).token;
}

/** Asks for the balance alone; the peer's usual answer reads the customer too. */
function scriptsOf(token: string, customers: number, { first, step, count }: Members): Peer['scripts'] {
  const anybody = `math.random(${customers})`;
  const buyer = `(${first} + ${step} * math.random(0, ${count - 1}))`;
  const requests = (method: string, customer: string, action: string, body = 'nil') => `
    math.randomseed(os.time())
    local headers = { ['authorization'] = 'Bearer ${token}', ['content-type'] = 'application/json' }
    function request()
      local path = '/admin/store-credit-accounts/${ACCOUNT}' .. ${customer} .. '${action}?fields=id,balance'
      return wrk.format('${method}', path, headers, ${body})
    end`;
  return {
    'Medusa, credit': requests('POST', anybody, '/credit', `'{"amount":${POINTS}}'`),
    'Medusa, balance': requests('GET', anybody, ''),
    'Medusa, debit': requests('POST', buyer, '/debit', `'{"amount":${COST}}'`),
  };
}

/** With the versions that its manifest pins. */
async function nameOf(folder: string): Promise<string> {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8');
  const { dependencies: of } = JSON.parse(manifest) as { dependencies: Record<string, string> };
  return `Medusa ${of['@medusajs/medusa']} with its loyalty plugin ${of['@medusajs/loyalty-plugin']}`;
}
