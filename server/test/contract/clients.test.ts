import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transaction } from '#db/database.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { call, service } from '#test/harness.ts';
import { benefit, makeShop, stampCard, type MadeMember } from '#test/make.ts';
import { everyBenefit, everyBenefitOnTheWire } from './every-benefit.ts';

const LIST = '/v1/clients/list';

test('the list shows every client’s code, name, address and balance, in order of enrolment', async () => {
  const shop = await makeShop();
  const members = [];
  for (let i = 0; i < 5; i++) members.push(await shop.member());
  await shop.sell(members[3]!, 42);
  const { status, body } = await shop.get(LIST);
  assert.equal(status, 200);
  const items = members.map((member, i) => clientOf(member, i === 3 ? 42 : 0));
  assert.deepEqual(body, { items, total: 5, limit: 20, offset: 0 });
});

test('limit and offset walk the whole list, and past its end the page is empty', async () => {
  const shop = await makeShop();
  const codes = [];
  for (let i = 0; i < 23; i++) codes.push((await shop.member()).code);
  for (const limit of [1, 7, 20, 100]) {
    const walked = [];
    for (let offset = 0; offset < 23; offset += limit) {
      const page = (await shop.get(`${LIST}?limit=${limit}&offset=${offset}`)).body as Page;
      assert.deepEqual([page.total, page.limit, page.offset], [23, limit, offset]);
      walked.push(...page.items.map((item) => item.code));
    }
    assert.deepEqual(walked, codes);
  }
  assert.equal(((await shop.get(LIST)).body as Page).items.length, 20);
  for (const offset of [23, 24, 1_000_000, Number.MAX_SAFE_INTEGER])
    assert.deepEqual((await shop.get(`${LIST}?offset=${offset}`)).body, {
      items: [],
      total: 23,
      limit: 20,
      offset,
    });
});

test('a commerce without clients has an empty list', async () => {
  const shop = await makeShop();
  assert.deepEqual((await shop.get(LIST)).body, { items: [], total: 0, limit: 20, offset: 0 });
});

const unparsable = ['Input should be a valid integer, unable to parse string as an integer', 'int_parsing'];
const tooLarge = ['Unable to parse input string as an integer, exceeded maximum size', 'int_parsing_size'];
const notACanonicalInteger = [
  'abc',
  '%20',
  '',
  '+1',
  '01',
  '1.0',
  '1e1',
  '0x1',
  '1_000',
  '-0',
  'null',
  '%D9%A1',
];

test('a limit outside 1 to 100 or a negative offset is a 422', async () => {
  const shop = await makeShop();
  const atLeast = (least: number) => [
    `Input should be greater than or equal to ${least}`,
    'greater_than_equal',
  ];
  const atMost = ['Input should be less than or equal to 100', 'less_than_equal'];
  for (const [name, sent, [msg, type]] of [
    ['limit', '0', atLeast(1)],
    ['limit', '-1', atLeast(1)],
    ['limit', '101', atMost],
    ['offset', '-1', atLeast(0)],
    ['limit', '9007199254740992', tooLarge],
    ['offset', '99999999999999999999', tooLarge],
    ...notACanonicalInteger.map((sent) => ['limit', sent, unparsable] as const),
    ...notACanonicalInteger.map((sent) => ['offset', sent, unparsable] as const),
  ] as const) {
    const answer = await shop.get(`${LIST}?${name}=${sent}`);
    assert.equal(answer.status, 422, `${name}=${sent}`);
    assert.deepEqual(answer.body, { detail: [{ loc: ['query', name], msg, type }] }, `${name}=${sent}`);
  }
  const both = (await shop.get(`${LIST}?offset=-1&limit=101`)).body as { detail: { loc: unknown }[] };
  assert.deepEqual(
    both.detail.map(({ loc }) => loc),
    [
      ['query', 'limit'],
      ['query', 'offset'],
    ],
  );
});

test('the last duplicate of a parameter wins, and unknown parameters are ignored', async () => {
  const shop = await makeShop();
  const { status, body } = await shop.get(`${LIST}?limit=500&limit[]=7&sort=x&limit=6&__proto__=1`);
  assert.equal(status, 200);
  assert.equal((body as Page).limit, 6);
});

test('a client can be looked up by code and by address, with the balance', async () => {
  const shop = await makeShop();
  const member = await shop.member('eva');
  await shop.sell(member, 30);
  const byCode = await shop.get(`/v1/clients/${member.code}`);
  assert.equal(byCode.status, 200);
  assert.deepEqual(byCode.body, { code: member.code, username: 'eva', email: 'eva@example.com', points: 30 });
  const byEmail = await shop.post('/v1/clients/email', { client_email: ' EVA@Example.com' });
  assert.equal(byEmail.status, 200);
  assert.equal(byEmail.text, byCode.text);
});

