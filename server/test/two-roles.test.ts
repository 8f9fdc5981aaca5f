/** One story: an installation whose service has rights on the data only. Each test goes on where the one before ended. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { openDatabase, sql, transaction, type Database } from '#db/database.ts';
import { readRole } from '#db/roles.ts';
import { checkWritable } from '#db/writable.ts';
import { findOrMakeDemo, type Demo } from '#demo/find-or-make-demo.ts';
import { jobNames } from '#jobs/run-jobs.ts';
import { loyalty } from '#test/command.ts';
import { databaseUrl, open } from '#test/database.ts';
import { dropDatabase } from '#test/drop-database.ts';
import { childrenOf, startSeveral } from '#test/processes/several.ts';
import { killService, startService } from '#test/service-process.ts';

const suffix = `${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
const OWNER = `owner_${suffix}`;
const SERVICE = `service_${suffix}`;
const NAME = `roles_${suffix}`;
const RESTORED = `roles_again_${suffix}`;
const EMPTY = `roles_empty_${suffix}`;
const MAIN = new URL('../src/start/start.js', import.meta.url).pathname;

let admin: Database;
let folder = '';
let demo: Demo;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loyalty-roles-'));
  admin = open('postgres', 1);
  for (const role of [OWNER, SERVICE])
    await sql.raw(`create role "${role}" login password 'of-${role}'`).execute(admin);
  for (const name of [NAME, RESTORED, EMPTY])
    await sql.raw(`create database "${name}" owner "${OWNER}"`).execute(admin);
});
after(async () => {
  for (const name of [NAME, RESTORED, EMPTY]) await dropDatabase(admin, name);
  for (const role of [OWNER, SERVICE]) await sql.raw(`drop role "${role}"`).execute(admin);
  await admin.destroy();
  await rm(folder, { recursive: true });
});

function urlOf(role: string, name = NAME): string {
  const url = new URL(databaseUrl(name));
  url.username = role;
  url.password = `of-${role}`;
  return url.href;
}

const forService = () => ({
  DATABASE_URL: urlOf(SERVICE),
  SECRET_KEY: 'o1Bc0QDrmYhmUcAKkxKs1wGq6aQZcCmAEYBLQjvQQvE=',
});
const forOwner = () => ({ ...forService(), DATABASE_OWNER_URL: urlOf(OWNER) });

/** Runs a command as the service does, and expects it to succeed. */
async function run(command: string, env: Record<string, string> = forService(), input = ''): Promise<string> {
  const { code, stdout, stderr } = await loyalty(command.split(' '), { env, input });
  assert.equal(code, 0, `${command}\n${stderr}`);
  return stdout;
}

/** Starts the service, which is expected to refuse. Returns what it says. */
async function refusedStart(env: Record<string, string> = forService()): Promise<string> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env['PATH'],
      ENV_FILE: 'off',
      PORT: '0',
      LOG_LEVEL: 'fatal',
      DATA_DIR: folder,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.equal(code, 1, said);
  return said;
}

async function inDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase({ url, poolSize: 4, preparedStatements: true });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

test('a service with rights on the data only says what to run in an empty database', async () => {
  assert.equal(
    await refusedStart(),
    `The database has no tables yet, and the role "${SERVICE}" may not change the schema. Run \`loyalty migrate\` with DATABASE_OWNER_URL, the address of the role that owns the tables.\n`,
  );
});

test('the owner migrates and grants, as often as one likes', async () => {
  const first = JSON.parse(await run('migrate', forOwner())) as { applied: string[]; granted_to: string };
  assert.ok(first.applied.length > 30);
  assert.equal(first.granted_to, SERVICE);
  assert.deepEqual(JSON.parse(await run('migrate', forOwner())), { applied: [], granted_to: SERVICE });
  assert.deepEqual(JSON.parse(await run('migrate')), { applied: [] });
});

test('all that a shop does needs rights on the data only: joining, buying, trading, redeeming, rewards', async () => {
  demo = await inDatabase(urlOf(SERVICE), async (db) => (await findOrMakeDemo(db, folder))!);
  assert.equal(typeof demo.clientCode, 'number');
});

