import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transaction } from '#db/database.ts';
import { findOrCreateUser } from '#members/enter-member.ts';
import { call, service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { everyBenefit, everyBenefitOnTheWire } from './every-benefit.ts';

const EXCHANGE = '/v1/me/benefits/exchange';
const NO_EXPIRATION = { points: 0, expiration_date: null, days_left: null, months_left: null, mode: 'none' };

test('my account has every field, and null where there is nothing', async () => {
  const shop = await makeShop({ name: 'Luna' });
  const member = await shop.member('eva');
  await shop.sell(member, 30);
  const browser = await shop.browser(member);
  const { status, body } = await browser.get('/v1/me');
  assert.equal(status, 200);
  assert.deepEqual(body, {
    username: 'eva',
    email: 'eva@example.com',
    phone: null,
    points: 30,
    subscribed: true,
    commerce: { id: shop.id, name: 'Luna', logo: null, color: null, category_name: null, currency: 'EUR' },
    points_expiration: NO_EXPIRATION,
  });
});

for (const mode of ['rolling', 'accumulated'] as const) {
  test(`points that expire (${mode}) are told with their next date`, async () => {
    const shop = await makeShop({ sandbox: true, time_zone: 'UTC', points_expiration: { mode, months: 2 } });
    const member = await shop.member();
    await shop.sell(member, 30);
    const browser = await shop.browser(member);
    const { body } = await browser.get('/v1/me');
    const { points_expiration: told } = body as { points_expiration: Record<string, unknown> };
    const due = Temporal.Now.plainDateISO('UTC').add({ months: 2 });
    assert.deepEqual(told, {
      points: 30,
      expiration_date: `${due.toString()}T23:59:59.999Z`,
      days_left: due.since(Temporal.Now.plainDateISO('UTC')).days,
      months_left: 2,
      mode,
    });
    const all = await browser.get('/v1/me/points/expirations');
    const { mode: _, ...one } = told;
    assert.deepEqual([all.status, all.body], [200, [one]]);
    await shop.moveClock('100 days');
    assert.deepEqual(((await browser.get('/v1/me')).body as { points: number }).points, 0);
    assert.deepEqual((await browser.get('/v1/me/points/expirations')).body, []);
  });
}

test('an account that expires points but has none tells the mode and nothing else', async () => {
  const shop = await makeShop({ points_expiration: { mode: 'rolling', months: 2 } });
  const browser = await shop.browser(await shop.member());
  const { points_expiration: told } = (await browser.get('/v1/me')).body as { points_expiration: object };
  assert.deepEqual(told, { ...NO_EXPIRATION, mode: 'rolling' });
});

test('the profile is the membership’s: what one shop is told, another does not show', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const member = await shop.member();
  const there = await other.member(member.email.split('@')[0]);
  assert.equal(there.userId, member.userId);
  const browser = await shop.browser(member);
  const edited = await browser.patch('/v1/me', {
    username: 'Éva 🌙',
    phone: '+5491122334455',
    birth_date: '1990-02-28',
  });
  assert.equal(edited.status, 200);
  const { username, phone } = edited.body as Record<string, unknown>;
  assert.deepEqual([username, phone], ['Éva 🌙', '+5491122334455']);
  assert.equal((await browser.get('/v1/me')).text, edited.text);
  const elsewhere = (await (await other.browser(member)).get('/v1/me')).body as Record<string, unknown>;
  assert.deepEqual([elsewhere['username'], elsewhere['phone']], [member.email.split('@')[0], null]);
  const cleared = await browser.patch('/v1/me', { phone: null });
  assert.equal((cleared.body as { phone: unknown }).phone, null);
  assert.equal((cleared.body as { username: unknown }).username, 'Éva 🌙');
});