test('a balance excludes expired points from the instant they expire, without a job', async () => {
  const shop = await makeShop({ sandbox: true, points_expiration: { mode: 'rolling', months: 1 } });
  const member = await shop.member();
  await shop.sell(member, 30);
  await shop.moveClock('40 days');
  await shop.sell(member, 4);
  const { body } = await shop.get(`/v1/clients/${member.code}`);
  assert.equal((body as { points: number }).points, 4);
  assert.equal(((await shop.get(LIST)).body as Page).items[0]!.points, 4);
});

test('a code of another commerce and an unknown code are the same 404, byte for byte', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const stranger = await other.member();
  for (const tail of ['', '/benefits']) {
    const never = await shop.get(`/v1/clients/100000000${tail}`);
    assert.equal(never.status, 404);
    assert.deepEqual(Object.keys(never.body as object), ['message']);
    for (const code of [stranger.code, 0, -5, Number.MAX_SAFE_INTEGER])
      assert.equal((await shop.get(`/v1/clients/${code}${tail}`)).text, never.text);
  }
  const never = await shop.post('/v1/clients/email', { client_email: 'never@example.com' });
  assert.equal(never.status, 404);
  assert.equal((await shop.post('/v1/clients/email', { client_email: stranger.email })).text, never.text);
});

test('a code in the path that is not a canonical integer is a 422', async () => {
  const shop = await makeShop();
  for (const tail of ['', '/benefits']) {
    for (const sent of [
      ...notACanonicalInteger.filter((text) => text !== ''),
      '%00',
      '1%00',
      '1%2F2',
      '9'.repeat(400),
    ]) {
      const answer = await shop.get(`/v1/clients/${sent}${tail}`);
      const [msg, type] = /^9{2,}$/.test(sent) ? tooLarge : unparsable;
      assert.deepEqual(answer.body, { detail: [{ loc: ['path', 'client_code'], msg, type }] }, sent);
    }
    const large = await shop.get(`/v1/clients/9007199254740992${tail}`);
    assert.deepEqual(large.body, {
      detail: [{ loc: ['path', 'client_code'], msg: tooLarge[0], type: tooLarge[1] }],
    });
  }
});

test('an address that is missing, not a string or not valid is a 422', async () => {
  const shop = await makeShop();
  const fault = (msg: string, type: string) => ({ detail: [{ loc: ['body', 'client_email'], msg, type }] });
  assert.deepEqual((await shop.post('/v1/clients/email', {})).body, fault('Field required', 'missing'));
  assert.deepEqual(
    (await shop.post('/v1/clients/email', { client_email: 5 })).body,
    fault('Input should be a valid string', 'string_type'),
  );
  const none = await shop.post('/v1/clients/email', { client_email: 'eva' });
  assert.deepEqual(
    none.body,
    fault('value is not a valid email address: An email address must have an @-sign.', 'value_error'),
  );
});

test('a client’s bought benefits are listed newest first, used or not, in every shape', async () => {
  const shop = await makeShop({ sandbox: true, benefits: everyBenefit });
  const member = await shop.member();
  await shop.sell(member, 100);
  const bought: { id: string; code: number }[] = [];
  for (const { id } of everyBenefitOnTheWire) bought.unshift({ id, code: await shop.voucher(member, id) });
  await shop.post('/v1/benefits/redeem', { client_benefit_code: bought[0]!.code });

  const { status, body } = await shop.get(`/v1/clients/${member.code}/benefits`);
  assert.equal(status, 200);
  const items = body as { client_benefit_code: number; issue_date: string; due_date: string | null }[];
  for (const [i, { id, code }] of bought.entries()) {
    const { issue_date: issued, due_date: due, ...rest } = items[i]!;
    const benefit = everyBenefitOnTheWire.find((one) => one.id === id);
    assert.deepEqual(rest, { client_benefit_code: code, used: i === 0, benefit });
    assert.match(issued, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(due, dueOf(id, issued), id);
    assert.match(String(code), /^[1-9][0-9]{13}$/);
  }
  assert.equal(items.length, bought.length);
});

test('a client who bought nothing gets an empty array', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const { status, body } = await shop.get(`/v1/clients/${member.code}/benefits`);
  assert.deepEqual([status, body], [200, []]);
});

