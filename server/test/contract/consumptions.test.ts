import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { storeFlatFactors } from '#test/release-01.ts';

const BY_CODE = '/v1/consumptions/client-code';
const BY_EMAIL = '/v1/consumptions/email';

test('a purchase by code is a 201 without the points, and the client shows the new balance', async () => {
  const shop = await makeShop({ earning: { money_per_point: 10 } });
  const member = await shop.member();
  const answer = await shop.post(BY_CODE, { client_code: member.code, amount: 1750 });
  assert.equal(answer.status, 201);
  assert.deepEqual(answer.body, { message: 'consumption created' });
  const id = answer.headers.get('x-consumption-id');
  assert.match(String(id), /^[1-9][0-9]*$/);
  assert.equal(answer.headers.get('location'), `/v1/consumptions/${id}`);
  assert.equal(await pointsOf(shop, member), 175);
});

test('any register and branch are stored, and both may be null or left out', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (const [counter, branch] of [
    [7, 3],
    [-1, Number.MAX_SAFE_INTEGER],
    [null, null],
    [undefined, 5],
  ]) {
    const sent = { client_code: member.code, amount: 1, counter_id: counter, id_suc: branch };
    const recorded = await shop.post(BY_CODE, sent);
    assert.equal(recorded.status, 201);
    const { body } = await shop.get(String(recorded.headers.get('location')));
    const { counter_id, id_suc } = body as { counter_id: unknown; id_suc: unknown };
    assert.deepEqual([counter_id, id_suc], [counter ?? null, branch ?? null]);
  }
});

