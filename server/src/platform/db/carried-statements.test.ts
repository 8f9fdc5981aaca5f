import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { emptyDatabase, databaseUrl, nameOf } from '#test/database.ts';
import {
  canCarryPreparedStatements,
  preparedStatements,
  startPgBouncer,
  whyNoPgBouncer,
  type Settings,
} from '#test/pgbouncer.ts';
import { checkCarried, NotCarried, type Seen } from './carried-statements.ts';
import { openDatabase, sql, sqlState, transaction, type Db } from './database.ts';

/** Checks connections to a database through a PgBouncer with these settings. Null means straight to PostgreSQL. */
async function check(t: TestContext, settings: Settings | null, prepares: boolean): Promise<Seen> {
  const direct = databaseUrl(await nameOf(await emptyDatabase(t, 1)));
  const pooler = settings === null ? null : await startPgBouncer(new URL(direct), settings);
  const url = pooler?.through(direct) ?? direct;
  const db = openDatabase({ url, poolSize: 3, preparedStatements: prepares, sendsSettings: pooler === null });
  try {
    return await checkCarried(db);
  } finally {
    await db.destroy();
    await pooler?.stop();
  }
}

test('connections straight to PostgreSQL carry prepared statements, and never share one of the server', async (t) => {
  assert.deepEqual(await check(t, null, true), { shared: false, changed: false });
});

const skip = whyNoPgBouncer() ?? false;

test(
  'through PgBouncer, two connections share one of the server, and one gets two of them',
  { skip },
  async (t) => {
    assert.deepEqual(await check(t, {}, false), { shared: true, changed: true });
  },
);

test('a pooler that does not know prepared statements is refused, with what to set', { skip }, async (t) => {
  for (const settings of [{}, { default_pool_size: '1' }, { server_round_robin: '1' }])
    await assert.rejects(
      check(t, { ...preparedStatements(false), ...settings }, true),
      (error) =>
        error instanceof NotCarried &&
        /^The pooler at .*\.\nSet PREPARED_STATEMENTS=off, or/.test(error.message),
    );
});

test(
  'a pooler that knows them is accepted, although its connections are shared',
  { skip: skip || (canCarryPreparedStatements() ? false : 'this PgBouncer is older than 1.21') },
  async (t) => {
    assert.deepEqual(await check(t, preparedStatements(true), true), { shared: true, changed: true });
  },
);

test('a statement that was refused with the one before it is prepared the next time', { skip }, async (t) => {
  const direct = databaseUrl(await nameOf(await emptyDatabase(t, 1)));
  const carries = canCarryPreparedStatements();
  const pooler = await startPgBouncer(
    new URL(direct),
    carries ? preparedStatements(true) : { pool_mode: 'session' },
  );
  t.after(() => pooler.stop());
  const db = openDatabase({
    url: pooler.through(direct),
    poolSize: 1,
    preparedStatements: true,
    sendsSettings: false,
  });
  t.after(() => db.destroy());
  const one = (tx: Db) => sql<{ one: number }>`-- one\n select 1 as one`.execute(tx);
  for (let round = 0; round < 3; round++)
    await assert.rejects(
      transaction(db, (tx) => Promise.all([sql`-- wrong\n select 1 / 0`.execute(tx), one(tx)])),
      (error) => sqlState(error) === '22012',
    );
  for (let round = 0; round < 3; round++) {
    const { rows } = await transaction(db, one);
    assert.deepEqual(rows, [{ one: 1 }]);
  }
});

test('a pooler in session mode is accepted, and one in statement mode refused', { skip }, async (t) => {
  assert.equal((await check(t, { pool_mode: 'session' }, true)).changed, false);
  await assert.rejects(
    check(t, { pool_mode: 'statement' }, false),
    (error) => error instanceof NotCarried && error.message.endsWith('Set pool_mode = transaction there.'),
  );
});