test('the service serves a purchase and its reversal', async () => {
  const service = await startService(urlOf(SERVICE));
  const headers = { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' };
  const bought = await fetch(`${service.base}/v1/consumptions/client-code`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': 'one' },
    body: JSON.stringify({ client_code: demo.clientCode, amount: 12 }),
  });
  assert.equal(bought.status, 201, await bought.text());
  const returned = await fetch(
    `${service.base}/v1/consumptions/${bought.headers.get('x-consumption-id')}/reversal`,
    {
      method: 'POST',
      headers,
      body: '{}',
    },
  );
  assert.ok(returned.ok, await returned.text());
  await killService(service);
});

test('the commands of every day work: apply, imports, jobs, clock, staff, erasure, archive, books, backup', async () => {
  await run(
    'apply -',
    forService(),
    'slug: luna\nname: Luna\nsandbox: true\ncurrency: EUR\ntime_zone: Europe/Madrid\nearning: { money_per_point: 1 }\n',
  );
  await run(
    'members import - --commerce luna',
    forService(),
    'email,points\nana@example.com,10\nbea@example.com,20\n',
  );
  await run(
    'purchases import - --commerce luna',
    forService(),
    'client_email,amount,date\nana@example.com,5,2026-01-02T10:00:00Z\n',
  );
  await run('key create --commerce luna');
  await run('staff invite --commerce luna owner@example.com --role owner');
  for (const name of jobNames) await run(`jobs run ${name}`);
  await run('clock advance luna 400d');
  await run('members erase --commerce luna bea@example.com --reason asked --yes');
  const archive = join(folder, 'luna.archive');
  await run(`commerce export luna --output ${archive}`);
  await run('commerce close luna');
  assert.match(await run('ledger verify'), /"differences": \[\]/);
  await run(`backup ${folder}`);
});

test('the service cannot switch off the guards, rewrite the ledger, drop a table or make one', async () => {
  const attempts = [
    'alter table movements disable trigger user',
    'alter table members disable trigger all',
    'drop trigger movements_are_append_only on movements',
    'alter table balances drop constraint points_are_exact',
    'drop index members_pkey',
    'drop table movements',
    'truncate movements',
    'update movements set points = 0',
    'delete from movements',
    'update audit set action = action',
    'delete from schema_migrations',
    'create table public.mine (id integer)',
    'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return new; end $$',
    'set session_replication_role = replica',
    `set role "${OWNER}"`,
    `alter role "${OWNER}" password 'x'`,
  ];
  await inDatabase(urlOf(SERVICE), async (db) => {
    for (const attempt of attempts)
      await assert.rejects(
        // In a transaction that is rolled back, should it succeed.
        transaction(db, async (tx) => {
          await sql.raw(attempt).execute(tx);
          throw new Error('it succeeded');
        }),
        /permission denied|must be owner|must be able to/,
        attempt,
      );
    // The check whether the disk has space creates no table that would stay.
    db.trouble.note(Object.assign(new Error('disk full'), { code: '53100' }));
    await checkWritable(db);
  });
});

test('doctor names the role in use and whether it owns the tables', async () => {
  interface Report {
    readonly findings: readonly { about: string; says: string; fix: string }[];
    readonly facts: { readonly database: { readonly role: string; readonly ownsTables: boolean } };
  }
  const examine = async (env: Record<string, string>) =>
    JSON.parse((await loyalty(['doctor', '--json'], { env })).stdout) as Report;
  const about = (report: Report) =>
    report.findings.filter(({ says }) => says.includes('role')).map(({ says }) => says);

  const service = await examine(forService());
  assert.deepEqual([service.facts.database.role, service.facts.database.ownsTables], [SERVICE, false]);
  assert.deepEqual(about(service), []);
  const owner = await examine({ ...forService(), DATABASE_URL: urlOf(OWNER) });
  assert.deepEqual([owner.facts.database.role, owner.facts.database.ownsTables], [OWNER, true]);
  assert.deepEqual(about(owner), [
    `The service uses the role ${OWNER}, which owns the tables: whoever gets into the process can switch off the guards of the ledger.`,
  ]);
  const both = await examine(forOwner());
  assert.match(JSON.stringify(both.findings), /DATABASE_OWNER_URL is set for a process that serves/);
});

