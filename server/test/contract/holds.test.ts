/** A cart holds a code until it pays. It is a promise between carts only: a till uses the code all the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql } from '#db/database.ts';
import { retention } from '#jobs/retention.ts';
import { assertBooksAgree } from '#test/books.ts';
import { earlier } from '#test/earlier.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { rawCall } from '#test/http/raw-call.ts';

const { db } = await service();

const coffee = { sandbox: true, benefits: [benefit('coffee', { cost: 0, valid_days: 10 })] };

async function shopWithCode(fields = {}) {
  const shop = await makeShop({ ...coffee, ...fields });
  const member = await shop.member();
  return { shop, member, code: await shop.voucher(member, 'coffee') };
}

function hold(shop: Shop, code: number, externalId: string, more = {}): Promise<Answer> {
  return shop.post('/v1/benefits/holds', { client_benefit_code: code, external_id: externalId, ...more });
}

function release(shop: Shop, externalId: string, query = ''): Promise<Answer> {
  return call('DELETE', `/v1/benefits/holds/${encodeURIComponent(externalId)}${query}`, {
    headers: { authorization: `Bearer ${shop.key}` },
  });
}

function redeem(shop: Shop, code: number, more = {}): Promise<Answer> {
  return shop.post('/v1/benefits/redeem', { client_benefit_code: code, ...more });
}

async function heldUntil(shop: Shop, code: number): Promise<string | null> {
  return (await shop.get(`/v2/benefits/preview/${code}`)).headers.get('x-held-until');
}

async function minutesOf(shop: Shop, code: number): Promise<number> {
  const { rows } = await sql<{ minutes: number }>`
    select (extract(epoch from expires_at - held_at) / 60)::float8 as minutes
      from holds where commerce_id = ${shop.id} and code = ${code}`.execute(db);
  return rows[0]!.minutes;
}

/** Lets a hold be this much older, as if the time had passed on the database's clock. */
async function age(shop: Shop, code: number, interval: string): Promise<void> {
  await sql`
    update holds set held_at = ${earlier('held_at', interval)}, expires_at = ${earlier('expires_at', interval)}
     where commerce_id = ${shop.id} and code = ${code}`.execute(db);
}

const codeOf = ({ status, headers }: Answer) => [status, headers.get('x-error-code')];

test('a cart holds a code, other carts are told so, look-ups say until when, and a release ends it', async () => {
  const { shop, code } = await shopWithCode();
  const first = await hold(shop, code, 'cart 1/a');
  assert.equal(first.status, 201);
  const { external_id: id, expires_at: until } = first.body as { external_id: string; expires_at: string };
  assert.equal(id, 'cart 1/a');
  assert.equal(await heldUntil(shop, code), until);
  assert.equal((await shop.get(`/v1/benefits/preview/${code}`)).headers.get('x-held-until'), until);
  assert.deepEqual(codeOf(await hold(shop, code, 'cart 2')), [409, 'held']);
  assert.equal((await hold(shop, code, 'cart 1/a')).status, 200);
  for (const cart of ['cart 2', 'cart 1/a', 'cart 1/a'])
    assert.deepEqual((await release(shop, cart)).body, { message: 'hold released' });
  assert.equal(await heldUntil(shop, code), null);
  assert.equal((await hold(shop, code, 'cart 2')).status, 201);
  await assertBooksAgree(db, shop.id);
});