test('a profile of another shape is a 422 and changes nothing', async () => {
  const shop = await makeShop();
  const browser = await shop.browser(await shop.member());
  const before = (await browser.get('/v1/me')).text;
  for (const [field, value, type] of [
    ['username', '', 'string_too_short'],
    ['username', 'x'.repeat(101), 'string_too_long'],
    ['username', 'a\nb', 'string_pattern_mismatch'],
    ['username', '  ', 'string_pattern_mismatch'],
    ['username', 5, 'string_type'],
    ['phone', '0044', 'string_pattern_mismatch'],
    ['phone', '+1', 'string_pattern_mismatch'],
    ['birth_date', '1990-02-30', 'date_parsing'],
    ['birth_date', '1990-2-3', 'date_parsing'],
    ['birth_date', 19900203, 'string_type'],
    ['birth_date', '1899-12-31', 'value_error'],
    ['birth_date', '0001-01-01', 'value_error'],
    ['birth_date', '2999-01-01', 'value_error'],
  ] as const) {
    const answer = await browser.patch('/v1/me', { [field]: value });
    assert.equal(answer.status, 422, `${field} ${value}`);
    const { detail } = answer.body as { detail: { loc: unknown; type: string }[] };
    assert.deepEqual(
      detail.map(({ loc, type }) => [loc, type]),
      [[['body', field], type]],
    );
  }
  assert.equal((await browser.get('/v1/me')).text, before);
});

test('who never joined has no profile to change: a 400', async () => {
  const shop = await makeShop();
  const browser = await shop.browser(await newUser());
  const answer = await browser.patch('/v1/me', { username: 'Eva' });
  assert.deepEqual([answer.status, Object.keys(answer.body as object)], [400, ['message']]);
  const { username } = (await browser.get('/v1/me')).body as { username: unknown };
  assert.equal(username, null);
});

test('the last day on which one can be born is the commerce’s own today', async () => {
  const shop = await makeShop({
    sandbox: true,
    time_zone: 'Pacific/Kiritimati',
    clock: '2001-05-05T10:00:00Z',
  });
  const browser = await shop.browser(await shop.member());
  for (const [day, status] of [
    ['1900-01-01', 200],
    ['2001-05-06', 200],
    ['2001-05-07', 422],
  ] as const)
    assert.equal((await browser.patch('/v1/me', { birth_date: day })).status, status, day);
});

test('the available list is the live catalog in every shape, whatever the balance', async () => {
  const shop = await makeShop({
    benefits: [
      ...everyBenefit,
      benefit('hidden', { on_sale: false }),
      { ...benefit('hello', { benefit_type: 'welcome' }), cost: undefined },
    ],
  });
  const browser = await shop.browser(await shop.member());
  const { status, body } = await browser.get('/v1/me/benefits/available');
  assert.deepEqual([status, body], [200, everyBenefitOnTheWire]);
});

test('an exchange takes the points and gives a code, in every shape of benefit, and my benefits show it', async () => {
  const shop = await makeShop({ benefits: everyBenefit });
  const member = await shop.member();
  await shop.sell(member, 100);
  const browser = await shop.browser(member);
  let points = 100;
  const bought: unknown[] = [];
  for (const expected of everyBenefitOnTheWire) {
    const answer = await browser.post(EXCHANGE, { benefit_id: expected.id });
    assert.equal(answer.status, 200);
    const { client_benefit_code: code, issue_date: issued, due_date: due, ...rest } = answer.body as Voucher;
    assert.deepEqual(rest, { used: false, benefit: expected });
    assert.ok(Number.isSafeInteger(code) && /^\d{4}-.*Z$/.test(issued) && (due === null || due > issued));
    points -= expected.cost;
    assert.equal(((await browser.get('/v1/me')).body as { points: number }).points, points);
    bought.unshift(answer.body);
  }
  const mine = await browser.get('/v1/me/benefits');
  assert.deepEqual([mine.status, mine.body], [200, bought]);
  assert.equal((await shop.get(`/v1/clients/${member.code}/benefits`)).text, mine.text);
});

test('what does not exist, is not for sale, or costs too much is a 400 that takes nothing', async () => {
  const shop = await makeShop({
    benefits: [
      benefit('dear', { cost: 31 }),
      benefit('exact', { cost: 30 }),
      benefit('hidden', { cost: 1, on_sale: false }),
      benefit('past', { cost: 1, expiration: '2020-01-01T00:00:00Z' }),
      benefit('gone', { cost: 0, buy_limit: 1 }),
      { ...benefit('hello', { benefit_type: 'welcome' }), cost: undefined },
    ],
  });
  await shop.voucher(await shop.member(), 'gone');
  const member = await shop.member();
  await shop.sell(member, 30);
  const browser = await shop.browser(member);
  for (const id of [
    'never',
    'hidden',
    'past',
    'gone',
    'hello',
    'dear',
    '',
    ' exact',
    'EXACT',
    'x'.repeat(5000),
    '\u{1f37a}',
  ]) {
    const answer = await browser.post(EXCHANGE, { benefit_id: id });
    assert.equal(answer.status, 400, id);
    assert.deepEqual(Object.keys(answer.body as object), ['message']);
  }
  assert.equal(((await browser.get('/v1/me')).body as { points: number }).points, 30);
  assert.equal((await browser.post(EXCHANGE, { benefit_id: 'exact' })).status, 200);
  assert.equal(((await browser.get('/v1/me')).body as { points: number }).points, 0);
});

