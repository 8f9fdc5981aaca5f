import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benefit, makeShop, newUser, type MadeMember, type Shop } from '#test/make.ts';
import type { Page, Voucher } from './my-answers.ts';

const EXCHANGE = '/v1/me/benefits/exchange';

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

test('joining issues a code if the welcome reward is a benefit', async () => {
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

/** The view of a person in one state, and the shop's view of the person. */
interface Cells {
  /** Whether lists and lookups show the person. */
  readonly listed: boolean;
  readonly byEmail: number;
  readonly byCode: number | null;
  readonly subscribed: boolean;
  readonly points: number;
  readonly level: number;
  readonly history: number;
  readonly exchange: number;
  /** Changing one's own profile. */
  readonly edit: number;
  /** Whether a new ladder lifts them and gives them its benefit; null where they have no tier. */
  readonly lifted: boolean | null;
  readonly join: { readonly subscribed: boolean };
}

const STATES: readonly (readonly [string, (shop: Shop) => Promise<Person>, Cells])[] = [
  [
    'a person who never joined',
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
      edit: 400,
      lifted: null,
      join: { subscribed: true },
    },
  ],
  [
    'whose points wait',
    async (shop) => {
      const person = await newUser();
      await shop.post('/v1/consumptions/email', { client_email: person.email, amount: 30 });
      return { ...person, member: null };
    },
    {
      listed: false,
      byEmail: 201,
      byCode: null,
      subscribed: false,
      points: 0,
      level: 404,
      history: 0,
      exchange: 400,
      edit: 400,
      lifted: null,
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
      edit: 200,
      lifted: true,
      join: { subscribed: true },
    },
  ],
  [
    'a member who left',
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
      edit: 200,
      lifted: false,
      join: { subscribed: true },
    },
  ],
  [
    'a blocked member',
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
      edit: 200,
      lifted: false,
      join: { subscribed: true },
    },
  ],
];

for (const [title, make, cells] of STATES) {
  test(`${title} sees, and is shown, what the table of states says`, async () => {
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

    assert.equal((await browser.patch('/v1/me', { phone: '+34600000000' })).status, cells.edit);

    if (cells.lifted !== null) {
      const gift = benefit('gift', { benefit_type: 'level', cost: 0 });
      const high = { name: 'Alta', threshold: 20, benefit: 'gift' };
      await shop.apply({
        benefits: [benefit('coffee', { cost: 4 }), gift],
        levels: { ladder: [{ name: 'Nueva', threshold: 0 }, high] },
      });
      const { name } = (await browser.get('/v1/me/level')).body as { name: string };
      const codes = (await browser.get('/v1/me/benefits')).body as Voucher[];
      const gifts = codes.filter((voucher) => (voucher.benefit as { id: string }).id === 'gift');
      assert.deepEqual([name, gifts.length], cells.lifted ? ['Alta', 1] : ['Nueva', 0]);
    }

    assert.equal((await browser.post('/v1/me/subscription')).status, 200);
    const after = (await browser.get('/v1/me')).body as { subscribed: boolean };
    assert.equal(after.subscribed, cells.join.subscribed);
    if (title === 'a blocked member')
      assert.equal((await browser.post(EXCHANGE, { benefit_id: 'coffee' })).status, 400);
  });
}

test('a person with waiting points sees none of them before joining and all of them after', async () => {
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

function inState(move: (shop: Shop, member: MadeMember) => Promise<void>): (shop: Shop) => Promise<Person> {
  return async (shop) => {
    const member = await shop.member();
    await shop.sell(member, 30);
    await shop.voucher(member, 'coffee');
    await move(shop, member);
    return { userId: member.userId, email: member.email, member };
  };
}

interface Person {
  readonly userId: number;
  readonly email: string;
  readonly member: MadeMember | null;
}
