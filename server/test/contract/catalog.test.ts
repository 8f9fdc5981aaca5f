/**
 * A shop's catalog and branding are cached between requests. Apart from the time that it saves, this must not be
 * visible.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql, transaction } from '#db/database.ts';
import { call, SECRET, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { buildApp } from '../../src/app.ts';
import { everyBenefit } from './every-benefit.ts';

const CATALOG = '/v1/public/benefits';
const { db, url } = await service();
/** Stands in for another process on the same database: it shares no memory with the first. */
const elsewhere = await buildApp({ db, log: false, secret: SECRET });
after(() => elsewhere.close());

/** Every call whose response is cached, made by this shop or by a member of it. */
async function callsOf(shop: Shop) {
  const { token } = await shop.browser(await shop.member());
  const commerce = { 'x-commerce-id': String(shop.id) };
  return [
    { path: CATALOG, headers: commerce, cached: ['public, no-cache', 'X-Commerce-Id'] },
    { path: '/v1/public/commerce', headers: commerce, cached: ['public, no-cache', 'X-Commerce-Id'] },
    { path: '/v1/public/program', headers: commerce, cached: ['public, no-cache', 'X-Commerce-Id'] },
    {
      path: '/v1/me/benefits/available',
      headers: { ...commerce, authorization: `Bearer ${token}` },
      cached: ['private, no-cache', 'Authorization, X-Commerce-Id'],
    },
    {
      path: '/v1/benefits/list',
      headers: { authorization: `Bearer ${shop.key}` },
      cached: ['private, no-cache', 'Authorization'],
    },
  ] as const;
}

/** Returns the IDs that the calls show, and asserts that both processes show the same. */
async function shown(shop: Shop): Promise<string[]> {
  const headers = { 'x-commerce-id': String(shop.id) };
  const [here, there] = [await shop.visit(CATALOG), await elsewhere.inject({ url: CATALOG, headers })];
  assert.deepEqual([there.statusCode, there.body], [here.status, here.text]);
  assert.equal(there.headers['etag'], here.headers.get('etag'));
  return (here.body as { id: string }[]).map(({ id }) => id);
}

test('a cacheable response says who may cache it, and is a 304 for a caller that has it', async () => {
  const shop = await makeShop({ benefits: everyBenefit });
  for (const { path, headers, cached } of await callsOf(shop)) {
    const asked = (tag?: string) =>
      call('GET', path, { headers: { ...headers, ...(tag !== undefined && { 'if-none-match': tag }) } });
    const first = await asked();
    const tag = first.headers.get('etag')!;
    const kept = await asked(tag);
    assert.deepEqual([first.status, kept.status, kept.text], [200, 304, ''], path);
    for (const { headers } of [first, kept]) {
      assert.deepEqual([headers.get('cache-control'), headers.get('vary')], cached, path);
      assert.equal(headers.get('etag'), tag);
    }
    for (const name of ['access-control-allow-origin', 'access-control-expose-headers'])
      assert.equal(kept.headers.get(name), first.headers.get(name));
    assert.equal((await asked('"another"')).text, first.text);

    for (const [said, status] of [
      ['"another"', 200],
      [tag, 304],
    ] as const) {
      const head = await fetch(url + path, {
        method: 'HEAD',
        headers: { ...headers, 'if-none-match': said },
      });
      assert.deepEqual([head.status, await head.text(), head.headers.get('etag')], [status, '', tag]);
      assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(first.text)));
    }
  }
});

test('a caller without the right credential is refused with any tag, and the refusal must not be cached', async () => {
  const shop = await makeShop({ benefits: [benefit('one')] });
  const any = { 'if-none-match': '*' };
  const id = { 'x-commerce-id': String(shop.id) };
  for (const [path, headers, status] of [
    [CATALOG, any, 422],
    [CATALOG, { ...any, 'x-commerce-id': '9007199254740991' }, 404],
    ['/v1/me/benefits/available', { ...any, ...id }, 401],
    ['/v1/benefits/list', { ...any, authorization: 'Bearer x' }, 401],
  ] as const) {
    const answer = await call('GET', path, { headers });
    assert.deepEqual([answer.status, answer.headers.get('cache-control')], [status, 'no-store'], path);
    assert.equal(answer.headers.get('etag'), null);
  }
});

test('cached or not, the full list equals its benefits looked up one by one, byte for byte', async () => {
  const shop = await makeShop({
    benefits: [
      ...everyBenefit,
      benefit('odd', {
        title: 'Ñandú “e\u0301” 🥐 </script>',
        value: 0.125,
        cost: 9_007_199_254_740_991,
        expiration: '2998-12-31T23:59:59.9-03:30',
        buy_limit: 9_007_199_254_740_991,
      }),
      benefit('constructor', { buy_limit: 1, cost: 0 }),
      benefit('tostring'),
      { ...benefit('hello', { benefit_type: 'welcome' }), cost: undefined },
      benefit('hidden', { on_sale: false }),
    ],
  });
  await shop.voucher(await shop.member(), 'constructor');
  const list = await shop.get('/v1/benefits/list');
  const ids = (list.body as { id: string }[]).map(({ id }) => id);
  const single: string[] = [];
  for (const id of ids) single.push((await shop.get(`/v1/benefits/${id}`)).text);
  assert.equal(list.text, `[${single.join(',')}]`);
  assert.equal((await shop.get('/v1/benefits/list')).text, list.text);
  const headers = { authorization: `Bearer ${shop.key}` };
  assert.equal((await elsewhere.inject({ url: '/v1/benefits/list', headers })).body, list.text);
  assert.deepEqual(
    await shown(shop),
    ids.filter((id) => !['constructor', 'hello', 'hidden'].includes(id)),
  );
});