test('an invited person is hidden from lists and lookups until joining, then appears with the waiting points', async () => {
  const { db } = await service();
  const shop = await makeShop();
  await shop.post('/v1/consumptions/email', { client_email: 'later@example.com', amount: 9 });
  assert.equal((await shop.post('/v1/clients/email', { client_email: 'later@example.com' })).status, 404);
  assert.equal(((await shop.get(LIST)).body as Page).total, 0);
  await transaction(db, (tx) => enrolMember(tx, shop.id, 'later@example.com'));
  const { items } = (await shop.get(LIST)).body as Page;
  assert.deepEqual(
    items.map(({ username, email, points }) => [username, email, points]),
    [['later', 'later@example.com', 9]],
  );
});

test('an erased person stays in the list without name and address', async () => {
  const shop = await makeShop();
  const [member, other] = [await shop.member(), await shop.member()];
  await shop.sell(member, 5);
  await shop.erase(member);
  const { items, total } = (await shop.get(LIST)).body as Page;
  assert.deepEqual(
    [total, items[0], items[1]!.code],
    [2, { code: member.code, username: '', email: '', points: 0 }, other.code],
  );
  assert.equal((await shop.post('/v1/clients/email', { client_email: member.email })).status, 404);
  const sale = { client_code: member.code, amount: 5 };
  assert.equal((await shop.post('/v1/consumptions/client-code', sale)).status, 403);
});

test('a key reads how a client stands, in the words that the client reads', async () => {
  const shop = await makeShop({
    sandbox: true,
    earning: { money_per_point: 1, pending: { days: 3 } },
    levels: {
      threshold_type: 'points',
      ladder: [
        { id: 'base', name: 'Base', threshold: 0 },
        { id: 'gold', name: 'Gold', threshold: 100 },
      ],
    },
    points_expiration: { mode: 'rolling', months: 12 },
    benefits: [benefit('coffee', { on_sale: false })],
    stamps: [stampCard('ten', 'coffee')],
  });
  const member = await shop.member();
  await shop.sell(member, 40);
  await shop.moveClock('4 days');
  await shop.sell(member, 70);
  const browser = await shop.browser(member);
  const mine = async (path: string) => (await browser.get(`/v1/me/${path}`)).body;
  const read = async () => (await shop.get(`/v1/clients/${member.code}/standing`)).body as Standing;
  const standing = await read();
  assert.deepEqual(standing, {
    ...clientOf(member, 40),
    subscribed: true,
    expiring: await mine('points/expirations'),
    waiting: await mine('points/pending'),
    level: await mine('level'),
    stamps: await mine('stamps'),
  });
  assert.deepEqual(
    [
      standing.expiring[0]?.points,
      standing.waiting[0]?.points,
      standing.level?.name,
      standing.stamps[0]?.have,
    ],
    [40, 70, 'Gold', 2],
  );
  await shop.leave(member);
  assert.deepEqual(await read(), { ...standing, subscribed: false });
  const unknown = await shop.get('/v1/clients/100000001/standing');
  assert.deepEqual([unknown.status, unknown.headers.get('x-error-code')], [404, 'not_found']);
});

interface Standing {
  readonly expiring: readonly { readonly points: number }[];
  readonly waiting: readonly { readonly points: number }[];
  readonly level: { readonly name: string } | null;
  readonly stamps: readonly { readonly have: number }[];
}

test('a HEAD is answered like its GET, without the body', async () => {
  const shop = await makeShop();
  const headers = { authorization: `Bearer ${shop.key}` };
  const response = await fetch((await service()).url + LIST, { method: 'HEAD', headers });
  assert.deepEqual([response.status, await response.text()], [200, '']);
  const refused = await call('POST', LIST, { headers, body: {} });
  assert.deepEqual([refused.status, refused.headers.get('allow')?.includes('GET')], [405, true]);
});

interface Page {
  readonly items: readonly { code: number; username: string; email: string; points: number }[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

function clientOf({ code, email }: MadeMember, points: number): object {
  return { code, username: email.split('@')[0], email, points };
}

/**
 * Returns the expected due instant of the shapes that have one, worked out by hand: the earlier of issue + valid_days
 * and the expiration.
 */
function dueOf(id: string, issued: string): string | null {
  const after = (days: number) => new Date(Date.parse(issued) + days * 86_400_000).toISOString();
  if (id === 'full-percentage') return after(30);
  if (id === 'no-product') return after(1);
  return id === 'product-by-text' ? '2031-12-31T23:59:59.999Z' : null;
}