test('a restore by the owner leaves a database that the service can use', async () => {
  const [backup] = (await readdir(folder)).filter((name) => name.endsWith('.tar'));
  const env = {
    ...forOwner(),
    DATABASE_URL: urlOf(SERVICE, RESTORED),
    DATABASE_OWNER_URL: urlOf(OWNER, RESTORED),
  };
  const refused = await loyalty(['restore', join(folder, backup!)], {
    env: { ...env, DATABASE_OWNER_URL: '' },
  });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /may not change the schema\. Run `loyalty migrate` with DATABASE_OWNER_URL/);
  await run(`restore ${join(folder, backup!)}`, env);
  await killService(await startService(urlOf(SERVICE, RESTORED)));
});

test('a commerce that comes as an archive needs no owner', async () => {
  const env = { ...forOwner(), DATABASE_URL: urlOf(SERVICE, EMPTY), DATABASE_OWNER_URL: urlOf(OWNER, EMPTY) };
  await run('migrate', env);
  await run(`commerce import ${join(folder, 'luna.archive')}`, { ...env, DATABASE_OWNER_URL: '' });
});

test('several processes: the start migrates as the owner and grants, and no process that serves knows the address of the owner', async () => {
  await inDatabase(urlOf(OWNER), (db) => sql.raw(`revoke insert on vouchers from "${SERVICE}"`).execute(db));
  const service = await startSeveral(urlOf(SERVICE), 2, {
    DATA_DIR: folder,
    DATABASE_OWNER_URL: urlOf(OWNER),
  });
  const [environ, ...others] = [service.supervisor.pid, ...childrenOf(service)].map((pid) =>
    readFileSync(`/proc/${pid}/environ`, 'utf8'),
  );
  assert.match(environ!, /DATABASE_OWNER_URL=/);
  assert.equal(others.length, 2);
  for (const other of others) assert.doesNotMatch(other, /OWNER/);
  await inDatabase(urlOf(SERVICE), async (db) => assert.deepEqual((await readRole(db)).missing, []));
  service.supervisor.kill('SIGTERM');
  assert.equal(await service.ended, 0);
});

test('what the owner has to do is said before anything is served: missing rights, a schema that is behind', async () => {
  await inDatabase(urlOf(OWNER), async (db) => {
    await sql.raw(`revoke insert on vouchers from "${SERVICE}"`).execute(db);
    assert.equal(
      await refusedStart(),
      `The role "${SERVICE}" has not all rights on the table vouchers. Run \`loyalty migrate\` with DATABASE_OWNER_URL, the address of the role that owns the tables: it grants them.\n`,
    );
    await run('migrate', forOwner());
    await sql`update schema_migrations set name = '0000_x' where name = (select max(name) from schema_migrations)`.execute(
      db,
    );
    await sql`delete from schema_migrations where name = '0000_x'`.execute(db);
  });
  assert.match(
    await refusedStart(),
    new RegExp(
      `^The database schema is 1 migration behind this program, and the role "${SERVICE}" may not change the schema\\. Run`,
    ),
  );
});

test('an owner of another database, and one that is the service itself, change nothing', async () => {
  const other = await loyalty(['migrate'], {
    env: { ...forOwner(), DATABASE_OWNER_URL: urlOf(OWNER, RESTORED) },
  });
  assert.equal(other.code, 1);
  assert.match(other.stderr, /leads to the database ".*" and DATABASE_URL to ".*", or to another server/);
  const same = await loyalty(['migrate'], {
    env: { DATABASE_URL: urlOf(OWNER, RESTORED), DATABASE_OWNER_URL: urlOf(OWNER, RESTORED) },
  });
  assert.deepEqual(same.json(), { applied: [] });
});