test('a cart lets go of one code and keeps the others, and a misspelled code lets go of nothing', async () => {
  const { shop, member, code } = await shopWithCode();
  const other = await shop.voucher(member, 'coffee');
  for (const one of [code, other]) await hold(shop, one, 'cart 1');
  const until = await heldUntil(shop, other);
  for (const query of ['?client_benefit_code=', '?client_benefit_code=abc', `?code=${code}`])
    assert.equal((await release(shop, 'cart 1', query)).status, 422, query);
  assert.equal((await release(shop, 'cart 2', `?client_benefit_code=${code}`)).status, 200);
  assert.notEqual(await heldUntil(shop, code), null, 'another cart lets go of nothing');
  for (let time = 0; time < 2; time += 1)
    assert.deepEqual((await release(shop, 'cart 1', `?client_benefit_code=${code}`)).body, {
      message: 'hold released',
    });
  assert.deepEqual([await heldUntil(shop, code), await heldUntil(shop, other)], [null, until]);
  assert.equal((await hold(shop, code, 'cart 2')).status, 201);
  assert.deepEqual(codeOf(await hold(shop, other, 'cart 2')), [409, 'held']);
});

test('the same cart extends its hold, but never past four times the minutes of the program from the first', async () => {
  const { shop, code } = await shopWithCode({ codes: { hold_minutes: 10 } });
  await hold(shop, code, 'cart', { minutes: 4 });
  assert.equal(await minutesOf(shop, code), 4);
  await age(shop, code, '3 minutes');
  await hold(shop, code, 'cart');
  const extended = await minutesOf(shop, code);
  assert.ok(extended >= 13 && extended < 14, `${extended} minutes from the first`);
  await hold(shop, code, 'cart', { minutes: 1 });
  assert.equal(await minutesOf(shop, code), extended, 'a hold is never cut short');
  await sql`
    update holds set held_at = now() - interval '36 minutes', expires_at = now() + interval '2 minutes'
     where commerce_id = ${shop.id}`.execute(db);
  await hold(shop, code, 'cart');
  assert.equal(await minutesOf(shop, code), 40);
  const tooLong = await hold(shop, code, 'cart', { minutes: 11 });
  assert.deepEqual(
    [tooLong.status, (tooLong.body as { detail: { loc: string[] }[] }).detail[0]!.loc],
    [422, ['body', 'minutes']],
  );
});

test('a hold ends by itself, and then another cart can have the code', async () => {
  const { shop, member, code } = await shopWithCode();
  await hold(shop, code, 'cart 1');
  await age(shop, code, '31 minutes');
  assert.equal(await heldUntil(shop, code), null);
  assert.deepEqual((await (await shop.browser(member)).get('/v1/me/benefits/holds')).body, []);
  assert.equal((await hold(shop, code, 'cart 2')).status, 201);
  await age(shop, code, '2 days');
  await retention.everywhere!(db);
  const { rows } = await sql`select from holds where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 0);
});

test('a till uses a held code, and the cart is told so when it confirms', async () => {
  const { shop, code } = await shopWithCode();
  await hold(shop, code, 'cart');
  assert.equal((await redeem(shop, code)).status, 200);
  assert.deepEqual(codeOf(await redeem(shop, code, { external_id: 'cart' })), [400, 'benefit_used']);
  assert.deepEqual(codeOf(await hold(shop, code, 'cart')), [400, 'benefit_used']);
  const { rows } = await sql`select from holds where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 0);
});

test('a code that was held before its due date can be confirmed by its cart until the hold ends', async () => {
  const { shop, code } = await shopWithCode();
  await setClock(db, shop.id, new Date('2027-01-01T00:00:00Z'));
  const due = await shopWithCode();
  await hold(due.shop, due.code, 'cart');
  await due.shop.moveClock('11 days');
  assert.deepEqual(codeOf(await redeem(due.shop, due.code)), [400, 'voucher_expired']);
  assert.deepEqual(codeOf(await redeem(due.shop, due.code, { external_id: 'another' })), [
    400,
    'voucher_expired',
  ]);
  assert.deepEqual(codeOf(await hold(due.shop, due.code, 'cart')), [400, 'voucher_expired']);
  assert.equal((await redeem(due.shop, due.code, { external_id: 'cart' })).status, 200);
  await assertBooksAgree(db, due.shop.id);
  // Without a hold, or after its end, the date counts.
  assert.deepEqual(codeOf(await hold(shop, code, 'cart')), [400, 'voucher_expired']);
  const late = await shopWithCode();
  await hold(late.shop, late.code, 'cart');
  await late.shop.moveClock('11 days');
  await age(late.shop, late.code, '31 minutes');
  assert.deepEqual(codeOf(await redeem(late.shop, late.code, { external_id: 'cart' })), [
    400,
    'voucher_expired',
  ]);
});

