import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { databaseUrl, emptyDatabase, emptyDatabaseOnNodes, nameOf } from '#test/database.ts';
import { isOnNodes } from '#test/on-cluster.ts';
import { startPgBouncer, whyNoPgBouncer } from '#test/pgbouncer.ts';
import { readUnsetMachines } from './cluster/settings-of-machines.ts';
import {
  onConnection,
  openDatabase,
  sessionSettings,
  sql,
  workerSettings,
  type Database,
} from './database.ts';
import { COMMAND_PATIENCE } from './patience.ts';
import { checkLimits, explainPooler, LimitsMissing, storeSettingsOfRole } from './pooler.ts';

/** The address of a database for a role that may do nothing but own it. */
async function addressOfOrdinaryRole(t: TestContext): Promise<string> {
  const admin = await emptyDatabase(t, 1);
  const name = await nameOf(admin);
  const role = `role_of_${name}`;
  await sql`create role ${sql.id(role)} login password 'secret'`.execute(admin);
  await sql`alter database ${sql.id(name)} owner to ${sql.id(role)}`.execute(admin);
  t.after(async () => {
    const postgres = openDatabase({ url: databaseUrl('postgres'), poolSize: 1, preparedStatements: false });
    await sql`drop role ${sql.id(role)}`.execute(postgres);
    await postgres.destroy();
  });
  return Object.assign(new URL(databaseUrl(name)), { username: role, password: 'secret' }).href;
}

/** Waits as long as commands do: a new connection takes seconds where many tests share a processor. */
async function onPooled<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase({
    url,
    poolSize: 3,
    preparedStatements: false,
    sendsSettings: false,
    patience: COMMAND_PATIENCE,
  });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

test('a role without privileges stores its own time limits, and connections that send none have them', async (t) => {
  const url = await addressOfOrdinaryRole(t);
  await assert.rejects(
    onPooled(url, (db) => checkLimits(db, { preparedStatements: true })),
    (error) =>
      error instanceof LimitsMissing && /alter role .* set statement_timeout = 5000;/.test(error.message),
  );
  // Processes that start together do it at once.
  await Promise.all([1, 2, 3].map(() => storeSettingsOfRole(url, { preparedStatements: true })));
  await onPooled(url, (db) => checkLimits(db, { preparedStatements: true }));
});

test('what a cluster needs is stored and checked, too', async (t) => {
  const url = await addressOfOrdinaryRole(t);
  const onCluster = { preparedStatements: true, cluster: 'citus', sendsSettings: false } as const;
  await storeSettingsOfRole(url, { preparedStatements: true });
  await assert.rejects(
    onPooled(url, (db) => checkLimits(db, onCluster)),
    (error) =>
      error instanceof LimitsMissing &&
      error.message.startsWith('What a cluster needs does not hold: citus.propagate_set_commands') &&
      /alter role .* set citus.propagate_set_commands = local;/.test(error.message),
  );
  // Elsewhere than on a cluster, only a superuser may store settings that the server does not know.
  const admin = openDatabase({ url: databaseUrl('postgres'), poolSize: 1, preparedStatements: false });
  await sql`alter role ${sql.id(new URL(url).username)} superuser`.execute(admin);
  await admin.destroy();
  await storeSettingsOfRole(url, onCluster);
  await onPooled(url, (db) => checkLimits(db, onCluster));
});

const skip = whyNoPgBouncer() ?? false;

test(
  'limits that were stored after the pooler had opened its connections need RECONNECT and nothing else',
  { skip },
  async (t) => {
    const direct = await addressOfOrdinaryRole(t);
    // If a connection to the server fails on a busy machine, the next attempt waits 15 s by default, as long as the test does.
    const pooler = await startPgBouncer(new URL(direct), { server_login_retry: '1' });
    t.after(() => pooler.stop());
    const through = pooler.through(direct);
    await onPooled(through, (db) => sql`select 1`.execute(db));
    await storeSettingsOfRole(direct, { preparedStatements: false });
    await assert.rejects(
      onPooled(through, (db) => checkLimits(db, { preparedStatements: false })),
      (error) =>
        error instanceof LimitsMissing &&
        error.message.endsWith('Run `RECONNECT` in its console.') &&
        !/alter role/.test(error.message),
    );
    await pooler.tell('reconnect');
    await onPooled(through, (db) => checkLimits(db, { preparedStatements: false }));
  },
);

