import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findKey } from '#commerces/api-keys.ts';
import { setClock } from '#commerces/clock.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { sql } from '#db/database.ts';
import { testDatabase } from '#test/database.ts';
import { SECRET } from '#test/harness.ts';
import { verifyLedger } from '#ledger/verify-ledger.ts';
import { buildApp } from '../app.ts';
import { demoPeople } from './demo-people.ts';
import { findOrMakeDemo } from './find-or-make-demo.ts';

test('the demo is created once, found again later, and gets a new key if its key is lost', async (t) => {
  const db = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-demo-'));
  t.after(() => rm(folder, { recursive: true }));

  const made = await findOrMakeDemo(db, folder);
  assert.deepEqual(await findOrMakeDemo(db, folder), made);

  // The state after an interrupted first start: no key was stored, and the clock is somewhere in the past.
  await rm(join(folder, 'demo.json'));
  await setClock(db, made!.commerceId, new Date(Date.now() - 86_400_000));
  const found = await findOrMakeDemo(db, folder);
  assert.deepEqual({ ...found, key: '' }, { ...made, key: '' });
  assert.equal((await findKey(db, found!.key))?.commerceId, made!.commerceId);
  assert.ok(Math.abs((await readCommerce(db, made!.commerceId))!.now.getTime() - Date.now()) < 60_000);
});

test('the demo is a bakery that one believes, and its first member has codes in every state', async (t) => {
  const db = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-demo-'));
  const app = await buildApp({ db, log: false, secret: SECRET });
  t.after(() => Promise.all([app.close(), rm(folder, { recursive: true })]));
  const demo = (await findOrMakeDemo(db, folder))!;
  const read = async <T>(url: string): Promise<T> => {
    const headers = { authorization: `Bearer ${demo.key}`, 'x-commerce-id': String(demo.commerceId) };
    const answer = await app.inject({ url, headers });
    assert.equal(answer.statusCode, 200, url);
    return answer.json<T>();
  };

  const { items } = await read<{ items: { username: string; email: string; code: number }[] }>(
    '/v1/clients/list?limit=100',
  );
  assert.deepEqual(
    items.map(({ username, email }) => [username, email]),
    demoPeople.map(({ name, address }) => [name, `${address}@example.com`]),
  );
  assert.equal(items[0]!.code, demo.clientCode);

  type Code = { used: boolean; due_date: string; benefit: { id: string; benefit_type: string } };
  const codes = await read<Code[]>(`/v1/clients/${demo.clientCode}/benefits`);
  const daysLeft = ({ due_date }: Code) => (Date.parse(due_date) - Date.now()) / 86_400_000;
  const unused = codes.filter(({ used }) => !used);
  assert.ok(codes.some(({ used }) => used));
  assert.ok(unused.some((code) => daysLeft(code) < 0));
  assert.ok(unused.some((code) => daysLeft(code) > 0 && daysLeft(code) < 3));
  assert.ok(unused.some((code) => daysLeft(code) > 20));
  assert.deepEqual(codes.map(({ benefit }) => benefit.benefit_type).toSorted(), [
    'birthday',
    'level',
    'normal',
    'normal',
    'normal',
  ]);

  const { points } = await read<{ points: number }>(`/v1/clients/${demo.clientCode}`);
  assert.ok(points >= 690 && points < 750, `nearly breakfast for two, not ${points}`);
  const program = await read<{ earning: { double_points: { is_open: boolean }[] } }>('/v1/public/program');
  assert.deepEqual(
    program.earning.double_points.map((window) => window.is_open),
    [true, false],
  );

  const { rows } = await sql<{ hour: number; amount: number }>`
    select extract(hour from at at time zone 'Europe/Lisbon')::integer as hour, amount
      from movements
     where commerce_id = ${demo.commerceId} and type = 'purchase'`.execute(db);
  assert.ok(rows.length > 800, String(rows.length));
  for (const { hour, amount } of rows)
    assert.ok(hour >= 6 && hour < 19 && amount >= 2 && amount <= 40, `${amount} at ${hour}`);
  assert.deepEqual((await verifyLedger(db)).differences, []);
});