test('a recorded purchase can be looked up with the computation of its points', async () => {
  const shop = await makeShop({
    earning: {
      money_per_point: 3,
      double_points: [{ from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }],
    },
    levels: { ladder: [{ name: 'Silver', threshold: 0, points_multiplier: 1.5 }] },
  });
  const member = await shop.member();
  const { headers } = await shop.post(BY_CODE, { client_code: member.code, amount: 100, id_suc: 4 });
  const { status, body } = await shop.get(String(headers.get('location')));
  assert.equal(status, 200);
  const { date, explanation, ...rest } = body as { date: string; explanation: string };
  assert.match(date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(explanation.length > 0);
  assert.deepEqual(rest, {
    id: Number(headers.get('x-consumption-id')),
    client_code: member.code,
    amount: 100,
    points: 99,
    counter_id: null,
    id_suc: 4,
    external_id: null,
    base_points: 33,
    double_points: true,
    level_multiplier: 1.5,
    reversed_amount: 0,
    reversed_points: 0,
  });
});

test('a purchase stored by release 0.1 is shown and reversed as before', async () => {
  const { db } = await service();
  const shop = await makeShop({
    earning: {
      money_per_point: 3,
      double_points: [{ from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }],
    },
    levels: { ladder: [{ name: 'Silver', threshold: 0, points_multiplier: 1.5 }] },
  });
  const member = await shop.member();
  const ids = await Promise.all(
    [1, 2].map(async () => {
      const { headers } = await shop.post(BY_CODE, { client_code: member.code, amount: 100 });
      return Number(headers.get('x-consumption-id'));
    }),
  );
  const [first, second] = ids.toSorted((a, b) => a - b);
  const before = await shop.get(`/v1/consumptions/${first}`);
  const taken = await shop.post(`/v1/consumptions/${second}/reversal`, { amount: 41 });
  await storeFlatFactors(db, shop.id);

  assert.equal((await shop.get(`/v1/consumptions/${first}`)).text, before.text);
  const takenNow = await shop.post(`/v1/consumptions/${first}/reversal`, { amount: 41 });
  assert.deepEqual([takenNow.status, takenNow.text], [201, taken.text]);
});

test('a preview shows what a purchase would earn and records nothing', async () => {
  const shop = await makeShop({ earning: { money_per_point: 0.5 } });
  const member = await shop.member();
  const { status, body } = await shop.post('/v1/consumptions/preview', {
    client_code: member.code,
    amount: 21,
  });
  assert.equal(status, 200);
  const { explanation, ...rest } = body as { explanation: string };
  assert.ok(explanation.length > 0);
  assert.deepEqual(rest, { points: 42, base_points: 42, double_points: false, level_multiplier: 1 });
  assert.equal(await pointsOf(shop, member), 0);
  assert.deepEqual(await movementsOf(shop), []);
});

test('a preview refuses the same purchases as recording', async () => {
  const shop = await makeShop({ earning: { money_per_point: 1, max_amount: 100 } });
  const member = await shop.member();
  const preview = (code: number, amount: number) =>
    shop.post('/v1/consumptions/preview', { client_code: code, amount });
  assert.equal((await preview(member.code, 101)).status, 400);
  assert.equal((await preview(member.code, 0)).status, 400);
  assert.equal((await preview(1, 5)).status, 404);
  await shop.block(member);
  assert.equal((await preview(member.code, 5)).status, 403);
});

test('a purchase can be reversed in parts, and the rest at once', async () => {
  const shop = await makeShop({ earning: { money_per_point: 3 } });
  const member = await shop.member();
  const { headers } = await shop.post(BY_CODE, { client_code: member.code, amount: 100 });
  const path = String(headers.get('location'));
  const part = await shop.post(`${path}/reversal`, { amount: 50 });
  assert.equal(part.status, 201);
  assert.deepEqual(part.body, { message: 'consumption reversed', amount: 50, points: 17 });
  const rest = await shop.post(`${path}/reversal`, { amount: null });
  assert.deepEqual(
    [rest.status, rest.body],
    [201, { message: 'consumption reversed', amount: 50, points: 16 }],
  );
  assert.equal(await pointsOf(shop, member), 0);
  const { body } = await shop.get(path);
  const { reversed_amount: amount, reversed_points: points } = body as Record<string, unknown>;
  assert.deepEqual([amount, points], [100, 33]);
});

test('reversing more than is left, zero or less is a 400; an unknown purchase is a 404; a non-integer is a 422', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const member = await shop.member();
  const { headers } = await shop.post(BY_CODE, { client_code: member.code, amount: 100 });
  const path = `${headers.get('location')}/reversal`;
  for (const amount of [101, 0, -1]) assertRefused(await shop.post(path, { amount }), 400);
  assert.equal((await shop.post(path, {})).status, 201);
  assertRefused(await shop.post(path, {}), 400);
  const never = await shop.post('/v1/consumptions/999999999/reversal', {});
  assertRefused(never, 404);
  assert.equal((await other.post(path, {})).text, never.text);
  for (const amount of ['5', 1.5, true]) assert.equal((await shop.post(path, { amount })).status, 422);
  assert.equal((await shop.post('/v1/consumptions/x/reversal', {})).status, 422);
});

test('looking up a purchase of another commerce or an unknown one is a 404', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const member = await other.member();
  const { headers } = await other.post(BY_CODE, { client_code: member.code, amount: 5 });
  const foreign = await shop.get(String(headers.get('location')));
  const never = await shop.get('/v1/consumptions/999999999');
  assert.deepEqual([foreign.status, never.status], [404, 404]);
  assert.equal(foreign.text, never.text);
});

test('a purchase that earns no points is a 201 and still counts', async () => {
  const shop = await makeShop({ earning: { money_per_point: 1000 } });
  const member = await shop.member();
  assert.equal((await shop.post(BY_CODE, { client_code: member.code, amount: 999 })).status, 201);
  assert.equal(await pointsOf(shop, member), 0);
  const { rows } = await sql`
    select purchases, amount_spent as amount from members where commerce_id = ${shop.id} and id = ${member.memberId}`.execute(
    (await service()).db,
  );
  assert.deepEqual(rows, [{ purchases: 1, amount: 999 }]);
});

