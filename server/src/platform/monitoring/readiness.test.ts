import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, type Database } from '#db/database.ts';
import { anotherDatabase } from '#test/database.ts';
import { createReadiness } from './readiness.ts';

test('however many ask, the database is asked once in half a second', async () => {
  const { db, statements } = countStatements(await anotherDatabase());
  const { check } = createReadiness(db, () => 0);
  const began = performance.now();
  for (let turn = 0; turn < 5; turn++) await Promise.all(Array.from({ length: 200 }, check));
  const halfSeconds = Math.ceil((performance.now() - began) / 500);
  assert.ok(statements() <= halfSeconds, `${statements()} statements in ${halfSeconds} half seconds`);
});

test('a process is not ready if its oldest call waits longer than for its turn and a locked row', async () => {
  const waited = { ms: 0 };
  const { check } = createReadiness(await anotherDatabase(), () => waited.ms);
  waited.ms = 4_000;
  await check();
  waited.ms = 4_251;
  await assert.rejects(check, /waiting for too long/);
});

test('after a full disk, the process is ready once pages can be allocated again, and leaves nothing behind', async () => {
  const db = await anotherDatabase();
  db.trouble.note(Object.assign(new Error('could not extend file'), { code: '53100' }));
  await createReadiness(db, () => 0).check();
  const { rows } = await sql`select relname from pg_class where relname like 'space\\_probe%'`.execute(db);
  assert.deepEqual(rows, []);
  db.trouble.stop();
});

function countStatements(database: Database): { db: Database; statements: () => number } {
  let count = 0;
  const query: Database['query'] = (text, values) => {
    count += 1;
    return database.query(text, values);
  };
  return { db: { ...database, query }, statements: () => count };
}