test('carts hold at most 20 codes of a member at once, and the member sees them', async () => {
  const shop = await makeShop(coffee);
  const member = await shop.member();
  const codes = [];
  for (let i = 0; i < 21; i++) codes.push(await shop.voucher(member, 'coffee'));
  for (const code of codes.slice(0, 20)) assert.equal((await hold(shop, code, `cart ${code}`)).status, 201);
  assert.deepEqual(codeOf(await hold(shop, codes[20]!, 'cart')), [409, 'too_many_holds']);
  assert.equal((await hold(shop, codes[0]!, `cart ${codes[0]}`)).status, 200);
  const held = (await (await shop.browser(member)).get('/v1/me/benefits/holds')).body as {
    client_benefit_code: number;
  }[];
  assert.deepEqual(new Set(held.map(({ client_benefit_code: code }) => code)), new Set(codes.slice(0, 20)));
  const other = await shop.member();
  assert.deepEqual((await (await shop.browser(other)).get('/v1/me/benefits/holds')).body, []);
  assert.equal((await hold(shop, await shop.voucher(other, 'coffee'), 'cart')).status, 201);
  await release(shop, `cart ${codes[3]}`);
  assert.equal((await hold(shop, codes[20]!, 'cart')).status, 201);
});

test('nothing can be held that is unknown, void or another shop’s, and an erased member’s holds are gone', async () => {
  const [one, two] = [await shopWithCode(), await shopWithCode()];
  const unknown = await hold(one.shop, 10_000_000_000_001, 'cart');
  const foreign = await hold(one.shop, two.code, 'cart');
  assert.deepEqual([foreign.status, foreign.text], [404, unknown.text]);
  await hold(two.shop, two.code, 'cart');
  assert.equal((await release(one.shop, 'cart')).status, 200);
  assert.notEqual(await heldUntil(two.shop, two.code), null);
  await hold(one.shop, one.code, 'cart');
  await one.shop.erase(one.member);
  const { rows } = await sql`select from holds where commerce_id = ${one.shop.id}`.execute(db);
  assert.equal(rows.length, 0);
  assert.deepEqual(codeOf(await hold(one.shop, one.code, 'cart')), [400, 'voucher_given_back']);
});

test('the id of a cart is 1 to 255 printable ASCII characters, decoded once, and never a dot segment', async () => {
  const { shop, code } = await shopWithCode();
  for (const id of ['', '.', '..', 'a\nb', 'ñ', 'x'.repeat(256)])
    assert.equal((await hold(shop, code, id)).status, 422, JSON.stringify(id));
  const { app } = await service();
  for (const path of ['.', '..', '%2e', '%2E%2e', 'a%0Ab', '%C3%B1', 'x'.repeat(256)]) {
    const head = `DELETE /v1/benefits/holds/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
    const answer = await rawCall(app, `${head}Authorization: Bearer ${shop.key}\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 422 /, path);
  }
  for (const id of ['x'.repeat(255), '%2F', 'a/../b', '%'.repeat(255), '...']) {
    assert.equal((await hold(shop, code, id)).status, 201, id);
    assert.equal((await release(shop, id)).status, 200);
    assert.equal(await heldUntil(shop, code), null, id);
  }
});

test('a benefit may have an id that is also a word in these paths', async () => {
  const { shop } = await shopWithCode({ benefits: [benefit('holds'), benefit('coffee', { cost: 0 })] });
  assert.partialDeepStrictEqual((await shop.get('/v1/benefits/holds')).body, { id: 'holds' });
});