for (const [title, amounts, fields] of [
  ['of zero or less', [0, -1, -Number.MAX_SAFE_INTEGER], {}],
  ['above 1,000,000,000', [1_000_000_001, Number.MAX_SAFE_INTEGER], {}],
  ['above the program’s max_amount', [51], { earning: { money_per_point: 1, max_amount: 50 } }],
] as const) {
  test(`an amount ${title} is a 400 on both endpoints, and nothing is recorded`, async () => {
    const shop = await makeShop(fields);
    const member = await shop.member();
    for (const amount of amounts) {
      assertRefused(await shop.post(BY_CODE, { client_code: member.code, amount }), 400);
      assertRefused(await shop.post(BY_EMAIL, { client_email: member.email, amount }), 400);
      assertRefused(await shop.post(BY_EMAIL, { client_email: 'nobody@example.com', amount }), 400);
    }
    assert.deepEqual(await movementsOf(shop), []);
    assert.deepEqual(await invitedAt(shop), []);
  });
}

test('an amount at the maximum is recorded', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  assert.equal((await shop.post(BY_CODE, { client_code: member.code, amount: 1_000_000_000 })).status, 201);
  assert.equal(await pointsOf(shop, member), 1_000_000_000);
});

test('while the program is paused a purchase is a 400', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await shop.apply({ status: 'paused' });
  assertRefused(await shop.post(BY_CODE, { client_code: member.code, amount: 5 }), 400);
  assertRefused(await shop.post(BY_EMAIL, { client_email: member.email, amount: 5 }), 400);
  assertRefused(await shop.post(BY_EMAIL, { client_email: 'nobody@example.com', amount: 5 }), 400);
  assert.deepEqual(await movementsOf(shop), []);
});

for (const [title, away] of [
  ['has left', (shop: Shop, member: MadeMember) => shop.leave(member)],
  ['was blocked by staff', (shop: Shop, member: MadeMember) => shop.block(member)],
] as const) {
  test(`a purchase of a client who ${title} is a 403, by code and by e-mail, whatever the amount`, async () => {
    const shop = await makeShop();
    const member = await shop.member();
    await away(shop, member);
    for (const amount of [5, 0]) {
      assertRefused(await shop.post(BY_CODE, { client_code: member.code, amount }), 403);
      assertRefused(await shop.post(BY_EMAIL, { client_email: member.email, amount }), 403);
    }
    assert.deepEqual(await movementsOf(shop), []);
  });
}

test('a client code of another commerce and an unknown code are the same 404, byte for byte', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const stranger = await other.member();
  const foreign = await shop.post(BY_CODE, { client_code: stranger.code, amount: 5 });
  const never = await shop.post(BY_CODE, { client_code: 1, amount: 5 });
  assertRefused(foreign, 404);
  assert.equal(foreign.text, never.text);
  assert.equal((await shop.post(BY_CODE, { client_code: -5, amount: 5 })).text, never.text);
  assert.equal(
    (await shop.post(BY_CODE, { client_code: Number.MAX_SAFE_INTEGER, amount: 5 })).text,
    never.text,
  );
  assert.deepEqual(await movementsOf(other), []);
});

test('a purchase by e-mail ignores the case of the address', async () => {
  const shop = await makeShop();
  const member = await shop.member('ana.luz+tag');
  const answer = await shop.post(BY_EMAIL, { client_email: '  Ana.Luz+TAG@Example.COM ', amount: 12 });
  assert.equal(answer.status, 201);
  assert.deepEqual(answer.body, { message: 'consumption created' });
  assert.equal(await pointsOf(shop, member), 12);
});

test('a purchase for an unknown address is a 201 whose points wait: the person is invited once and is not a client yet', async () => {
  const { db } = await service();
  const shop = await makeShop();
  for (let i = 0; i < 3; i++) {
    const answer = await shop.post(BY_EMAIL, { client_email: 'new@example.com', amount: 20 });
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.body, { message: 'consumption created' });
  }
  assert.equal((await invitedAt(shop)).length, 1);
  assert.equal((await shop.post('/v1/clients/email', { client_email: 'new@example.com' })).status, 404);
  assert.deepEqual((await shop.get('/v1/clients/list')).body, { items: [], total: 0, limit: 20, offset: 0 });

  await transaction(db, (tx) => enrolMember(tx, shop.id, 'new@example.com'));
  const { body } = await shop.post('/v1/clients/email', { client_email: 'new@example.com' });
  assert.equal((body as { points: number }).points, 60);
});

