import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { transaction } from '#db/database.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { advanceClock } from '../../src/operations/jobs/advance-clock.ts';
import { assertBooksAgree } from '#test/books.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { signIn } from '#test/sign-in.ts';

const HARBOUR_BAKERY = {
  sandbox: true,
  earning: { money_per_point: 10 },
  points_expiration: { mode: 'rolling', months: 12 },
  levels: {
    valid_months: 12,
    ladder: [
      { name: 'Guest', threshold: 0 },
      { name: 'Regular', threshold: 100, points_multiplier: 1.5, benefit: 'loaf' },
    ],
  },
  benefits: [
    benefit('coffee', { cost: 40 }),
    benefit('loaf', { benefit_type: 'level', cost: 0 }),
    benefit('crown', { benefit_type: 'monthly_top', cost: 0 }),
  ],
  rewards: {
    welcome: { points: 20 },
    birthday: { points: 50 },
    monthly_top: { benefit: 'crown', settle_days: 3 },
  },
};

test('two years of a member, from a till that knew only an address to points that come and go', async () => {
  const { db } = await service();
  const shop = await makeShop(HARBOUR_BAKERY);
  await setClock(db, shop.id, new Date('2027-01-04T10:00:00Z'));
  const email = `eva-${shop.slug}@example.com`;

  // Eva buys before she has an account; her points wait.
  await bought(await shop.post('/v1/consumptions/email', { client_email: email, amount: 300 }));

  // She signs in by a code, and they are hers, with 20 for joining.
  const { access } = await signIn(shop.id, email);
  const eva = { authorization: `Bearer ${access}`, 'x-commerce-id': String(shop.id) };
  const me = async <T>(path: string) => (await call('GET', `/v1/me${path}`, { headers: eva })).body as T;
  const points = async () => (await me<{ points: number }>('')).points;
  const level = () => me<Level>('/level');
  const wait = async (duration: string) => void (await advanceClock(db, shop.slug, duration));
  assert.equal(await points(), 50); // 300 ÷ 10 + 20
  assert.equal((await level()).name, 'Guest');
  const told = await call('PATCH', '/v1/me', { headers: eva, body: { birth_date: '1990-05-20' } });
  assert.equal(told.status, 200);

  // A month later she turns out to have bought the most in January.
  await wait('1 month'); // 4 February
  assert.deepEqual(await vouchers(), ['crown']);

  // The till knows her code by now; with 100 points in her life she is a Regular, and gets a loaf.
  const clients = (await shop.get('/v1/clients/list')).body as { items: { code: number; email: string }[] };
  const code = clients.items.find((client) => client.email === email)!.code;
  const buy = (amount: number) => shop.post('/v1/consumptions/client-code', { client_code: code, amount });
  await bought(await buy(500));
  assert.deepEqual([await points(), (await level()).name], [100, 'Regular']); // 50 + 50
  assert.deepEqual(await vouchers(), ['loaf', 'crown']);
  const returnable = await bought(await buy(100));
  assert.equal(await points(), 115); // 100 ÷ 10 × 1.5 = 15

  // She trades 40 points for a coffee and drinks it.
  const coffee = await exchange();
  assert.equal(await points(), 75);
  assert.equal((await shop.get(`/v2/benefits/preview/${coffee}`)).status, 200);
  assert.equal((await shop.post('/v1/benefits/redeem', { client_benefit_code: coffee })).status, 200);
  assert.equal((await shop.get(`/v2/benefits/preview/${coffee}`)).status, 400);

  // Her birthday comes by itself; a return takes its own 15 points, whatever they would be today.
  await wait('4 months'); // 4 June
  assert.equal(await points(), 125);
  await shop.apply({ ...HARBOUR_BAKERY, earning: { money_per_point: 1 } });
  assert.equal((await shop.post(`/v1/consumptions/${returnable}/reversal`, {})).status, 201);
  await shop.apply(HARBOUR_BAKERY);
  assert.equal(await points(), 110);
  const { results } = await me<{ results: Activity[] }>('/activity');
  assert.deepEqual(
    results.map(({ type, amount, points, event }) => [type, amount, points, event]),
    [
      ['consumption', -100, -15, null],
      ['points_special_reward', null, 50, 'birthday'],
      ['benefit_usage', null, null, null],
      ['benefit_exchange', null, -40, null],
      ['consumption', 100, 15, null],
      ['consumption', 500, 50, null],
      ['points_special_reward', null, 20, 'welcome'],
      ['consumption', 300, 30, null],
    ],
  );

  // A year after the first purchase: of its 50 points the coffee took 40, and today is the last day of the rest.
  await wait('7 months'); // 4 January 2028
  const { points_expiration: next } = await me<{ points_expiration: Expiring }>('');
  assert.deepEqual([await points(), next.points, next.days_left], [110, 10, 0]);
  assert.equal(next.expiration_date, '2028-01-04T22:59:59.999Z');
  await wait('1 day');
  assert.equal(await points(), 100);

  // Being a Regular ends too: 15 + 50 - 15 points in that year are no 100.
  await wait('1 month'); // 5 February; the 50 points of a year ago have gone with yesterday
  assert.equal(await points(), 50);
  const guest = await level();
  assert.deepEqual([guest.name, guest.total_earned_points], ['Guest', 150]); // 30 + 20 + 50 + 15 + 50 - 15
  assert.equal(guest.next_level?.threshold, 250); // 100 more from now on

  // She leaves, cannot earn, keeps her points, and comes back without a second welcome.
  const leave = await call('DELETE', '/v1/me/subscription', { headers: eva });
  assert.equal(leave.status, 200);
  assert.equal((await buy(10)).status, 403);
  const rejoined = await call('POST', '/v1/me/subscription', { headers: eva });
  assert.equal((rejoined.body as { welcome_points: number | null }).welcome_points, null);
  assert.equal(await points(), 50);

  // A big order makes her a Regular again, but she does not get a second loaf.
  await bought(await buy(1000));
  assert.deepEqual([await points(), (await level()).name], [150, 'Regular']);
  assert.equal((await vouchers()).filter((id) => id === 'loaf').length, 1);

  // A coffee bought by mistake is given back by the staff.
  const mistake = await exchange();
  assert.equal(await points(), 110);
  await transaction(db, (tx) =>
    giveBackVoucher(tx, { commerceId: shop.id, code: mistake, reason: 'Bought by mistake' }),
  );
  assert.equal(await points(), 150);

  // In the next January the old birthday's points have expired, and the new one's are there.
  await wait('11 months'); // 5 January 2029
  assert.equal(await points(), 150);
  const expirations = await me<Expiring[]>('/points/expirations');
  assert.deepEqual(
    expirations.map(({ points, expiration_date }) => [points, expiration_date]),
    [
      [100, '2029-02-05T22:59:59.999Z'],
      [50, '2029-05-20T21:59:59.999Z'],
    ],
  );
  // January and February 2027, and February 2028.
  assert.equal((await vouchers()).filter((id) => id === 'crown').length, 3);
  await assertBooksAgree(db, shop.id);

  async function vouchers(): Promise<string[]> {
    return (await me<Voucher[]>('/benefits')).map((voucher) => voucher.benefit.id);
  }

  async function exchange(): Promise<number> {
    const answer = await call('POST', '/v1/me/benefits/exchange', {
      headers: eva,
      body: { benefit_id: 'coffee' },
    });
    assert.equal(answer.status, 200, answer.text);
    return (answer.body as Voucher).client_benefit_code;
  }
});

interface Level {
  readonly name: string;
  readonly total_earned_points: number;
  readonly next_level: { readonly threshold: number } | null;
}

interface Activity {
  readonly type: string;
  readonly amount: number | null;
  readonly points: number | null;
  readonly event: string | null;
}

interface Expiring {
  readonly points: number;
  readonly expiration_date: string;
  readonly days_left: number;
}

interface Voucher {
  readonly client_benefit_code: number;
  readonly benefit: { readonly id: string };
}

/** Returns the id of a recorded purchase. */
async function bought(answer: Answer): Promise<string> {
  assert.equal(answer.status, 201, answer.text);
  return answer.headers.get('x-consumption-id')!;
}
