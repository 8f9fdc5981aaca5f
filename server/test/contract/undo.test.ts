/** A redemption with an id of the shop's, and the undo of its use. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInstallationIds } from '#batching/wire-ids.ts';
import { createKey } from '#commerces/api-keys.ts';
import { sql } from '#db/database.ts';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { buildApp } from '../../src/app.ts';
import { assertBooksAgree } from '#test/books.ts';
import { call, SECRET, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';

const { db } = await service();

const PROGRAM = {
  sandbox: true,
  codes: { undo_days: 14 },
  benefits: [benefit('coffee', { cost: 0, valid_days: 10 })],
};

interface Made {
  readonly shop: Shop;
  readonly member: MadeMember;
  readonly key: string;
  readonly keyId: number;
}

async function make(fields: ProgramFields = {}): Promise<Made> {
  const shop = await makeShop({ ...PROGRAM, ...fields });
  const { key, id: keyId } = await createKey(db, shop.id, 'returns', { scopes: KEY_SCOPES });
  return { shop, key, keyId, member: await shop.member() };
}

const redeem = ({ shop }: Made, code: number, externalId?: string, key?: string) =>
  shop.post(
    '/v1/benefits/redeem',
    { client_benefit_code: code, ...(externalId !== undefined && { external_id: externalId }) },
    key === undefined ? {} : { 'idempotency-key': key },
  );

const undo = ({ key }: Made, externalId: string, body: object = {}) =>
  call('POST', `/v1/benefits/redemptions/${encodeURIComponent(externalId)}/undo`, {
    headers: { authorization: `Bearer ${key}` },
    body,
  });

const said = ({ status, headers }: Answer) => [status, headers.get('x-error-code')];
const isReplayed = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';

test('an id and a code name one redemption: the pair again is the first 200, and one id may name two codes', async () => {
  const made = await make();
  const [a, b] = [
    await made.shop.voucher(made.member, 'coffee'),
    await made.shop.voucher(made.member, 'coffee'),
  ];
  const first = await redeem(made, a, 'order 1');
  const again = await redeem(made, a, 'order 1');
  assert.deepEqual([first.status, isReplayed(first)], [200, false]);
  assert.deepEqual([again.status, again.text, isReplayed(again)], [200, first.text, true]);
  assert.equal(isReplayed(await redeem(made, a, 'order 1', 'a key of later')), true);
  assert.equal((await redeem(made, b, 'order 1')).status, 200);
  assert.deepEqual(said(await redeem(made, a, 'order 2')), [400, 'benefit_used']);
  assert.deepEqual(said(await redeem(made, b, 'order 1', 'a key of later')), [422, 'key_reused']);
  await assertBooksAgree(db, made.shop.id);
});

test('an undone code is the member’s again until its old date, and its id and its key redeem nothing any more', async () => {
  const made = await make();
  const { shop, member } = made;
  const code = await shop.voucher(member, 'coffee');
  await redeem(made, code, 'order/1', 'key 1');
  const before = (await (await shop.browser(member)).get('/v1/me')).text;
  const undone = await undo(made, 'order/1');
  assert.deepEqual(
    [undone.status, undone.body, isReplayed(undone)],
    [200, { message: 'redemption undone' }, false],
  );
  const again = await undo(made, 'order/1', { client_benefit_code: code });
  assert.deepEqual([again.status, again.text, isReplayed(again)], [200, undone.text, true]);

  for (const [id, key] of [
    ['order/1', 'key 1'],
    ['order/1', undefined],
    ['order/1', 'key 2'],
  ] as const)
    assert.deepEqual(said(await redeem(made, code, id, key)), [409, 'undone']);
  const other = await shop.voucher(member, 'coffee');
  assert.deepEqual(
    said(await redeem(made, other, 'order/1')),
    [409, 'undone'],
    'all that it named was undone',
  );

  const browser = await shop.browser(member);
  assert.equal((await browser.get('/v1/me')).text, before, 'no figure changed');
  const { results } = (await browser.get('/v1/me/activity')).body as { results: Record<string, unknown>[] };
  assert.partialDeepStrictEqual(
    results.find(({ type }) => type === 'points_special_reward'),
    {
      points: 0,
      benefit: null,
      amount: null,
      event: null,
      additional_note: 'The code is yours again: the shop undid its use',
    },
  );
  const history = (await browser.get('/v1/me/history')).body as {
    results: { kind: string; benefit: object | null }[];
  };
  assert.ok(
    history.results.find(({ kind }) => kind === 'undo')?.benefit,
    'what it was, is told beyond the contract',
  );

  assert.equal((await redeem(made, code, 'order/2', 'key 3')).status, 200);
  assert.equal(isReplayed(await redeem(made, code, 'order/2', 'key 3')), true);
  assert.deepEqual(said(await redeem(made, code, 'order/1', 'key 1')), [409, 'undone']);
  await assertBooksAgree(db, shop.id);
});

test('one of two codes can be undone alone, and the other stays used under the same id', async () => {
  const made = await make();
  const [a, b] = [
    await made.shop.voucher(made.member, 'coffee'),
    await made.shop.voucher(made.member, 'coffee'),
  ];
  for (const code of [a, b]) await redeem(made, code, 'order');
  assert.equal((await undo(made, 'order', { client_benefit_code: a })).status, 200);
  assert.deepEqual(said(await redeem(made, a, 'order')), [409, 'undone']);
  assert.equal(isReplayed(await redeem(made, b, 'order')), true);
  assert.equal(isReplayed(await undo(made, 'order')), false, 'the rest');
  assert.equal(isReplayed(await undo(made, 'order')), true);
  await assertBooksAgree(db, made.shop.id);
});

test('an id that nobody knows is a 404, and a code that was not used with it a 400', async () => {
  const made = await make();
  const [a, b] = [
    await made.shop.voucher(made.member, 'coffee'),
    await made.shop.voucher(made.member, 'coffee'),
  ];
  await redeem(made, a, 'order');
  await redeem(made, b);
  assert.deepEqual(said(await undo(made, 'another')), [404, 'not_found']);
  assert.deepEqual(said(await undo(made, 'order', { client_benefit_code: b })), [400, 'never_used']);
  const held = await made.shop.voucher(made.member, 'coffee');
  await made.shop.post('/v1/benefits/holds', { client_benefit_code: held, external_id: 'cart' });
  assert.deepEqual(said(await undo(made, 'cart')), [400, 'never_used']);
  const stranger = await make();
  const [foreign, none] = [await undo(stranger, 'order'), await undo(stranger, 'no order')];
  assert.deepEqual([foreign.status, foreign.text], [404, none.text]);
  assert.equal((await undo(made, 'order', { code: a })).status, 422, 'a misspelled code would undo all');
});

test('a program undoes nothing unless it says for how many days, and nothing after them', async () => {
  const never = await make({ codes: {} });
  await redeem(never, await never.shop.voucher(never.member, 'coffee'), 'order');
  assert.deepEqual(said(await undo(never, 'order')), [400, 'undo_too_late']);
  const late = await make();
  await redeem(late, await late.shop.voucher(late.member, 'coffee'), 'order');
  await late.shop.moveClock('14 days 1 minute');
  assert.deepEqual(said(await undo(late, 'order')), [400, 'undo_too_late']);
  const intime = await make();
  await redeem(intime, await intime.shop.voucher(intime.member, 'coffee'), 'order');
  await intime.shop.moveClock('13 days 23 hours');
  assert.equal((await undo(intime, 'order')).status, 200);
  await intime.shop.moveClock('30 days');
  assert.equal(isReplayed(await undo(intime, 'order')), true, 'a repeat is never too late');
});

test('a code whose date has passed is good for 30 days more, once in its life, and the exchange is replayed as it was', async () => {
  const made = await make({ codes: { undo_days: 60 } });
  const { shop, member } = made;
  const browser = await shop.browser(member);
  const buy = () =>
    browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' }, { 'idempotency-key': 'k' });
  const bought = await buy();
  const { client_benefit_code: code, due_date: due } = bought.body as {
    client_benefit_code: number;
    due_date: string;
  };
  const dueNow = async () =>
    ((await browser.get('/v1/me/benefits')).body as { due_date: string; used: boolean }[])[0]!;
  await redeem(made, code, 'order 1');
  await shop.moveClock('20 days');
  await undo(made, 'order 1');
  const second = await dueNow();
  const days = (Date.parse(second.due_date) - Date.parse(due)) / 86_400_000;
  assert.ok(days > 39.9 && days < 40.1, `${days} days after the first date`);
  assert.equal((await buy()).text, bought.text);

  await redeem(made, code, 'order 2');
  await undo(made, 'order 2');
  assert.equal((await dueNow()).due_date, second.due_date, 'within its date it keeps it');
  await redeem(made, code, 'order 3');
  await shop.moveClock('31 days');
  assert.equal((await undo(made, 'order 3')).status, 200);
  assert.deepEqual(await dueNow(), { ...(await dueNow()), due_date: second.due_date, used: false });
  assert.deepEqual(said(await redeem(made, code, 'order 4')), [400, 'voucher_expired']);
  await assertBooksAgree(db, shop.id);
});

test('a code whose tier a return took away while it was used is void after the undo, and the tier gives a new one', async () => {
  const made = await make({
    benefits: [benefit('gift', { benefit_type: 'level', cost: 0 })],
    levels: { ladder: [{ id: 'gold', name: 'Gold', threshold: 100, benefit: 'gift' }] },
  });
  const { shop, member } = made;
  const sold = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 150 });
  const browser = await shop.browser(member);
  const codes = async () =>
    ((await browser.get('/v1/me/benefits')).body as { client_benefit_code: number }[]).map(
      (one) => one.client_benefit_code,
    );
  const [gift] = await codes();
  await redeem(made, gift!, 'order');
  await shop.post(`/v1/consumptions/${sold.headers.get('x-consumption-id')}/reversal`, {});
  assert.equal((await undo(made, 'order')).status, 200);
  assert.deepEqual(said(await redeem(made, gift!, 'order 2')), [400, 'voucher_void']);
  const { body } = await shop.get('/v1/events?types=voucher.restored,voucher.voided');
  assert.deepEqual(
    (body as { events: { type: string }[] }).events.map(({ type }) => type),
    ['voucher.restored', 'voucher.voided'],
  );
  assert.deepEqual(await codes(), []);
  const { results } = (await browser.get('/v1/me/activity')).body as {
    results: { additional_note: string }[];
  };
  assert.equal(results[0]!.additional_note, 'The shop undid the use of the code, which is no longer valid');
  await assertBooksAgree(db, shop.id);
  await shop.sell(member, 150);
  assert.equal((await codes()).length, 1);
  assert.notEqual((await codes())[0], gift);
  await assertBooksAgree(db, shop.id);
});

test('an undone code frees no slot of the limit and gives no points back', async () => {
  const made = await make({ benefits: [benefit('mug', { cost: 10, buy_limit: 1 })] });
  const { shop, member } = made;
  await shop.sell(member, 30);
  const code = await shop.voucher(member, 'mug');
  await redeem(made, code, 'order');
  await undo(made, 'order');
  const browser = await shop.browser(member);
  assert.deepEqual(said(await browser.post('/v1/me/benefits/exchange', { benefit_id: 'mug' })), [
    400,
    'sold_out',
  ]);
  assert.equal(((await browser.get('/v1/me')).body as { points: number }).points, 20);
});

test('the code of an erased person stays used', async () => {
  const made = await make();
  await redeem(made, await made.shop.voucher(made.member, 'coffee'), 'order');
  await made.shop.erase(made.member);
  assert.deepEqual(said(await undo(made, 'order')), [400, 'erased']);
  await assertBooksAgree(db, made.shop.id);
});

test('each undo is in the audit with its key, and the history of the console names it', async () => {
  const made = await make();
  const { shop, member } = made;
  const code = await shop.voucher(member, 'coffee');
  await redeem(made, code, 'order 7');
  await undo(made, 'order 7');
  await undo(made, 'order 7');
  const { rows } = await sql`
    select actor, key_id as "keyId", subject, before ->> 'external_id' as "externalId", movement_id is not null as "hasMovement"
      from audit where commerce_id = ${shop.id} and action = 'voucher.undo_use'`.execute(db);
  assert.deepEqual(rows, [
    { actor: 'key', keyId: made.keyId, subject: String(code), externalId: 'order 7', hasMovement: true },
  ]);
  const owner = await makeStaff(shop, 'owner');
  const wireId = (await readInstallationIds(db, 'member')).toWire(member.memberId);
  const history = (await owner.get(`members/${wireId}/history`)).body as {
    results: { kind: string; by: unknown }[];
  };
  assert.partialDeepStrictEqual(history.results[0], { kind: 'undo', by: { kind: 'key', name: 'returns' } });
});

test('a key undoes so many uses a day and then gets a 429 until midnight; another key and the next day begin anew', async (t) => {
  const app = await buildApp({ db, log: false, secret: SECRET, undosPerDay: 2 });
  t.after(() => app.close());
  const made = await make();
  const ask = (id: string, key = made.key) =>
    app.inject({
      method: 'POST',
      url: `/v1/benefits/redemptions/${id}/undo`,
      headers: { authorization: `Bearer ${key}` },
      payload: {},
    });
  for (let i = 0; i < 5; i++) await redeem(made, await made.shop.voucher(made.member, 'coffee'), `o${i}`);
  assert.deepEqual([(await ask('o0')).statusCode, (await ask('o1')).statusCode], [200, 200]);
  const refused = await ask('o2');
  assert.deepEqual([refused.statusCode, refused.headers['x-error-code']], [429, 'rate_limited']);
  const wait = Number(refused.headers['retry-after']);
  assert.ok(wait >= 1 && wait <= 86_400, String(wait));
  assert.equal((await ask('o0')).headers['idempotency-replayed'], 'true', 'a repeat undoes nothing');
  const other = await createKey(db, made.shop.id, 'other', { scopes: ['undo'] });
  assert.equal((await ask('o2', other.key)).statusCode, 200);
  await sql`update key_undos set day = day - 1 where commerce_id = ${made.shop.id}`.execute(db);
  assert.deepEqual([(await ask('o3')).statusCode, (await ask('o4')).statusCode], [200, 200]);
  await assertBooksAgree(db, made.shop.id);
});

test('reports count an undone use back', async () => {
  const made = await make({ sandbox: false });
  const { shop, member } = made;
  for (const id of ['a', 'b', 'c']) await redeem(made, await shop.voucher(member, 'coffee'), id);
  await undo(made, 'a');
  const owner = await makeStaff(shop, 'owner');
  const overview = (await owner.get('reports/overview')).body as { of_today: { used_codes: number } };
  assert.equal(overview.of_today.used_codes, 2);
  const today = new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Madrid' }).format(new Date());
  const yesterday = new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Madrid' }).format(
    Date.now() - 86_400_000,
  );
  const report = (await owner.get(`reports/benefits?from=${yesterday}&to=${today}`)).body as {
    total: { used: number };
  };
  assert.equal(report.total.used, 2);
});
