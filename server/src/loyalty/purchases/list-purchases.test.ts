import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { service, type Answer } from '#test/harness.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { recordPurchases } from './record-purchases.ts';

interface Page {
  readonly results: readonly Record<string, unknown>[];
  readonly next_cursor: string | null;
}

test('all purchases come newest first, each once, page by page, and each as its own look-up shows it', async () => {
  const shop = await makeShop();
  const members = [await shop.member(), await shop.member()];
  // Three of each instant, and not in the order in which they are recorded.
  const days = Array.from({ length: 45 }, (_, i) => 1 + ((i * 7) % 15));
  await buy(shop, members, days);
  const location = await sellAtTill(shop, members[0]!, 'order-1');

  const pages = await pagesOf(shop, '');
  assert.deepEqual(
    pages.map(({ results }) => results.length),
    [20, 20, 6],
  );
  const all = pages.flatMap(({ results }) => results);
  assert.equal(new Set(all.map(({ id }) => id)).size, 46);
  const dates = all.map(({ date }) => String(date));
  assert.deepEqual(dates, dates.toSorted().toReversed());
  assert.deepEqual(all[0], (await shop.get(location)).body);
  assert.equal(all[0]!['external_id'], 'order-1');
});

test('a purchase recorded while somebody pages moves nothing', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await buy(
    shop,
    [member],
    Array.from({ length: 25 }, (_, i) => i + 1),
  );
  const first = pageOf(await list(shop, ''));
  await sellAtTill(shop, member, 'later');
  const second = pageOf(await list(shop, `?cursor=${first.next_cursor}`));
  assert.deepEqual([second.results.length, second.next_cursor], [5, null]);
  assert.equal(new Set([...first.results, ...second.results].map(({ id }) => id)).size, 25);
});

test('conditions count together: from is included, to is not', async () => {
  const shop = await makeShop();
  const [ana, eva] = [await shop.member(), await shop.member()];
  await buy(shop, [ana], [1, 2, 3, 4]);
  await buy(shop, [eva], [2, 3]);
  const daysOf = async (query: string) =>
    pageOf(await list(shop, query)).results.map(({ date }) => Number(String(date).slice(8, 10)));
  assert.deepEqual(await daysOf(`?from=${day(2)}&to=${day(4)}`), [3, 3, 2, 2]);
  assert.deepEqual(await daysOf(`?from=${day(3)}`), [4, 3, 3]);
  assert.deepEqual(await daysOf(`?to=${day(2)}`), [1]);
  assert.deepEqual(await daysOf(`?client_code=${ana.code}`), [4, 3, 2, 1]);
  assert.deepEqual(await daysOf(`?client_code=${eva.code}&from=${day(3)}`), [3]);
  assert.deepEqual(await daysOf(`?from=${day(2)}&to=${day(2)}`), []);
  for (const path of ['/v1/consumptions', '/v1/exports/movements'])
    assert.equal((await shop.get(`${path}?from=${day(4)}&to=${day(2)}`)).status, 422, path);
});

test('a purchase is found by the shop’s own id, with what was reversed of it', async () => {
  const shop = await makeShop();
  const [member, other] = [await shop.member(), await shop.member()];
  const location = await sellAtTill(shop, member, 'order & 1/2');
  await sellAtTill(shop, member, 'order');
  await shop.post(`${location}/reversal`, { amount: 40 });
  const query = `?external_id=${encodeURIComponent('order & 1/2')}`;
  const { results, next_cursor } = pageOf(await list(shop, query));
  assert.deepEqual([results, next_cursor], [[(await shop.get(location)).body], null]);
  assert.equal(results[0]!['reversed_amount'], 40);
  assert.equal(pageOf(await list(shop, `${query}&client_code=${member.code}`)).results.length, 1);
  for (const more of [`&client_code=${other.code}`, '&to=2000-01-01T00:00:00Z', '&from=2100-01-01T00:00:00Z'])
    assert.deepEqual(pageOf(await list(shop, query + more)).results, []);
});

test('an unknown condition is refused, because it would find everything', async () => {
  const shop = await makeShop();
  await shop.sell(await shop.member(), 5);
  const conditions: [query: string, names: string[], hint: RegExp][] = [
    ['?externalId=order-1', ['externalId'], /did you mean "external_id"\?/],
    [
      '?clientcode=1&client_email=a@example.com',
      ['clientcode', 'client_email'],
      /did you mean "client_code"\?/,
    ],
    ['?limit=5', ['limit'], /Known are external_id, client_code, from, to and cursor\./],
    ['?toString=1', ['toString'], /did you mean "to"\?/],
  ];
  for (const [query, names, hint] of conditions) {
    const { status, body, headers } = await list(shop, query);
    assert.equal(status, 422, query);
    const { detail } = body as { detail: { loc: string[]; msg: string; type: string }[] };
    assert.deepEqual(
      detail.map(({ loc, type }) => [...loc, type]),
      names.map((name) => ['query', name, 'extra_forbidden']),
    );
    assert.equal(headers.get('x-error-code'), 'invalid');
    assert.match(String(headers.get('x-error-hint')), hint);
  }
  assert.equal((await list(shop, '?__proto__=1')).status, 422);
});

