import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { mailedCodes, someone } from '#test/sign-in.ts';
import { createWireIds, readInstallationIds } from './wire-ids.ts';

const KEY = Buffer.from('1a19181211100a0908020100', 'hex');

test('the ids of two purchases do not say how many others there were between them', async () => {
  const { db } = await service();
  const [shop, other] = [await makeShop(), await makeShop()];
  const [member, stranger] = [await shop.member(), await other.member()];
  const first = await sell(shop, member.code);
  for (let i = 0; i < 5; i += 1) await sell(other, stranger.code);
  const second = await sell(shop, member.code);
  const [from, to] = [idOf(first), idOf(second)];
  assert.ok(Math.abs(to - from) > 1_000, `${from}, then ${to}`);

  const ids = await readInstallationIds(db, 'purchase');
  assert.equal(ids.fromWire(to)! - ids.fromWire(from)!, 6);
  assert.equal(first.headers.get('location'), `/v1/consumptions/${from}`);
  assert.equal(((await shop.get(`/v1/consumptions/${from}`)).body as { id: number }).id, from);
  assert.equal((await shop.post(`/v1/consumptions/${from}/reversal`, {})).status, 201);
});

test('guessing gives nothing: neither the stored ids nor the neighbours of an id are answered', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const id = idOf(await sell(shop, (await shop.member()).code));
  const stored = (await readInstallationIds(db, 'purchase')).fromWire(id)!;
  const unknown = {
    status: 404,
    text: '{"message":"the consumption does not exist: send the X-Consumption-Id of the response that recorded it, and the key of that shop"}',
  };
  for (const guess of [
    stored,
    stored - 1,
    stored + 1,
    id - 1,
    id + 1,
    0,
    -1,
    2 ** 48,
    2 ** 49,
    2 ** 53 - 1,
  ]) {
    const { status, text } = await shop.get(`/v1/consumptions/${guess}`);
    assert.deepEqual({ status, text }, unknown, String(guess));
    assert.equal((await shop.post(`/v1/consumptions/${guess}/reversal`, {})).status, 404);
  }
});

test('the ids of users, and those inside tokens and cursors, do not count up either', async () => {
  const shop = await makeShop();
  const opened: Opened[] = [];
  for (let i = 0; i < 2; i += 1) {
    const email = someone();
    const headers = { 'x-commerce-id': String(shop.id) };
    await call('POST', '/v1/auth/otp/request', { headers, body: { email } });
    const [otp] = await mailedCodes(shop.id, email);
    opened.push(
      (await call('POST', '/v1/auth/otp/verify', { headers, body: { email, otp } })).body as Opened,
    );
  }
  const [first, second] = opened.map(({ user_id, access }) => ({ user_id, ...claimsOf(access) }));
  for (const name of ['user_id', 'sub', 'sid'] as const)
    assert.ok(Math.abs(Number(second![name]) - Number(first![name])) > 1_000, name);

  const member = await shop.member();
  for (let i = 0; i < 25; i += 1) await shop.sell(member, 1);
  const page = (await (await shop.browser(member)).get('/v1/me/activity')).body as { next_cursor: string };
  const [content] = page.next_cursor.split('.');
  assert.match(Buffer.from(content!, 'base64url').toString(), /^o\.\d+\.\d{15}$/);
});

test('an id that an older release handed out stays good, and those that it still hands out are accepted', () => {
  const ids = createWireIds(KEY, 5_000);
  for (const id of [1, 4_999, 5_000]) {
    assert.equal(ids.toWire(id), id);
    assert.equal(ids.fromWire(id), id);
  }
  assert.equal(ids.fromWire(5_001), 5_001);
  assert.notEqual(ids.toWire(5_001), 5_001);
  assert.equal(ids.fromWire(ids.toWire(5_001)), 5_001);
  assert.equal(ids.fromWire(2_000_000), null);
  const fresh = createWireIds(KEY, 0);
  assert.equal(fresh.fromWire(1), null);
});

interface Opened {
  readonly user_id: number;
  readonly access: string;
}

function claimsOf(token: string): { sub: string; sid: string } {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
    sub: string;
    sid: string;
  };
}

function sell(shop: Shop, code: number) {
  return shop.post('/v1/consumptions/client-code', { client_code: code, amount: 5 });
}

function idOf(answer: Awaited<ReturnType<typeof sell>>): number {
  return Number(answer.headers.get('x-consumption-id'));
}