test('a role that may not change its settings gets the statements to run, and they are the right ones', async (t) => {
  const url = await addressOfOrdinaryRole(t);
  const role = new URL(url).username;
  const owner = await emptyDatabase(t, 1);
  const place = await nameOf(owner);
  await sql`grant pg_read_all_stats to ${sql.id(role)}`.execute(owner);
  // It acts as another role in all that it does, and a role may change only its own settings.
  await sql`alter role ${sql.id(role)} in database ${sql.id(place)} set role = 'pg_read_all_stats'`.execute(
    owner,
  );
  const here = Object.assign(new URL(url), { pathname: `/${place}` }).href;
  await storeSettingsOfRole(here, { preparedStatements: true });
  const refused = await onPooled(here, (db) => checkLimits(db, { preparedStatements: true })).then(
    () => assert.fail('the limits hold'),
    (error: LimitsMissing) => error,
  );
  assert.match(refused.message, new RegExp(`^The role "${role}" has not stored them\\. Run these`, 'm'));
  const statements = refused.message.split('\n').filter((line) => line.startsWith('  alter role'));
  assert.equal(statements.length, 5);
  for (const statement of statements) await sql`${sql.raw(statement)}`.execute(owner);
  await onPooled(here, (db) => checkLimits(db, { preparedStatements: true }));
});

test('without DATABASE_DIRECT_URL, a pooler that drops the settings asks for it', { skip }, async (t) => {
  const direct = await addressOfOrdinaryRole(t);
  const names = 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options';
  const pooler = await startPgBouncer(new URL(direct), { ignore_startup_parameters: names });
  t.after(() => pooler.stop());
  const db = openDatabase({
    url: pooler.through(direct),
    poolSize: 3,
    preparedStatements: false,
    patience: COMMAND_PATIENCE,
  });
  await assert.rejects(
    checkLimits(db, { preparedStatements: false }),
    /set DATABASE_DIRECT_URL to the address .*[^:]$/,
  );
  await db.destroy();
});

test('commands without a time limit have none, whatever is stored for the role', async (t) => {
  const url = await addressOfOrdinaryRole(t);
  await storeSettingsOfRole(url, { preparedStatements: true });
  const db = openDatabase({ url, poolSize: 1, preparedStatements: false, statementTimeoutMs: 0 });
  const { rows } = await sql`select current_setting('statement_timeout') as it`.execute(db);
  await db.destroy();
  assert.deepEqual(rows, [{ it: '0' }]);
});

test('a pooler that refuses the settings is named, with the variable to set', () => {
  const refused = new Error('unsupported startup parameter: lock_timeout');
  assert.match((explainPooler(refused) as Error).message, /Set DATABASE_DIRECT_URL/);
  const other = new Error('password authentication failed');
  assert.equal(explainPooler(other), other);
});

test('what a cluster’s workers get with the role does not end commands', () => {
  const plans = { preparedStatements: true, cluster: 'citus' } as const;
  const onWorkers = workerSettings(plans);
  assert.equal(onWorkers['statement_timeout'], '0');
  assert.ok(Number(onWorkers['idle_in_transaction_session_timeout']) > COMMAND_PATIENCE.idleInTransactionMs);
  assert.equal(onWorkers['lock_timeout'], sessionSettings(plans)['lock_timeout']);
});

const onlyOnNodes = { skip: isOnNodes ? false : 'needs several servers: CITUS_BIN starts them' };

test('behind a pooler, the machines of a cluster keep limits that end no command', onlyOnNodes, async (t) => {
  const db = await emptyDatabaseOnNodes(t);
  const { url } = db.address;
  const plans = { preparedStatements: true, cluster: 'citus', sendsSettings: false } as const;
  const unset = () => onConnection(db, (connection) => readUnsetMachines(connection, workerSettings(plans)));
  assert.equal((await unset()).length, 2);
  // Processes that start together do it at once.
  await Promise.all([1, 2, 3].map(() => storeSettingsOfRole(url, plans)));
  assert.deepEqual(await unset(), []);
  await onPooled(url, (pooled) => checkLimits(pooled, plans));

  // As where Citus has copied what the coordinator keeps, which it does to a machine that is added.
  const limit = `alter role session_user in database "${await nameOf(db)}" set statement_timeout = 5000`;
  await sql`select run_command_on_workers(${limit})`.execute(db);
  assert.equal((await unset()).length, 2);
  await storeSettingsOfRole(url, plans);
  assert.deepEqual(await unset(), []);
  await onPooled(url, (pooled) => checkLimits(pooled, plans));
  // A session that is new has them.
  const { rows: limits } = await onPooled(url, (pooled) =>
    sql<{ limit: string }>`
      select result as limit from run_command_on_workers('show statement_timeout')`.execute(pooled),
  );
  assert.deepEqual(
    limits.map(({ limit }) => limit),
    ['0', '0'],
  );
});
