/** What a shop shows is kept from one request to the next, and nobody can tell but by the time that it takes. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql } from '#db/database.ts';
import { call, SECRET, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { buildApp } from '../../src/app.ts';
import { everyBenefit } from './every-benefit.ts';

const CATALOG = '/v1/public/benefits';
const { db, url } = await service();
/** Another process on the same database, as far as a process keeps anything. */
const elsewhere = await buildApp({ db, log: false, secret: SECRET });
after(() => elsewhere.close());

/** Every call whose answer is kept, as this shop and a member of it make it. */
async function callsOf(shop: Shop) {
  const { token } = await shop.browser(await shop.member());
  const commerce = { 'x-commerce-id': String(shop.id) };
  return [
    { path: CATALOG, headers: commerce, cached: ['public, no-cache', 'X-Commerce-Id'] },
    { path: '/v1/public/commerce', headers: commerce, cached: ['public, no-cache', 'X-Commerce-Id'] },
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

/** The ids that both processes show to anyone; what one shows, the other has to show. */
async function shown(shop: Shop): Promise<string[]> {
  const headers = { 'x-commerce-id': String(shop.id) };
  const [here, there] = [await shop.visit(CATALOG), await elsewhere.inject({ url: CATALOG, headers })];
  assert.deepEqual([there.statusCode, there.body], [here.status, here.text]);
  assert.equal(there.headers['etag'], here.headers.get('etag'));
  return (here.body as { id: string }[]).map(({ id }) => id);
}

test('what may be kept says by whom, and is a 304 to who has it', async () => {
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

test('who may not ask is refused, whatever tag they send, and the refusal is not kept', async () => {
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

test('kept or read anew, the full list is its benefits one by one, to the byte', async () => {
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

test('another program is shown at once, in every process, by every call', async () => {
  const shop = await makeShop({ name: 'Before', benefits: [benefit('one'), benefit('two')] });
  const calls = await callsOf(shop);
  const read = (): Promise<Answer[]> =>
    Promise.all(calls.map(({ path, headers }) => call('GET', path, { headers })));
  const readElsewhere = () =>
    Promise.all(calls.map(({ path, headers }) => elsewhere.inject({ url: path, headers })));
  const before = await read();
  await readElsewhere();
  await shop.apply({ name: 'After', benefits: [benefit('two', { title: 'Two!' }), benefit('three')] });
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

test('what sells out is gone with the answer of the last exchange, and back when it is given back', async () => {
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
    await giveBackVoucher(db, { commerceId: shop.id, code });
  }
});

test('the shop’s clock takes a benefit out at the instant of its expiration, and nothing else does', async () => {
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

test('a commerce that is not there yet is a 404, and found the moment that it is', async () => {
  const { id } = await makeShop();
  const ask = () => call('GET', CATALOG, { headers: { 'x-commerce-id': String(id + 1) } });
  assert.equal((await ask()).status, 404);
  const shop = await makeShop({ benefits: [benefit('one')] });
  assert.equal(shop.id, id + 1);
  assert.deepEqual([(await ask()).status, await shown(shop)], [200, ['one']]);
});

test('a commerce that another process has closed shows nothing any more, at once', async () => {
  const shop = await makeShop({ benefits: [benefit('one')] });
  const calls = await callsOf(shop);
  for (const { path, headers } of calls) assert.equal((await call('GET', path, { headers })).status, 200);
  // Past what this process remembers of commerces and keys for five seconds.
  await sql`update commerces set status = 'closed' where id = ${shop.id}`.execute(db);
  for (const { path, headers } of calls) {
    const { status } = await call('GET', path, { headers });
    assert.equal(status, path === '/v1/benefits/list' ? 401 : 404, path);
  }
});

test('two commerces with the same ids never show each other’s', async () => {
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
