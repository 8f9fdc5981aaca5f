import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { revokeAllKeys } from '#commerces/api-keys.ts';
import { sql } from '#db/database.ts';
import { importMembers } from '#enrolment/import-members.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { buildApp } from '../../app.ts';
import { exportMovements } from './export-movements.ts';

type Line = Record<string, string>;

test('members are exported as the API shows them, and can be imported elsewhere', async () => {
  const shop = await makeShop({ levels: { ladder: [{ name: 'Silver', threshold: 50 }] } });
  const { db } = await service();
  const people = [
    {
      email: 'ana@example.com',
      username: 'Ana, "la jefa"',
      birth_date: '1990-05-04',
      phone: '+5491122334455',
    },
    { email: "'quoted@example.com", username: "'=twice" },
    { email: '=1+1@example.com', username: '=HYPERLINK("http://x")' },
    { email: '-minus@example.com', username: '@home', points: '70' },
  ];
  const imported = await importMembers(db, shop.id, linesOf(people));
  assert.deepEqual(imported.refused, []);
  // Points that wait for somebody who is no client are not exported.
  await shop.post('/v1/consumptions/email', { client_email: 'nobody@example.com', amount: 5 });

  const { text, headers } = await download(shop, '/v1/exports/members');
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.equal(headers.get('content-disposition'), 'attachment; filename="members.csv"');
  assert.ok(text.includes('\r\n') && !/(^|[\r\n,"])[=+@-](?!5491122334455)/.test(text), text);
  const lines = linesIn(text);
  assert.equal(lines.length, 4);
  const { body } = await shop.get(`/v1/clients/${lines[3]!['client_code']}`);
  assert.equal((body as { points: number }).points, 70);
  assert.deepEqual([lines[3]!['points'], lines[3]!['state'], lines[3]!['level']], ['70', 'member', 'Silver']);

  const other = await makeShop();
  const again = await importMembers(db, other.id, linesOf(lines));
  assert.deepEqual([again.imported, again.refused], [4, []]);
  const identity = async ({ id }: Shop) =>
    (
      await sql`
        select email, username, phone, birth_date as born from members
         where commerce_id = ${id} and state = 'member' order by ordinal`.execute(db)
    ).rows;
  assert.deepEqual(await identity(other), await identity(shop));
});

test('the state of people who left, are blocked or erased is exported', async () => {
  const shop = await makeShop();
  const [left, blocked, erased] = [await shop.member(), await shop.member(), await shop.member()];
  await shop.leave(left);
  await shop.block(blocked);
  await shop.erase(erased);
  const { text } = await download(shop, '/v1/exports/members?format=jsonl');
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { state: string; email: unknown });
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['left', 'blocked', 'erased'],
  );
  assert.equal(rows[2]!.email, null);
});

test('movements are exported once each, and add up to the balances', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 10 })] });
  const [ana, eva] = [await shop.member(), await shop.member()];
  const bought = await shop.post('/v1/consumptions/client-code', {
    client_code: ana.code,
    amount: 100,
    external_id: '=cmd',
  });
  await shop.sell(eva, 7);
  await shop.voucher(ana, 'coffee');
  const location = String(bought.headers.get('location'));
  await shop.post(`${location}/reversal`, { amount: 40 });
  const jsonl = (await download(shop, '/v1/exports/movements?format=jsonl')).text;
  const rows = jsonl
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    rows.map(({ type, client_code: code, points, external_id: id }) => [type, code, points, id]),
    [
      ['consumption', ana.code, 100, '=cmd'],
      ['consumption', eva.code, 7, null],
      ['benefit_exchange', ana.code, -10, null],
      ['reversal', ana.code, -40, null],
    ],
  );
  const id = Number(bought.headers.get('x-consumption-id'));
  assert.deepEqual([rows[0]!['id'], rows[3]!['reverses_id']], [id, id]);
  const lines = linesIn((await download(shop, '/v1/exports/movements')).text);
  assert.equal(lines[0]!['external_id'], "'=cmd");
  assert.deepEqual(Object.keys(lines[0]!), Object.keys(rows[0]!));
  const sum = lines.reduce((total, { points }) => total + Number(points), 0);
  assert.equal(sum, 57);
});

test('an export is of one commerce, of a time, and empty without data', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  await other.sell(await other.member(), 5);
  assert.deepEqual(linesIn((await download(shop, '/v1/exports/movements')).text), []);
  assert.match((await download(shop, '/v1/exports/members')).text, /^client_code,email,[^\n]*\r\n$/);
  assert.equal((await download(shop, '/v1/exports/members?format=jsonl')).text, '');
  const query = (from: string, to: string) => `/v1/exports/movements?format=jsonl&from=${from}&to=${to}`;
  const at = new Date(Date.now() - 3_600_000).toISOString();
  assert.equal((await download(other, query('2000-01-01T00:00:00Z', at))).text, '');
  assert.notEqual((await download(other, query(at, '2100-01-01T00:00:00Z'))).text, '');
  for (const bad of ['format=xml', 'from=yesterday', 'to=2026-01-01'])
    assert.equal((await shop.get(`/v1/exports/movements?${bad}`)).status, 422);
});