test('a waiting purchase shows no client code', async () => {
  const shop = await makeShop();
  const { headers } = await shop.post(BY_EMAIL, { client_email: 'new@example.com', amount: 20 });
  const { body } = await shop.get(String(headers.get('location')));
  assert.equal((body as { client_code: unknown }).client_code, null);
});

const integerFaults: readonly (readonly [raw: string, msg: string, type: string])[] = [
  ['null', 'Input should be a valid integer', 'int_type'],
  ['true', 'Input should be a valid integer', 'int_type'],
  ['[5]', 'Input should be a valid integer', 'int_type'],
  ['{}', 'Input should be a valid integer', 'int_type'],
  ['"5"', 'Input should be a valid integer', 'int_type'],
  ['"five"', 'Input should be a valid integer, unable to parse string as an integer', 'int_parsing'],
  ['5.5', 'Input should be a valid integer, got a number with a fractional part', 'int_from_float'],
  [
    '9007199254740992',
    'Unable to parse input string as an integer, exceeded maximum size',
    'int_parsing_size',
  ],
  [
    '-9007199254740992',
    'Unable to parse input string as an integer, exceeded maximum size',
    'int_parsing_size',
  ],
  ['1e400', 'Unable to parse input string as an integer, exceeded maximum size', 'int_parsing_size'],
];

test('a value of the wrong type instead of an integer is a 422 that names the field and the kind', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (const [raw, msg, type] of integerFaults) {
    const fields = { client_code: String(member.code), amount: '5', counter_id: '1', id_suc: '1' };
    for (const field of Object.keys(fields)) {
      if (raw === 'null' && (field === 'counter_id' || field === 'id_suc')) continue;
      const answer = await postRaw(shop, BY_CODE, objectText({ ...fields, [field]: raw }));
      assert.equal(answer.status, 422, `${field} ${raw}`);
      assert.deepEqual(answer.body, { detail: [{ loc: ['body', field], msg, type }] });
    }
    const byEmail = await postRaw(
      shop,
      BY_EMAIL,
      objectText({ client_email: `"${member.email}"`, amount: raw }),
    );
    assert.deepEqual(byEmail.body, { detail: [{ loc: ['body', 'amount'], msg, type }] });
  }
  assert.deepEqual(await movementsOf(shop), []);
});

test('5.0 and 1e3 are integers in JSON', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (const amount of ['5.0', '1e3', '5e0'])
    assert.equal(
      (await postRaw(shop, BY_CODE, objectText({ client_code: String(member.code), amount }))).status,
      201,
    );
  assert.equal(await pointsOf(shop, member), 1010);
});

test('one response lists all missing fields, in the schema’s order', async () => {
  const shop = await makeShop();
  const missing = (field: string) => ({ loc: ['body', field], msg: 'Field required', type: 'missing' });
  assert.deepEqual((await shop.post(BY_CODE, {})).body, {
    detail: [missing('client_code'), missing('amount')],
  });
  assert.deepEqual((await shop.post(BY_EMAIL, {})).body, {
    detail: [missing('client_email'), missing('amount')],
  });
  const both = await shop.post(BY_CODE, { amount: 'x' }, { 'idempotency-key': 'é' });
  assert.deepEqual(
    (both.body as { detail: { loc: unknown }[] }).detail.map(({ loc }) => loc),
    [
      ['header', 'idempotency-key'],
      ['body', 'client_code'],
      ['body', 'amount'],
    ],
  );
});

