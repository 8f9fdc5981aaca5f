import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { setClock } from '#commerces/clock.ts';
import { sql, transaction, type Database } from '#db/database.ts';
import { editProfile } from '#members/edit-profile.ts';
import { lockMember } from '#members/lock-members.ts';
import { reversePurchase } from '#purchases/reverse-purchase.ts';
import { assertBooksAgree } from '#test/books.ts';
import { testDatabase } from '#test/database.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { storedPurchaseId } from '#test/stored-id.ts';
import { noteFailure } from '../../src/operations/jobs/failures.ts';
import { runJob } from '../../src/operations/jobs/run-jobs.ts';
import { plusDays } from './days.ts';
import { ZONES } from './programs.ts';
import { RewardModel, type Celebrant, type Reward, type RewardRules } from './rewards-model.ts';

/** `MODEL_PROGRAMS=2500` is the long form, `TEST_SEED` repeats a run. */
const PROGRAMS = Number(process.env['MODEL_PROGRAMS'] ?? 25);
// Programs of several lanes run beside each other: most of the time they wait for the database.
const LANES = 4;
const PEOPLE = 3;
const DAY_MS = 86_400_000;

type Step =
  | { readonly does: 'wait'; readonly days: number }
  | { readonly does: 'run the jobs' | 'fail the birthdays' }
  /** A birth date with its birthday this many days from today, or on 29 February. */
  | { readonly does: 'tell'; readonly who: number; readonly days: number | 'leap' | null }
  | { readonly does: 'buy'; readonly who: number; readonly amount: number }
  | { readonly does: 'return'; readonly sale: number }
  | { readonly does: 'leave or come back'; readonly who: number }
  | { readonly does: 'change'; readonly rules: RewardRules };

const who = fc.nat(PEOPLE - 1);
const gives = fc.constantFrom('points' as const, 'benefit' as const, 'expired benefit' as const, null);
const rules = fc.record({
  birthday: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('points' as const, 'benefit' as const) },
    { weight: 1, arbitrary: gives },
  ),
  monthlyTop: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('points' as const, 'benefit' as const) },
    { weight: 1, arbitrary: gives },
  ),
  settleDays: fc.constantFrom(0, 3, 28),
});
const days = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 2, arbitrary: fc.integer({ min: 20, max: 70 }) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 400 }) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('wait' as const), days }) },
  { weight: 5, arbitrary: fc.constant({ does: 'run the jobs' as const }) },
  { weight: 1, arbitrary: fc.constant({ does: 'fail the birthdays' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('tell' as const),
      who,
      days: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: -10, max: 10 }) },
        { weight: 2, arbitrary: fc.constantFrom('leap' as const, null) },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('buy' as const), who, amount: fc.integer({ min: 1, max: 99 }) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('return' as const), sale: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('leave or come back' as const), who }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('change' as const), rules }) },
);
/** A rare case by chance: a member gives a birth date some days before the birthday, and a year later it comes again. */
const celebrated: fc.Arbitrary<Step[]> = fc
  .record({
    who,
    days: fc.integer({ min: 1, max: 6 }),
    more: fc.integer({ min: -1, max: 8 }),
    year: fc.integer({ min: 285, max: 372 }),
  })
  .map(({ who, days, more, year }) => [
    { does: 'tell', who, days },
    { does: 'wait', days: days + more },
    { does: 'run the jobs' },
    { does: 'wait', days: year - more },
    { does: 'tell', who: (who + 1) % PEOPLE, days: 3 },
    { does: 'run the jobs' },
  ]);

/** The birthday job fails on the day itself and for some time after it. */
const failed: fc.Arbitrary<Step[]> = fc
  .record({ who, days: fc.integer({ min: 1, max: 6 }), fails: fc.integer({ min: 0, max: 75 }) })
  .map(({ who, days, fails }) => [
    { does: 'tell', who, days },
    { does: 'wait', days },
    { does: 'fail the birthdays' },
    { does: 'wait', days: fails },
    { does: 'run the jobs' },
  ]);