test('an exchange without a benefit_id, or with one of another type, is a 422', async () => {
  const shop = await makeShop();
  const browser = await shop.browser(await shop.member());
  for (const [body, loc, type] of [
    [{}, ['body', 'benefit_id'], 'missing'],
    [{ benefit_id: 5 }, ['body', 'benefit_id'], 'string_type'],
    [{ benefit_id: null }, ['body', 'benefit_id'], 'string_type'],
    [{ benefit_id: 'a\0' }, ['body', 'benefit_id'], 'string_unicode'],
    [{ benefit_id: '\ud800' }, ['body', 'benefit_id'], 'string_unicode'],
    [undefined, ['body'], 'missing'],
    [[], ['body'], 'model_attributes_type'],
  ] as const) {
    const answer = await browser.post(EXCHANGE, body);
    assert.equal(answer.status, 422);
    const { detail } = answer.body as { detail: { loc: unknown; type: string }[] };
    assert.deepEqual(
      detail.map((fault) => [fault.loc, fault.type]),
      [[loc, type]],
    );
  }
});

test('the history is newest first, each kind with the fields that it carries', async () => {
  const shop = await makeShop({
    benefits: [benefit('coffee', { cost: 4 })],
    rewards: { welcome: { points: 15 } },
  });
  const member = await shop.member();
  const browser = await shop.browser(member);
  await shop.sell(member, 30);
  const bought = (await browser.post(EXCHANGE, { benefit_id: 'coffee' })).body as Voucher & {
    benefit: unknown;
  };
  await shop.post('/v1/benefits/redeem', { client_benefit_code: bought.client_benefit_code });
  const { status, body } = await browser.get('/v1/me/activity');
  assert.equal(status, 200);
  const { results, ...cursors } = body as { results: { date: string }[] };
  assert.deepEqual(cursors, { next_cursor: null, previous_cursor: null });
  const empty = { points: null, benefit: null, amount: null, event: null, additional_note: null };
  assert.deepEqual(
    results.map(({ date, ...rest }) => (assert.match(date, /^\d{4}-.*\.\d{3}Z$/), rest)),
    [
      { ...empty, type: 'benefit_usage', benefit: bought.benefit },
      { ...empty, type: 'benefit_exchange', points: -4, benefit: bought.benefit },
      { ...empty, type: 'consumption', points: 30, amount: 30 },
      { ...empty, type: 'points_special_reward', points: 15, event: 'welcome' },
    ],
  );
});

test('points given back for a code stand in the history with a note, and the code is gone', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 4 })] });
  const member = await shop.member();
  const browser = await shop.browser(member);
  await shop.sell(member, 30);
  const code = await shop.voucher(member, 'coffee');
  await giveBackVoucher(db, { commerceId: shop.id, code, note: 'closed for works' });
  const { results } = (await browser.get('/v1/me/activity')).body as { results: Record<string, unknown>[] };
  const [first] = results;
  assert.deepEqual(
    [first!['type'], first!['points'], first!['additional_note']],
    ['benefit_exchange', 4, 'closed for works'],
  );
  assert.deepEqual((await browser.get('/v1/me/benefits')).body, []);
  assert.equal(((await browser.get('/v1/me')).body as { points: number }).points, 30);
});