test('a new program is visible at once in every process and call', async () => {
  const shop = await makeShop({ name: 'Before', benefits: [benefit('one'), benefit('two')] });
  const calls = await callsOf(shop);
  const read = (): Promise<Answer[]> =>
    Promise.all(calls.map(({ path, headers }) => call('GET', path, { headers })));
  const readElsewhere = () =>
    Promise.all(calls.map(({ path, headers }) => elsewhere.inject({ url: path, headers })));
  const before = await read();
  await readElsewhere();
  await shop.apply({
    name: 'After',
    tagline: 'After',
    benefits: [benefit('two', { title: 'Two!' }), benefit('three')],
  });
  const [now, there] = [await read(), await readElsewhere()];
  for (const [i, { path }] of calls.entries()) {
    assert.notEqual(now[i]!.headers.get('etag'), before[i]!.headers.get('etag'), path);
    assert.deepEqual([now[i]!.text, now[i]!.status], [there[i]!.body, 200], path);
  }
  assert.deepEqual(await shown(shop), ['two', 'three']);
  await shop.apply({ name: 'Before', benefits: [benefit('one'), benefit('two')] });
  assert.deepEqual(
    (await read()).map(({ text, headers }) => [text, headers.get('etag')]),
    before.map(({ text, headers }) => [text, headers.get('etag')]),
  );
});

test('a sold-out benefit disappears with the response of the last exchange, and reappears when one is returned', async () => {
  const shop = await makeShop({
    benefits: [benefit('last', { cost: 0, buy_limit: 1 }), benefit('always')],
  });
  const browser = await shop.browser(await shop.member());
  for (let round = 0; round < 20; round++) {
    assert.deepEqual(await shown(shop), ['last', 'always']);
    const sold = await browser.post('/v1/me/benefits/exchange', { benefit_id: 'last' });
    assert.equal(sold.status, 200);
    assert.deepEqual(await shown(shop), ['always']);
    const { client_benefit_code: code } = sold.body as { client_benefit_code: number };
    await transaction(db, (tx) => giveBackVoucher(tx, { commerceId: shop.id, code }));
  }
});

test('a benefit disappears when the shop’s clock reaches its expiration, and not before', async () => {
  const ends = new Date('2031-05-05T10:00:00.000Z');
  const shop = await makeShop({
    sandbox: true,
    benefits: [benefit('ending', { expiration: ends.toISOString() }), benefit('always')],
  });
  for (const [now, ids] of [
    [ends.getTime() - 60_000, ['ending', 'always']],
    [ends.getTime(), ['always']],
    [ends.getTime() - 60_000, ['ending', 'always']],
    [ends.getTime() + 1, ['always']],
  ] as const) {
    await setClock(db, shop.id, new Date(now));
    assert.deepEqual(await shown(shop), ids);
  }
});

test('a commerce that does not exist yet is a 404, and is found as soon as it exists', async () => {
  const { id } = await makeShop();
  const ask = () => call('GET', CATALOG, { headers: { 'x-commerce-id': String(id + 1) } });
  assert.equal((await ask()).status, 404);
  const shop = await makeShop({ benefits: [benefit('one')] });
  assert.equal(shop.id, id + 1);
  assert.deepEqual([(await ask()).status, await shown(shop)], [200, ['one']]);
});

test('a commerce that another process has closed is hidden at once', async () => {
  const shop = await makeShop({ benefits: [benefit('one')] });
  const calls = await callsOf(shop);
  for (const { path, headers } of calls) assert.equal((await call('GET', path, { headers })).status, 200);
  // This process remembers commerces and keys for five seconds.
  await sql`update commerces set status = 'closed' where id = ${shop.id}`.execute(db);
  for (const { path, headers } of calls) {
    const { status } = await call('GET', path, { headers });
    assert.equal(status, path === '/v1/benefits/list' ? 401 : 404, path);
  }
});

test('two commerces with the same benefit IDs never show each other’s benefits', async () => {
  const catalog = (of: string) => [
    benefit('same', { title: `At ${of}`, cost: 0, buy_limit: 1 }),
    benefit('more'),
  ];
  const [one, other] = [
    await makeShop({ name: 'One', benefits: catalog('one') }),
    await makeShop({ name: 'Other', benefits: catalog('other') }),
  ];
  const titlesOfAll = async () => {
    const visits = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? one : other).visit(CATALOG));
    return (await Promise.all(visits)).map(({ text }) => titlesOf(text));
  };
  for (const [i, titles] of (await titlesOfAll()).entries())
    assert.deepEqual(titles, [i % 2 === 0 ? 'At one' : 'At other', 'more']);
  await one.voucher(await one.member(), 'same');
  for (const [i, titles] of (await titlesOfAll()).entries())
    assert.deepEqual(titles, i % 2 === 0 ? ['more'] : ['At other', 'more']);
  const [branding, others] = [
    await one.visit('/v1/public/commerce'),
    await other.visit('/v1/public/commerce'),
  ];
  assert.notEqual(branding.text, others.text);
});

function titlesOf(text: string): string[] {
  return (JSON.parse(text) as { prize: { title: string } }[]).map(({ prize }) => prize.title);
}