/** A member wins a month while the reward gives nothing. Sooner or later the reward is repaired. */
const mended: fc.Arbitrary<Step[]> = fc
  .record({ who, days: fc.integer({ min: 28, max: 40 }), later: fc.integer({ min: 0, max: 40 }) })
  .map(({ who, days, later }) => [
    { does: 'change', rules: { birthday: 'points', monthlyTop: 'expired benefit', settleDays: 0 } },
    { does: 'wait', days },
    { does: 'buy', who, amount: 99 },
    { does: 'wait', days },
    { does: 'run the jobs' },
    { does: 'wait', days: later },
    { does: 'change', rules: { birthday: 'points', monthlyTop: 'points', settleDays: 0 } },
    { does: 'run the jobs' },
  ]);

const program = fc.record({
  zone: fc.constantFrom(...ZONES),
  startsIn: fc.nat(800),
  rules,
  steps: fc
    .array(
      fc.oneof(
        { weight: 8, arbitrary: step.map((step) => [step]) },
        { weight: 1, arbitrary: fc.oneof(celebrated, failed, mended) },
      ),
      { minLength: 50, maxLength: 50, size: 'max' },
    )
    .map((parts) => parts.flat().slice(0, 50)),
});

test(`${PROGRAMS} random programs of 50 steps reward whom the model rewards, seed ${fc.SEED}`, async (t) => {
  const db = await testDatabase();
  const counts = { birthday: 0, monthly_top: 0, withheld: 0 };
  const lane = (seed: number) =>
    fc.assert(
      fc.asyncProperty(program, async ({ zone, startsIn, rules, steps }) => {
        const world = await begin(zone, Date.UTC(2027, 0, 1, 12) + startsIn * DAY_MS, rules);
        for (const step of steps) await take(db, world, step);
        await assertBooksAgree(db, world.shop.id);
        for (const { event } of world.model.given) counts[event]++;
        counts.withheld += world.model.withheld.length;
      }),
      { seed, numRuns: Math.ceil(PROGRAMS / LANES), interruptAfterTimeLimit: 3_600_000 },
    );
  await Promise.all(Array.from({ length: LANES }, (_, i) => lane(fc.SEED + i)));
  const { birthday, monthly_top: months, withheld } = counts;
  t.diagnostic(
    `${birthday} birthdays and ${months} months were rewarded, ${withheld} times nothing was handed out`,
  );
  assert.ok(Math.min(birthday, months, withheld) > 0);
});

interface World {
  readonly shop: Shop;
  readonly zone: string;
  readonly model: RewardModel;
  readonly members: readonly MadeMember[];
  readonly saleIds: number[];
}

async function begin(zone: string, now: number, rules: RewardRules): Promise<World> {
  const shop = await makeShop({ ...fieldsOf(zone, rules), clock: new Date(now).toISOString() });
  const model = new RewardModel(zone, now);
  model.change(rules);
  const members = [];
  for (let i = 0; i < PEOPLE; i++) {
    const member = await shop.member(`r${i}-${randomBytes(5).toString('hex')}`);
    members.push(member);
    model.people.push({ code: member.code, active: true, birthDate: null, toldOn: '' });
  }
  return { shop, zone, model, members, saleIds: [] };
}