test('cursors walk the whole history once, there and back, while it grows', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (let amount = 1; amount <= 45; amount++) await shop.sell(member, amount);
  const browser = await shop.browser(member);
  const pages: Page[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Page = (await browser.get(`/v1/me/activity?cursor=${cursor}`)).body as Page;
    pages.push(page);
    if (pages.length === 1) await shop.sell(member, 99);
    cursor = page.next_cursor;
  }
  assert.deepEqual(
    pages.map((page) => page.results.length),
    [20, 20, 5],
  );
  const amounts = pages.flatMap((page) => page.results.map((item) => item.amount));
  assert.deepEqual(
    amounts,
    Array.from({ length: 45 }, (_, i) => 45 - i),
  );
  const back = (await browser.get(`/v1/me/activity?cursor=${pages[2]!.previous_cursor}`)).body as Page;
  assert.deepEqual(back.results, pages[1]!.results);
  const newer = (await browser.get(`/v1/me/activity?cursor=${pages[1]!.previous_cursor}`)).body as Page;
  assert.deepEqual(newer.results, pages[0]!.results);
  const newest = (await browser.get(`/v1/me/activity?cursor=${newer.previous_cursor}`)).body as Page;
  assert.deepEqual([newest.results.map((item) => item.amount), newest.previous_cursor], [[99], null]);
});

test('a cursor that this list did not give is a 422, another member’s and another commerce’s too', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const [member, stranger] = [await shop.member(), await shop.member()];
  for (let i = 0; i < 21; i++) await shop.sell(member, 1);
  const browser = await shop.browser(member);
  const { next_cursor: cursor } = (await browser.get('/v1/me/activity')).body as Page;
  assert.ok(cursor);
  const fault = {
    detail: [
      { loc: ['query', 'cursor'], msg: 'Value error, not a cursor of this list', type: 'value_error' },
    ],
  };
  for (const wrong of [
    'x',
    'null',
    '..',
    `${cursor}x`,
    `x${cursor}`,
    cursor.toUpperCase(),
    cursor.slice(0, -5),
    '%F0%9F%8D%BA',
  ])
    assert.deepEqual((await browser.get(`/v1/me/activity?cursor=${wrong}`)).body, fault, wrong);
  assert.deepEqual(
    (await (await shop.browser(stranger)).get(`/v1/me/activity?cursor=${cursor}`)).body,
    fault,
  );
  assert.deepEqual((await (await other.browser(member)).get(`/v1/me/activity?cursor=${cursor}`)).body, fault);
  const long = await browser.get(`/v1/me/activity?cursor=${'a'.repeat(513)}`);
  assert.deepEqual(
    (long.body as { detail: { type: string }[] }).detail.map(({ type }) => type),
    ['string_too_long'],
  );
});

test('my tier has every field, and what is next', async () => {
  const shop = await makeShop({
    levels: {
      threshold_type: 'amount',
      ladder: [
        { name: 'Nueva', threshold: 0 },
        { name: 'Llena', threshold: 100, points_multiplier: 1.25, icon_url: 'https://luna.example/full.png' },
      ],
    },
  });
  const member = await shop.member();
  await shop.sell(member, 40);
  const browser = await shop.browser(member);
  const low = await browser.get('/v1/me/level');
  assert.equal(low.status, 200);
  const { reached_at: joined, ...rest } = low.body as { reached_at: string };
  assert.match(joined, /^\d{4}-.*\.\d{3}Z$/);
  assert.deepEqual(rest, {
    name: 'Nueva',
    rank: 1,
    points_multiplier: 1,
    icon_url: null,
    expiration_date: null,
    is_expired: false,
    next_level: { name: 'Llena', rank: 2, threshold_type: 'amount', threshold: 100 },
    total_earned_points: 40,
    total_spent_amount: 40,
    total_consumptions_count: 1,
  });
  await shop.sell(member, 60);
  const { reached_at: climbed, ...top } = (await browser.get('/v1/me/level')).body as { reached_at: string };
  assert.ok(climbed >= joined);
  assert.deepEqual(top, {
    name: 'Llena',
    rank: 2,
    points_multiplier: 1.25,
    icon_url: 'https://luna.example/full.png',
    expiration_date: null,
    is_expired: false,
    next_level: null,
    total_earned_points: 100,
    total_spent_amount: 100,
    total_consumptions_count: 2,
  });
});

test('a tier that is held for a time tells its end', async () => {
  const shop = await makeShop({
    sandbox: true,
    time_zone: 'UTC',
    levels: { valid_months: 1, ladder: [{ name: 'Llena', threshold: 10 }] },
  });
  const member = await shop.member();
  const browser = await shop.browser(member);
  await shop.sell(member, 10);
  const held = (await browser.get('/v1/me/level')).body as Record<string, unknown>;
  const end = Temporal.Now.plainDateISO('UTC').add({ months: 1 });
  assert.deepEqual([held['expiration_date'], held['is_expired']], [`${end.toString()}T23:59:59.999Z`, false]);
  await shop.moveClock('40 days');
  const over = (await browser.get('/v1/me/level')).body as Record<string, unknown>;
  assert.equal(over['is_expired'], true);
});