test('a body that is not a JSON object is a 422 with the position', async () => {
  const shop = await makeShop();
  const notAnObject = {
    loc: ['body'],
    msg: 'Input should be a valid dictionary or object to extract fields from',
    type: 'model_attributes_type',
  };
  const missing = { loc: ['body'], msg: 'Field required', type: 'missing' };
  const malformed = (offset: number) => ({
    loc: ['body', offset],
    msg: 'JSON decode error',
    type: 'json_invalid',
  });
  for (const [raw, detail] of [
    ['', missing],
    ['null', missing],
    ['[]', notAnObject],
    ['"text"', notAnObject],
    ['5', notAnObject],
    ['{', malformed(1)],
    ['{"amount":NaN}', malformed(10)],
    ['{"amount":Infinity}', malformed(10)],
  ] as const) {
    for (const path of [BY_CODE, BY_EMAIL, '/v1/benefits/redeem', '/v1/clients/email']) {
      const answer = await postRaw(shop, path, raw);
      assert.equal(answer.status, 422, raw);
      assert.deepEqual(answer.body, { detail: [detail] }, raw);
    }
  }
  const form = await postRaw(shop, BY_CODE, 'client_code=5', 'application/x-www-form-urlencoded');
  assert.deepEqual(form.body, { detail: [notAnObject] });
});

test('an invalid mail address is a 422, and nothing is recorded', async () => {
  const shop = await makeShop();
  for (const address of [
    '',
    'ana',
    'ana@',
    '@example.com',
    'ana luz@example.com',
    'ana@@example.com',
    '"ana@x"@example.com',
    'ana@example..com',
    `${'a'.repeat(65)}@example.com`,
    `ana@${'a'.repeat(250)}.com`,
    'ana@example.com\nbcc: b@example.com',
    'kána@example.com',
  ]) {
    const answer = await shop.post(BY_EMAIL, { client_email: address, amount: 5 });
    assert.equal(answer.status, 422, address);
    const [fault, ...others] = (answer.body as { detail: { loc: unknown; msg: string; type: string }[] })
      .detail;
    assert.deepEqual([fault!.loc, fault!.type, others], [['body', 'client_email'], 'value_error', []]);
    assert.ok(fault!.msg.startsWith('value is not a valid email address: '), fault!.msg);
  }
  for (const wrong of [5, null, true, ['ana@example.com'], {}]) {
    const answer = await shop.post(BY_EMAIL, { client_email: wrong, amount: 5 });
    assert.deepEqual(answer.body, {
      detail: [{ loc: ['body', 'client_email'], msg: 'Input should be a valid string', type: 'string_type' }],
    });
  }
  assert.deepEqual(await movementsOf(shop), []);
});

test('unknown fields are ignored, and the last duplicate of a field wins', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const text = `{"amount": "x", "points": 900, "client_code": ${member.code}, "amount": 5, "nested": {"amount": 7}}`;
  assert.equal((await postRaw(shop, BY_CODE, text)).status, 201);
  assert.equal(await pointsOf(shop, member), 5);
});

function assertRefused(answer: Answer, status: number): void {
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual(Object.keys(answer.body as object), ['message']);
}

function objectText(fields: Record<string, string>): string {
  return `{${Object.entries(fields)
    .map(([name, raw]) => `"${name}":${raw}`)
    .join()}}`;
}

function postRaw(shop: Shop, path: string, raw: string, type = 'application/json'): Promise<Answer> {
  return call('POST', path, {
    headers: { authorization: `Bearer ${shop.key}`, 'content-type': type },
    raw,
  });
}

async function pointsOf(shop: Shop, member: MadeMember): Promise<unknown> {
  const { body } = await shop.get(`/v1/clients/${member.code}`);
  return (body as { points: unknown }).points;
}

async function movementsOf(shop: Shop): Promise<unknown[]> {
  const { db } = await service();
  return (
    await sql`select type, points from movements where commerce_id = ${shop.id} order by id`.execute(db)
  ).rows;
}

async function invitedAt(shop: Shop): Promise<unknown[]> {
  const { db } = await service();
  return (await sql`select recipient from outbox where commerce_id = ${shop.id}`.execute(db)).rows;
}