async function take(db: Database, { shop, zone, model, members, saleIds }: World, step: Step): Promise<void> {
  switch (step.does) {
    case 'wait':
      model.now += step.days * DAY_MS + 1_000;
      return setClock(db, shop.id, new Date(model.now));
    case 'run the jobs': {
      const runs = [await runJob(db, 'birthdays', shop.id), await runJob(db, 'monthly-top', shop.id)];
      assert.deepEqual(
        runs.flatMap(({ failures }) => failures),
        [],
      );
      model.runBirthdays();
      model.runMonthlyTop();
      return compare(db, shop, model, members);
    }
    case 'fail the birthdays':
      if (model.rules.birthday !== null) await noteFailure(db, 'birthdays', shop.id, new Error('broken'));
      return model.failBirthdays();
    case 'tell': {
      const birthDate = birthDateOf(model.today, step.days);
      const ref = { commerceId: shop.id, userId: members[step.who]!.userId };
      await transaction(db, async (tx) => editProfile(tx, shop.id, await lockMember(tx, ref), { birthDate }));
      return model.tellBirthDate(model.people[step.who]!, birthDate);
    }
    case 'buy': {
      const person = model.people[step.who]!;
      if (!person.active) return;
      const body = { client_code: person.code, amount: step.amount };
      const answer = await shop.post('/v1/consumptions/client-code', body);
      saleIds.push(await storedPurchaseId(answer));
      const number = model.sales.length + 1;
      model.sales.push({ who: person, day: model.today, number, kept: step.amount });
      return;
    }
    case 'return': {
      const index = model.sales.length - 1 - (step.sale % Math.max(model.sales.length, 1));
      const sale = model.sales[index];
      if (sale === undefined || sale.kept === 0) return;
      await transaction(db, (tx) =>
        reversePurchase(tx, { commerceId: shop.id, purchaseId: saleIds[index]! }),
      );
      sale.kept = 0;
      return;
    }
    case 'leave or come back': {
      const person = model.people[step.who]!;
      const page = await shop.browser(members[step.who]!);
      await (person.active ? page.delete('/v1/me/subscription') : page.post('/v1/me/subscription'));
      person.active = !person.active;
      return;
    }
    default:
      await shop.apply(fieldsOf(zone, step.rules));
      return model.change(step.rules);
  }
}

async function compare(db: Database, shop: Shop, model: RewardModel, members: readonly MadeMember[]) {
  const { rows } = await sql<{ list: string; memberId: number; event: string; period: string; at: Date }>`
    select 'given' as list, member_id as "memberId", event, period, given_at as at from rewards where commerce_id = ${shop.id}
     union all
    select 'withheld', member_id, event, period, at from withheld_rewards where commerce_id = ${shop.id}`.execute(
    db,
  );
  const nameOf = (memberId: number) => members.findIndex((member) => member.memberId === memberId);
  const seen = rows
    .filter(({ list }) => list === 'given')
    .map(
      ({ memberId, event, period, at }) =>
        `${nameOf(memberId)} ${event} ${period} on ${model.dayOf(at.getTime())}`,
    );
  const kept = rows.filter(({ list }) => list === 'withheld');
  const words = ({ who, event, period }: Reward) => `${indexOf(model, who)} ${event} ${period}`;
  assert.deepEqual(seen.sort(), model.given.map((reward) => `${words(reward)} on ${reward.on}`).sort());
  assert.deepEqual(
    kept.map(({ memberId, event, period }) => `${nameOf(memberId)} ${event} ${period}`).sort(),
    [...new Set(model.withheld.map(words))].sort(),
  );
}

function indexOf(model: RewardModel, who: Celebrant): number {
  return model.people.indexOf(who);
}

function birthDateOf(today: string, days: number | 'leap' | null): string | null {
  if (days === null) return null;
  if (days === 'leap') return '1992-02-29';
  return `1990-${plusDays(today, days).slice(5)}`.replace('1990-02-29', '1992-02-29');
}

function fieldsOf(zone: string, { birthday, monthlyTop, settleDays }: RewardRules) {
  const rewardOf = (kind: string, gives: RewardRules['birthday']) => {
    if (gives === null) return null;
    return gives === 'points'
      ? { points: 7 }
      : { benefit: `${kind}-${gives === 'benefit' ? 'good' : 'bad'}` };
  };
  const top = rewardOf('top', monthlyTop);
  const gift = (kind: string, benefit_type: string) => [
    benefit(`${kind}-good`, { benefit_type, cost: 0 }),
    benefit(`${kind}-bad`, { benefit_type, cost: 0, expiration: '2027-01-01T00:00:00Z' }),
  ];
  return {
    sandbox: true,
    time_zone: zone,
    rewards: {
      birthday: rewardOf('birthday', birthday),
      monthly_top: top && { ...top, settle_days: settleDays },
    },
    benefits: [...gift('birthday', 'birthday'), ...gift('top', 'monthly_top')],
  };
}