test('more than a page comes completely, while somebody else goes on', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const people = Array.from({ length: 1_203 }, (_, i) => ({ email: `p${i}@example.com`, points: '3' }));
  await importMembers(db, shop.id, linesOf(people));
  const [members, movements] = [
    await download(shop, '/v1/exports/members'),
    await download(shop, '/v1/exports/movements'),
  ];
  const codes = linesIn(members.text).map(({ client_code: code }) => code);
  assert.deepEqual([codes.length, new Set(codes).size], [1_203, 1_203]);
  assert.equal(new Set(linesIn(movements.text).map(({ id }) => id)).size, 1_203);
});

test('an export ends even if a purchase is recorded after each page', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const people = Array.from({ length: 300 }, (_, i) => ({ email: `p${i}@example.com`, points: '3' }));
  await importMembers(db, shop.id, linesOf(people));
  const member = await shop.member();
  let pages = 0;
  for await (const { rows } of exportMovements(db, shop.id)) {
    assert.ok(rows.length > 0);
    await shop.sell(member, 5);
    if (++pages === 4) break;
  }
  assert.equal(pages, 2);
});

test('an export that takes long holds up nobody, and a second one of the shop is told to wait', async () => {
  const { db } = await service();
  const [shop, other] = [await makeShop(), await makeShop()];
  await importMembers(db, shop.id, linesOf(manyPeople(3_000)));
  const app = await buildApp({ ...SLOW, db });
  await app.listen({ port: 0, host: '127.0.0.1' });
  try {
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const get = (one: Shop, path: string, signal?: AbortSignal) =>
      fetch(url + path, { ...bearer(one), ...(signal && { signal }) });
    const slow = new AbortController();
    const started = await get(shop, '/v1/exports/members', slow.signal);
    assert.equal(started.status, 200);
    const second = await get(shop, '/v1/exports/movements');
    assert.deepEqual([second.status, second.headers.get('retry-after')], [503, '1']);
    assert.equal((await get(other, '/v1/exports/members')).status, 200);
    const { rows } = await sql<{ open: number }>`
      select count(*) as open from pg_stat_activity
       where datname = current_database() and state like 'idle in transaction%'`.execute(db);
    assert.equal(rows[0]!.open, 0);
    slow.abort();
    const until = performance.now() + 10_000;
    while ((await get(shop, '/v1/exports/movements')).status !== 200)
      assert.ok(performance.now() < until, 'the place of an export that was given up is free again');
  } finally {
    await app.close();
  }
});

test('a service that stops cuts an export short, and the caller notices', async () => {
  const { db } = await service();
  const shop = await makeShop();
  await importMembers(db, shop.id, linesOf(manyPeople(1_500)));
  const app = await buildApp({ ...SLOW, db });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const started = await fetch(`${url}/v1/exports/members`, bearer(shop));
  assert.equal(started.status, 200);
  const read = assert.rejects(started.text());
  await app.close();
  await read;
});

test('an export ends with its key, and the caller notices', async () => {
  const { db } = await service();
  const shop = await makeShop();
  await importMembers(db, shop.id, linesOf(manyPeople(3_000)));
  const app = await buildApp({ ...SLOW, db });
  await app.listen({ port: 0, host: '127.0.0.1' });
  try {
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const started = await fetch(`${url}/v1/exports/members`, bearer(shop));
    assert.equal(started.status, 200);
    await revokeAllKeys(db, shop.id);
    await assert.rejects(started.text());
  } finally {
    await app.close();
  }
});

test('a stream counts towards the limit of its key, and leaves most of it to other calls', async () => {
  const { db } = await service();
  const shop = await makeShop();
  await importMembers(db, shop.id, linesOf(manyPeople(800)));
  const app = await buildApp({ ...SLOW, db });
  try {
    const authorization = `Bearer ${shop.key}`;
    const get = (path: string) => app.inject({ url: path, headers: { authorization } });
    const started = performance.now();
    const exported = get('/v1/exports/members');
    const beside = await Promise.all(Array.from({ length: 30 }, () => get('/v1/benefits/list')));
    const { statusCode, body } = await exported;
    assert.equal(statusCode, 200);
    assert.ok(beside.every((answer) => answer.statusCode === 200));
    // A quarter of 40 calls a second, of 16 KiB each.
    const leastMs = (Buffer.byteLength(body) / (10 * 16 * 1024)) * 1000;
    assert.ok(performance.now() - started >= leastMs * 0.9);
  } finally {
    await app.close();
  }
});

/** Streams go out at a quarter of 40 calls a second, of 16 KiB each. */
const SLOW = {
  log: false,
  secret: ['the secret of another service, long enough'],
  rateLimits: { perKey: 40, perUser: 0, perNetwork: 0 },
} as const;

function manyPeople(count: number): Record<string, string>[] {
  return Array.from({ length: count }, (_, i) => ({ email: `p${i}@example.com`, username: 'x'.repeat(100) }));
}

async function* linesOf(rows: readonly Record<string, string>[]) {
  for (const [i, fields] of rows.entries()) yield { line: i + 2, fields };
}

function bearer({ key }: Shop) {
  return { headers: { authorization: `Bearer ${key}` } };
}

async function download(shop: Shop, path: string) {
  const { url } = await service();
  const response = await fetch(url + path, bearer(shop));
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return { status: response.status, headers: response.headers, text };
}

function linesIn(text: string): Line[] {
  return parse(text, { columns: true }) as Line[];
}
