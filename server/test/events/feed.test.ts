import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listKeys, revokeKey } from '#commerces/api-keys.ts';
import { sql, transaction } from '#db/database.ts';
import { createEventCursors, type EventCursor } from '#events/event-cursor.ts';
import { readFeed } from '#events/feed.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { sealLedger } from '#seals/seal-ledger.ts';
import { countingDatabase } from '#test/count-statements.ts';
import { earlier } from '#test/earlier.ts';
import { call, SECRET, service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { assertCopyAgrees } from './compare.ts';
import { catchUp, emptyCopy, readPage, readSnapshot, type ReadPage } from './reader.ts';

test('a reader learns each thing that happens once, in the order in which it happened', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 10 })] });
  const member = await shop.member();
  await shop.sell(member, 30);
  const code = await shop.voucher(member, 'coffee');
  assert.equal((await shop.post('/v1/benefits/redeem', { client_benefit_code: code })).status, 200);
  await shop.leave(member);

  const copy = emptyCopy();
  const events = await catchUp(shop, copy, 2);
  assert.deepEqual(
    events.map(({ type }) => type),
    [
      'program.published',
      'member.invited',
      'member.joined',
      'purchase.recorded',
      'voucher.issued',
      'voucher.used',
      'member.left',
    ],
  );
  assert.deepEqual(await catchUp(shop, copy), []);
  const again = await readSnapshot(shop);
  assert.deepEqual([...again.members], [...copy.members]);
  assert.deepEqual(again.vouchers, copy.vouchers);
  assert.equal(again.movements, copy.movements);
  assert.deepEqual((await readPage(shop, again.next)).events, []);
});

test('a cart that holds a code, holds it for longer and lets go is in the feed; a hold that ends by itself or by a use is not', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 0 })] });
  const member = await shop.member();
  const codes = [await shop.voucher(member, 'coffee'), await shop.voucher(member, 'coffee')];
  const hold = async (code: number, cart: string, minutes: number) => {
    const { body } = await shop.post('/v1/benefits/holds', {
      client_benefit_code: code,
      external_id: cart,
      minutes,
    });
    return (body as { expires_at: string }).expires_at;
  };
  const release = (cart: string) =>
    call('DELETE', `/v1/benefits/holds/${cart}`, { headers: { authorization: `Bearer ${shop.key}` } });
  const copy = emptyCopy();
  await catchUp(shop, copy);
  const news = async () =>
    (await catchUp(shop, copy)).map(({ type, data }) => {
      assert.equal(data['member_id'], [...copy.members.keys()][0]);
      return [type, data['external_id'], data['held_until']];
    });

  const until = await hold(codes[0]!, 'cart-1', 10);
  const later = await hold(codes[0]!, 'cart-1', 20);
  await hold(codes[0]!, 'cart-1', 5);
  await release('cart-1');
  await release('cart-1');
  await release('cart-2');
  assert.deepEqual(await news(), [
    ['voucher.held', 'cart-1', until],
    ['voucher.held', 'cart-1', later],
    ['voucher.released', 'cart-1', undefined],
  ]);

  const third = await hold(codes[0]!, 'cart-3', 10);
  await sql`update holds set held_at = ${earlier('held_at', '1 hour')}, expires_at = ${earlier('expires_at', '1 hour')}
             where commerce_id = ${shop.id}`.execute(db);
  await release('cart-3');
  const fourth = await hold(codes[0]!, 'cart-4', 10);
  assert.equal((await shop.post('/v1/benefits/redeem', { client_benefit_code: codes[0]! })).status, 200);
  await release('cart-4');
  assert.deepEqual(await news(), [
    ['voucher.held', 'cart-3', third],
    ['voucher.held', 'cart-4', fourth],
    ['voucher.used', undefined, undefined],
  ]);

  const order = (version: number, status: string, its: readonly number[]) =>
    call('PUT', '/v1/orders/order-1', {
      headers: { authorization: `Bearer ${shop.key}` },
      body: { client_code: member.code, status, paid: 0, refunded: 0, codes: its, version },
    });
  await order(1, 'open', [codes[1]!]);
  await order(2, 'cancelled', [codes[1]!]);
  assert.deepEqual(
    (await news()).map(([type, id]) => [type, id]),
    [
      ['voucher.held', 'order-1'],
      ['order.changed', 'order-1'],
      ['voucher.released', 'order-1'],
      ['order.changed', 'order-1'],
    ],
  );
  await hold(codes[1]!, 'cart-5', 10);
  await catchUp(shop, copy);
  await assertCopyAgrees(db, shop.id, copy);
  await assertCopyAgrees(db, shop.id, await readSnapshot(shop));
});

