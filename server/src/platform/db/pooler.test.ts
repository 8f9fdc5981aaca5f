import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { databaseUrl, emptyDatabase, nameOf } from '#test/database.ts';
import { openDatabase, sql, type Database } from './database.ts';
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

async function onPooled<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase({ url, poolSize: 3, preparedStatements: false, sendsSettings: false });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

test('a role without privileges stores its own time limits, and connections that send none have them', async (t) => {
  const url = await addressOfOrdinaryRole(t);
  await assert.rejects(
    onPooled(url, (db) => checkLimits(db, true)),
    (error) =>
      error instanceof LimitsMissing && /alter role .* set statement_timeout = 5000;/.test(error.message),
  );
  // Processes that start together do it at once.
  await Promise.all([1, 2, 3].map(() => storeSettingsOfRole(url, true)));
  await onPooled(url, (db) => checkLimits(db, true));
});

test('commands without a time limit have none, whatever is stored for the role', async (t) => {
  const url = await addressOfOrdinaryRole(t);
  await storeSettingsOfRole(url, true);
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