test('without a tier yet, and where the commerce uses none, the level is a 404', async () => {
  const climbing = await makeShop({ levels: { ladder: [{ name: 'High', threshold: 1000 }] } });
  const flat = await makeShop();
  for (const shop of [climbing, flat]) {
    const answer = await (await shop.browser(await shop.member())).get('/v1/me/level');
    assert.deepEqual([answer.status, Object.keys(answer.body as object)], [404, ['message']]);
  }
});

test('the automatic rewards are what the commerce configured: points or a benefit, the other null', async () => {
  const gift = (kind: string) => ({ ...benefit(`a-${kind}`, { benefit_type: kind }), cost: undefined });
  const shop = await makeShop({
    benefits: [gift('birthday')],
    rewards: { welcome: { points: 5 }, birthday: { benefit: 'a-birthday' }, monthly_top: { points: 400 } },
  });
  const browser = await shop.browser(await shop.member());
  const { status, body } = await browser.get('/v1/me/rewards');
  assert.equal(status, 200);
  const [benefitOnTheWire] = (await shop.get('/v1/benefits/list')).body as object[];
  assert.deepEqual(body, [
    { event: 'welcome', reward_type: 'points', benefit: null, points: 5 },
    { event: 'birthday', reward_type: 'benefit', benefit: benefitOnTheWire, points: null },
    { event: 'monthly_top', reward_type: 'points', benefit: null, points: 400 },
  ]);
  const bare = await makeShop();
  assert.deepEqual((await (await bare.browser(await bare.member())).get('/v1/me/rewards')).body, []);
});

for (const [title, rewards, expected] of [
  ['points', { welcome: { points: 7 } }, { welcome_points: 7, welcome_benefit: null }],
  ['nothing', {}, { welcome_points: null, welcome_benefit: null }],
] as const) {
  test(`joining gives ${title}, and both are null when joining again or while subscribed`, async () => {
    const shop = await makeShop({ rewards });
    const browser = await shop.browser(await newUser());
    const joined = await browser.post('/v1/me/subscription');
    assert.deepEqual([joined.status, joined.body], [200, { message: 'joined the program', ...expected }]);
    const nothing = { welcome_points: null, welcome_benefit: null };
    const again = await browser.post('/v1/me/subscription');
    assert.deepEqual(again.body, { message: 'already in the program', ...nothing });
    await browser.delete('/v1/me/subscription');
    const back = await browser.post('/v1/me/subscription');
    assert.deepEqual([back.status, back.body], [200, { message: 'joined the program', ...nothing }]);
  });
}

test('joining gives a benefit where the commerce gives one, and its code', async () => {
  const shop = await makeShop({
    benefits: [{ ...benefit('hello', { benefit_type: 'welcome' }), cost: undefined }],
    rewards: { welcome: { benefit: 'hello' } },
  });
  const browser = await shop.browser(await newUser());
  const { body } = await browser.post('/v1/me/subscription');
  const [hello] = (await shop.get('/v1/benefits/list')).body as object[];
  assert.deepEqual(body, { message: 'joined the program', welcome_benefit: hello, welcome_points: null });
  const [code] = (await browser.get('/v1/me/benefits')).body as Voucher[];
  assert.deepEqual([code!.used, code!.benefit], [false, hello]);
  assert.deepEqual(((await browser.get('/v1/me/activity')).body as Page).results, []);
});

test('leaving keeps points and codes, and leaving again is the same 200', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 4 })] });
  const member = await shop.member();
  await shop.sell(member, 30);
  await shop.voucher(member, 'coffee');
  const browser = await shop.browser(member);
  const before = [await browser.get('/v1/me/benefits'), await browser.get('/v1/me/activity')];
  for (let i = 0; i < 2; i++) {
    const left = await browser.delete('/v1/me/subscription');
    assert.deepEqual([left.status, left.body], [200, { message: 'left the program' }]);
  }
  const account = (await browser.get('/v1/me')).body as { points: number; subscribed: boolean };
  assert.deepEqual([account.points, account.subscribed], [26, false]);
  assert.equal((await browser.get('/v1/me/benefits')).text, before[0]!.text);
  assert.equal((await browser.get('/v1/me/activity')).text, before[1]!.text);
});