test('a cursor of another shop, a changed, an invented, an old one and one from before a restore are lost, and the answers are alike', async () => {
  const { db } = await service();
  const [shop, other] = [await makeShop(), await makeShop()];
  const { next } = await readPage(shop, undefined);
  const { epoch } = await readFeed(db, shop.id);
  const cursors = createEventCursors(SECRET)(shop.id);
  const sealed = (fields: Partial<EventCursor>) =>
    cursors.seal({ epoch, through: 0, missing: [], givenAt: new Date(), ...fields });
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

  assert.deepEqual((await readPage(shop, sealed({ givenAt: daysAgo(89) }))).events.length, 1);
  const lost = [
    (await readPage(other, undefined)).next,
    `${next.slice(0, -2)}${next.at(-2) === 'A' ? 'B' : 'A'}${next.at(-1)}`,
    next.slice(1),
    'x',
    '',
    sealed({ givenAt: daysAgo(91) }),
    sealed({ through: 2 ** 47 }),
    sealed({ epoch: Buffer.alloc(8) }),
  ];
  const answers = new Set<string>();
  const assertLost = async (cursor: string) => {
    const { status, headers, text } = await shop.get(`/v1/events?after=${cursor}`);
    assert.deepEqual([status, headers.get('x-error-code')], [409, 'cursor_lost'], cursor);
    answers.add(text);
  };
  for (const cursor of lost) await assertLost(cursor);
  await readPage(shop, next);
  await sql`delete from event_feeds`.execute(db);
  await assertLost(next);
  assert.equal(answers.size, 1);
  assert.equal((await shop.get(`/v1/events?after=${'x'.repeat(513)}`)).status, 422);
});

test('a reader chooses types, and an unknown one is refused', async () => {
  const shop = await makeShop();
  for (let i = 0; i < 5; i++) await shop.sell(await shop.member(), 10);
  const { events, has_more: hasMore } = await readPage(shop, undefined, 'types=member.joined&limit=3');
  assert.deepEqual(
    [events.map(({ type }) => type), hasMore],
    [['member.joined', 'member.joined', 'member.joined'], true],
  );
  for (const query of ['types=member.joyned', 'types=', 'wait=31', 'limit=0', 'limit=1001', 'typ=x'])
    assert.equal((await shop.get(`/v1/events?${query}`)).status, 422, query);
});

test('a page that is read and written in slices is the same as small pages, also of chosen types', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const member = await shop.member();
  const purchase = { commerceId: shop.id, buyer: { code: member.code }, ...NOWHERE, amount: 1 };
  for (let n = 0; n < 3; n++)
    await transaction(db, (tx) =>
      recordPurchases(
        tx,
        Array.from({ length: 120 }, () => purchase),
      ),
    );
  for (const query of ['', 'types=purchase.recorded&']) {
    const large = await readPage(shop, undefined, `${query}limit=1000`);
    const small = [];
    let page = await readPage(shop, undefined, `${query}limit=7`);
    for (;;) {
      small.push(...page.events);
      if (!page.has_more) break;
      page = await readPage(shop, page.next, `${query}limit=7`);
    }
    assert.ok(large.events.length >= 360);
    assert.equal(large.has_more, false);
    assert.deepEqual(large.events, small);
    const most = await readPage(shop, undefined, `${query}limit=250`);
    assert.equal(most.events.length, 250);
    const rest = await readPage(shop, most.next, `${query}limit=250`);
    assert.deepEqual([...most.events, ...rest.events], small);
  }
});

