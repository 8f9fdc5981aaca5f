import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '#db/database.ts';
import { SECRET, service } from '#test/harness.ts';
import { testDatabase } from '#test/database.ts';
import { buildApp } from '../../app.ts';

await service();
const db = await testDatabase();
const app = await buildApp({ db, log: false, secret: SECRET, devMailbox: true });
after(() => app.close());

async function links(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from set_ups`.execute(db);
  return rows[0]!.count;
}

const ask = (headers: Record<string, string>) =>
  app.inject({ url: '/dev/set-up', headers: { host: 'localhost:3000', ...headers } });

test('a page of another site that sends a browser to the set-up makes no link', async () => {
  const before = await links();
  const foreign = [
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    {},
  ];
  for (const headers of foreign) {
    const { statusCode, body } = await ask(headers);
    assert.equal(statusCode, 200, JSON.stringify(headers));
    assert.match(body, /<a href="set-up">Begin<\/a>/);
  }
  assert.equal(await links(), before);
});

test('whoever types the address, or follows a link of ours, is led to a set-up', async () => {
  for (const site of ['none', 'same-origin']) {
    const before = await links();
    const { statusCode, headers } = await ask({ 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' });
    assert.equal(statusCode, 303);
    assert.match(String(headers.location), /\/console\/set-up#[\w-]{43}$/);
    assert.equal(await links(), before + 1);
  }
});