/** Every cell of the table of who sees what, by the states of a person at a commerce. */
interface Cells {
  /** In the list and found by lookups, or not. */
  readonly listed: boolean;
  readonly byEmail: number;
  readonly byCode: number | null;
  readonly subscribed: boolean;
  readonly points: number;
  readonly level: number;
  readonly history: number;
  readonly exchange: number;
  readonly join: { readonly subscribed: boolean };
}

const STATES: readonly (readonly [string, (shop: Shop) => Promise<Person>, Cells])[] = [
  [
    'who never joined',
    async () => ({ ...(await newUser()), member: null }),
    {
      listed: false,
      byEmail: 201,
      byCode: null,
      subscribed: false,
      points: 0,
      level: 404,
      history: 0,
      exchange: 400,
      join: { subscribed: true },
    },
  ],
  [
    'a member',
    inState(async () => {}),
    {
      listed: true,
      byEmail: 201,
      byCode: 201,
      subscribed: true,
      points: 26,
      level: 200,
      history: 2,
      exchange: 200,
      join: { subscribed: true },
    },
  ],
  [
    'who left',
    inState((shop, member) => shop.leave(member)),
    {
      listed: true,
      byEmail: 403,
      byCode: 403,
      subscribed: false,
      points: 26,
      level: 200,
      history: 2,
      exchange: 400,
      join: { subscribed: true },
    },
  ],
  [
    'who was blocked',
    inState((shop, member) => shop.block(member)),
    {
      listed: true,
      byEmail: 403,
      byCode: 403,
      subscribed: true,
      points: 26,
      level: 200,
      history: 2,
      exchange: 400,
      join: { subscribed: true },
    },
  ],
];

for (const [title, make, cells] of STATES) {
  test(`${title} sees and is seen as the table of states says`, async () => {
    const shop = await makeShop({
      benefits: [benefit('coffee', { cost: 4 })],
      levels: { ladder: [{ name: 'Nueva', threshold: 0 }] },
    });
    const person = await make(shop);
    const browser = await shop.browser(person);

    const list = (await shop.get('/v1/clients/list')).body as { items: { email: string }[] };
    assert.equal(
      list.items.some(({ email }) => email === person.email),
      cells.listed,
    );
    const found = await shop.post('/v1/clients/email', { client_email: person.email });
    assert.equal(found.status, cells.listed ? 200 : 404);
    if (person.member) {
      assert.equal((await shop.get(`/v1/clients/${person.member.code}`)).status, 200);
      assert.equal((await shop.get(`/v1/clients/${person.member.code}/benefits`)).status, 200);
    }

    const me = await browser.get('/v1/me');
    const { points, subscribed, email } = me.body as { points: number; subscribed: boolean; email: string };
    assert.deepEqual(
      [me.status, points, subscribed, email],
      [200, cells.points, cells.subscribed, person.email],
    );
    assert.equal((await browser.get('/v1/me/level')).status, cells.level);
    assert.equal(((await browser.get('/v1/me/activity')).body as Page).results.length, cells.history);
    const mine = (await browser.get('/v1/me/benefits')).body as Voucher[];
    assert.equal(mine.length, cells.history === 0 ? 0 : 1);
    for (const path of ['/v1/me/benefits/available', '/v1/me/rewards'])
      assert.equal((await browser.get(path)).status, 200);

    for (const voucher of mine) {
      assert.equal((await shop.get(`/v1/benefits/preview/${voucher.client_benefit_code}`)).status, 200);
      assert.equal(
        (await shop.post('/v1/benefits/redeem', { client_benefit_code: voucher.client_benefit_code })).status,
        200,
      );
    }
    assert.equal((await browser.post(EXCHANGE, { benefit_id: 'coffee' })).status, cells.exchange);
    assert.equal(
      (await shop.post('/v1/consumptions/email', { client_email: person.email, amount: 1 })).status,
      cells.byEmail,
    );
    if (person.member)
      assert.equal(
        (await shop.post('/v1/consumptions/client-code', { client_code: person.member.code, amount: 1 }))
          .status,
        cells.byCode,
      );

    assert.equal((await browser.post('/v1/me/subscription')).status, 200);
    const after = (await browser.get('/v1/me')).body as { subscribed: boolean };
    assert.equal(after.subscribed, cells.join.subscribed);
    if (title === 'who was blocked')
      assert.equal((await browser.post(EXCHANGE, { benefit_id: 'coffee' })).status, 400);
  });
}