test('a call waits for the next event, five of a key wait and a sixth is told so, and a revoked key ends its wait', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const member = await shop.member();
  const { next } = await readPage(shop, undefined);
  const calls = Array.from({ length: 6 }, () =>
    shop.get(`/v1/events?after=${next}&wait=30&types=purchase.recorded`),
  );
  // The only one that ends by itself.
  const sixth = await Promise.race(calls);
  assert.deepEqual([sixth.status, sixth.headers.get('x-error-code')], [429, 'rate_limited']);
  await shop.sell(member, 12);
  const answers = (await Promise.all(calls)).filter(({ status }) => status === 200);
  assert.deepEqual(
    answers.map(({ body }) => (body as ReadPage).events.map(({ data }) => data['points'])),
    Array.from({ length: 5 }, () => [12]),
  );

  const { next: end } = await readPage(shop, undefined);
  const ended = shop.get(`/v1/events?after=${end}&wait=30`);
  const keys = await listKeys(db, shop.id);
  await revokeKey(db, shop.id, keys[0]!.id);
  assert.equal((await ended).status, 401);
});

test('events name people and codes only as they are now, so nothing of an erased person is left', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 10 })] });
  const member = await shop.member('erasable');
  await shop.sell(member, 30);
  await shop.voucher(member, 'coffee');
  const browser = await shop.browser(member);
  await browser.patch('/v1/me', { username: 'Erasable Person' });
  const before = JSON.stringify((await readPage(shop, undefined)).events);
  assert.match(before, /erasable@example.com.*Erasable Person/s);
  assert.match(before, new RegExp(`"client_code":${member.code}\\b`));
  await shop.erase(member);
  const { events } = await readPage(shop, undefined);
  assert.doesNotMatch(JSON.stringify(events), new RegExp(`erasable|${member.code}`, 'i'));
  const ofThem = events.filter(({ data }) => 'person' in data);
  assert.ok(ofThem.length > 5);
  for (const { data } of ofThem)
    assert.deepEqual(data['person'], { client_code: null, email: null, username: null });
  const { text: snapshot } = await shop.get('/v1/events/snapshot');
  assert.match(snapshot, /"erased":true.*"person":\{"client_code":null,"email":null,"username":null\}/);
  assert.doesNotMatch(snapshot, new RegExp(`erasable|${member.code}`, 'i'));
  assert.deepEqual(
    events.slice(-3).map(({ type }) => type),
    ['points.adjusted', 'voucher.voided', 'member.erased'],
  );
  const { rows } = await sql<{ text: string }>`
    select h::text as text from happenings h where commerce_id = ${shop.id}`.execute(db);
  assert.doesNotMatch(JSON.stringify(rows), /erasable/i);
});

test('a sealed movement names its place in the tree, and what is no movement has none', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 1 })] });
  const member = await shop.member();
  for (let i = 0; i < 300; i++) await shop.sell(member, 1);
  await sealLedger(db, shop.id);
  const places: (number | undefined)[] = [];
  let after: string | undefined;
  for (let hasMore = true; hasMore;) {
    const page: ReadPage = await readPage(shop, after, 'limit=37');
    places.push(...page.events.map(({ sealed }) => sealed?.index));
    [after, hasMore] = [page.next, page.has_more];
  }
  const first = Array.from({ length: 300 }, (_, i) => i);
  assert.deepEqual(places, [undefined, undefined, undefined, ...first]);
  await shop.sell(member, 1);
  assert.equal((await readPage(shop, after)).events[0]?.sealed, null);
});

test('a purchase writes nothing for readers of events', async () => {
  const { db, count } = await countingDatabase();
  const shop = await makeShop();
  const member = await shop.member();
  const sell = () =>
    transaction(db, (tx) =>
      recordPurchases(tx, [{ commerceId: shop.id, buyer: { code: member.code }, amount: 1, ...NOWHERE }]),
    );
  await sell();
  const { texts } = await count(sell);
  assert.ok(texts.length > 0);
  assert.deepEqual(
    texts.filter((text) => text.includes('happenings')),
    [],
  );
});
