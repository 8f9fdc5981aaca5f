import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { openDatabase, sql, type Database } from '#db/database.ts';
import { cluster, onEnd, PATIENT, testDatabaseUrl } from '#test/database.ts';
import { followLedger } from './follow-ledger.ts';

test('a sandbox whose clock is decades ahead is counted without a list of all days on the way', async () => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true, clock: '2027-03-15T10:00:00Z' });
  const eva = await shop.member('eva');
  await shop.sell(eva, 100);
  await shop.moveClock('60 years');
  await shop.sell(eva, 200);
  await shop.sell(eva, 300);

  const lengths: number[] = [];
  const noting = await openNoting(lengths);
  assert.equal(await followLedger(noting, shop.id), 3);
  assert.ok(Math.max(...lengths) < 20, `a statement got a list of ${Math.max(...lengths)} values`);
  await shop.moveClock('2 days');
  await shop.sell(eva, 400);
  assert.equal(await followLedger(noting, shop.id), 1);
  assert.ok(Math.max(...lengths) < 20, `a statement got a list of ${Math.max(...lengths)} values`);

  assert.ok(lengths.length > 0);

  const { rows } = await sql`
    select (select json_agg(array[day::text, movements::text] order by day) from report_days where commerce_id = ${shop.id}) as days,
           (select json_agg(array[day::text, before::text] order by day) from report_active where commerce_id = ${shop.id}) as active`.execute(
    db,
  );
  assert.deepEqual(rows[0], {
    days: [
      ['2027-03-15', '1'],
      ['2087-03-15', '2'],
      ['2087-03-17', '1'],
    ],
    active: [
      ['2027-03-15', '-infinity'],
      ['2087-03-15', '2027-03-15'],
      ['2087-03-17', '2087-03-15'],
    ],
  });
});

/** A pool of its own, which notes the length of each list that a statement gets. */
async function openNoting(lengths: number[]): Promise<Database> {
  const db = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 1,
    preparedStatements: true,
    cluster,
    statementTimeoutMs: 60_000,
    patience: PATIENT,
    onConnection: (client) => {
      const query = client.query.bind(client) as (text: unknown, values?: unknown) => Promise<unknown>;
      client.query = ((text: unknown, values?: unknown) => {
        const sent = values ?? (text as { values?: unknown }).values;
        for (const one of Array.isArray(sent) ? sent : []) if (Array.isArray(one)) lengths.push(one.length);
        return query(text, values);
      }) as typeof client.query;
    },
  });
  onEnd(() => db.destroy());
  return db;
}