test('a person whose points wait sees none of them before joining, and all of them after', async () => {
  const shop = await makeShop({ levels: { ladder: [{ name: 'Nueva', threshold: 0 }] } });
  const person = await newUser();
  await shop.post('/v1/consumptions/email', { client_email: person.email, amount: 8 });
  const browser = await shop.browser(person);
  const { points, subscribed } = (await browser.get('/v1/me')).body as {
    points: number;
    subscribed: boolean;
  };
  assert.deepEqual([points, subscribed], [0, false]);
  assert.deepEqual(((await browser.get('/v1/me/activity')).body as Page).results, []);
  assert.equal((await browser.get('/v1/me/level')).status, 404);
  await browser.post('/v1/me/subscription');
  assert.equal(((await browser.get('/v1/me')).body as { points: number }).points, 8);
  assert.equal(((await browser.get('/v1/me/activity')).body as Page).results.length, 1);
});

const CALLS = [
  ['GET', '/v1/me'],
  ['GET', '/v1/me/benefits/available'],
  ['POST', EXCHANGE],
  ['GET', '/v1/me/benefits'],
  ['GET', '/v1/me/activity'],
  ['GET', '/v1/me/level'],
  ['GET', '/v1/me/rewards'],
  ['POST', '/v1/me/subscription'],
  ['DELETE', '/v1/me/subscription'],
] as const;

test('without an access token every call is a 401, before anything else of it is looked at', async () => {
  const shop = await makeShop();
  const { token } = await shop.browser(await shop.member());
  for (const [method, path] of CALLS)
    for (const authorization of [
      undefined,
      `Bearer ${shop.key}`,
      'Bearer ',
      token,
      `Basic ${token}`,
      `Bearer ${token}x`,
    ]) {
      const answer = await call(method, path, {
        headers: authorization === undefined ? {} : { authorization },
      });
      assert.equal(answer.status, 401, `${method} ${path} ${authorization}`);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
});

test('with a token but without X-Commerce-Id every call is a 422, and with an unknown one a 404', async () => {
  const shop = await makeShop();
  const { token } = await shop.browser(await shop.member());
  const authorization = `Bearer ${token}`;
  for (const [method, path] of CALLS) {
    const body = method === 'POST' ? { benefit_id: 'x' } : undefined;
    const missing = await call(method, path, { headers: { authorization }, body });
    assert.deepEqual(missing.body, {
      detail: [{ loc: ['header', 'x-commerce-id'], msg: 'Field required', type: 'missing' }],
    });
    const unknown = await call(method, path, {
      headers: { authorization, 'x-commerce-id': '9007199254740991' },
      body,
    });
    assert.deepEqual([unknown.status, unknown.body], [404, { message: 'the commerce does not exist' }]);
  }
});

function inState(move: (shop: Shop, member: MadeMember) => Promise<void>): (shop: Shop) => Promise<Person> {
  return async (shop) => {
    const member = await shop.member();
    await shop.sell(member, 30);
    await shop.voucher(member, 'coffee');
    await move(shop, member);
    return { userId: member.userId, email: member.email, member };
  };
}

/** A person with an account who belongs to no program. */
async function newUser(): Promise<{ userId: number; email: string }> {
  const { db } = await service();
  const email = `u-${Math.random().toString(36).slice(2)}@example.com`;
  return { userId: await transaction(db, (db) => findOrCreateUser(db, email)), email };
}

interface Person {
  readonly userId: number;
  readonly email: string;
  readonly member: MadeMember | null;
}

interface Voucher {
  readonly client_benefit_code: number;
  readonly issue_date: string;
  readonly due_date: string | null;
  readonly used: boolean;
  readonly benefit: unknown;
}

interface Page {
  readonly results: readonly { readonly amount: number | null }[];
  readonly next_cursor: string | null;
  readonly previous_cursor: string | null;
}