test('purchases that wait for an address are listed without a code', async () => {
  const shop = await makeShop();
  await shop.post('/v1/consumptions/email', {
    client_email: 'nobody@example.com',
    amount: 5,
    external_id: 'w',
  });
  for (const query of ['', '?external_id=w'])
    assert.deepEqual(
      pageOf(await list(shop, query)).results.map(({ client_code: code }) => code),
      [null],
    );
});

test('a code or an id of another commerce finds what an unknown one finds: nothing', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const member = await other.member();
  await sellAtTill(other, member, 'order-1');
  const unknown = await list(shop, '?client_code=1');
  assert.deepEqual([unknown.status, unknown.body], [200, { results: [], next_cursor: null }]);
  for (const query of [`?client_code=${member.code}`, '?external_id=order-1', '?external_id=never', ''])
    assert.equal((await list(shop, query)).text, unknown.text);
});

test('a member with a long history of other things is paged through to the end', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await buy(shop, [member], [1, 2, 3]);
  // 1,200 entries that are no purchases, newer than all of them.
  await sql`
    insert into movements (commerce_id, member_id, type, at, points)
    select ${shop.id}, ${member.memberId}, 'adjustment', '2026-03-01'::timestamptz + n * interval '1 second', 0
      from generate_series(1, 1200) n`.execute((await service()).db);
  const pages = await pagesOf(shop, `?client_code=${member.code}`);
  assert.deepEqual(
    pages.map(({ results }) => results.length),
    [0, 0, 3],
  );
});

test('a cursor is good for its list only, and what is not valid is a 422', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const member = await shop.member();
  await buy(
    shop,
    [member],
    Array.from({ length: 21 }, (_, i) => i + 1),
  );
  const { next_cursor: cursor } = pageOf(await list(shop, ''));
  assert.ok(cursor !== null && cursor.length <= 512);
  assert.equal((await list(shop, `?cursor=${cursor}`)).status, 200);
  assert.equal((await list(other, `?cursor=${cursor}`)).status, 422);
  for (const [field, value] of [
    ['cursor', `${cursor}&client_code=${member.code}`],
    ['cursor', cursor.slice(0, -1)],
    ['cursor', 'x'.repeat(513)],
    ['client_code', 'x'],
    ['client_code', ''],
    ['client_code', '1.5'],
    ['from', '2026-11-01'],
    ['from', 'yesterday'],
    ['to', ''],
    ['external_id', ''],
    ['external_id', 'x'.repeat(256)],
    ['external_id', '%00'],
  ]) {
    const { status, body } = await list(shop, `?${field}=${value}`);
    const { detail } = body as { detail?: { loc: unknown }[] };
    assert.deepEqual([status, detail?.[0]?.loc], [422, ['query', field]], `${field}=${value}`);
  }
  assert.equal((await list(shop, '?cursor=')).status, 200);
});

function list(shop: Shop, query: string): Promise<Answer> {
  return shop.get(`/v1/consumptions${query}`);
}

function pageOf(answer: Answer): Page {
  assert.equal(answer.status, 200, answer.text);
  return answer.body as Page;
}

async function pagesOf(shop: Shop, query: string): Promise<Page[]> {
  const pages = [pageOf(await list(shop, query))];
  for (let { next_cursor: cursor } = pages[0]!; cursor !== null; cursor = pages.at(-1)!.next_cursor) {
    pages.push(pageOf(await list(shop, `${query === '' ? '?' : `${query}&`}cursor=${cursor}`)));
  }
  return pages;
}

/** Records a purchase of 100 on each of these days of February 2026, by the members in turn. */
async function buy(shop: Shop, members: readonly MadeMember[], days: readonly number[]): Promise<void> {
  const { db } = await service();
  await transaction(db, (tx) =>
    recordPurchases(
      tx,
      days.map((one, i) => ({
        commerceId: shop.id,
        buyer: { code: members[i % members.length]!.code },
        amount: 100,
        ...NOWHERE,
        late: { at: new Date(day(one)), isLatest: false },
      })),
    ),
  );
}

async function sellAtTill(shop: Shop, member: MadeMember, externalId: string): Promise<string> {
  const body = { client_code: member.code, amount: 100, external_id: externalId };
  return String((await shop.post('/v1/consumptions/client-code', body)).headers.get('location'));
}

function day(one: number): string {
  return `2026-02-${String(one).padStart(2, '0')}T00:00:00.000Z`;
}
