/** Drives the model and the service through one program, and compares them after every step. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { checkProgram } from '#commerces/check-program.ts';
import { setClock } from '#commerces/clock.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { sql, transaction, type Database } from '#db/database.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { Problem } from '#http/problem.ts';
import { leaveProgram } from '#members/leave-program.ts';
import { memberColumns, memberOf, type Member, type MemberRow } from '#members/member.ts';
import { applyProgram } from '#program/apply-program.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { reversePurchase } from '#purchases/reverse-purchase.ts';
import { standingAt } from '#tiers/standing.ts';
import { exchangeBenefit } from '#vouchers/exchange-benefit.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { redeemVoucher } from '#vouchers/redeem-voucher.ts';
import { expirePoints } from '../../src/jobs/expire-points.ts';
import { expireTiers } from '../../src/jobs/expire-tiers.ts';
import { dayAt, nextMidnight } from './days.ts';
import { Model, type Person, type Purchase, type Rules, type Voucher } from './model.ts';
import { OFFERS, PEOPLE, type Changing, type Step } from './programs.ts';

export interface RandomProgram {
  readonly zone: string;
  readonly startsIn: number;
  readonly doubles: boolean;
  readonly rules: Changing;
  readonly steps: readonly Step[];
}

const DAY_MS = 86_400_000;

/** What both sides have made so far. */
interface World {
  readonly db: Database;
  readonly commerceId: number;
  readonly slug: string;
  readonly model: Model;
  readonly people: readonly { readonly email: string; readonly person: Person; userId: number | null }[];
  readonly purchases: { readonly id: number; readonly bought: Purchase }[];
  readonly vouchers: { readonly code: number; readonly issued: Voucher }[];
  /** Counts steps: no two of them fall on one second of a day. */
  step: number;
}

export async function runProgram(db: Database, program: RandomProgram): Promise<void> {
  const world = await begin(db, program);
  for (const step of program.steps) {
    world.step++;
    await take(world, step);
    await compare(world);
  }
}

async function begin(db: Database, { zone, startsIn, doubles, rules, steps }: RandomProgram): Promise<World> {
  const slug = `model-${randomBytes(6).toString('hex')}`;
  const now = Date.UTC(2027, 0, 1, 12) + startsIn * DAY_MS;
  const double = doubles ? ([now + 10 * DAY_MS + 5_500, now + 40 * DAY_MS + 5_500] as const) : null;
  const model = new Model({ ...rules, zone, double }, OFFERS, now);
  const commerceId = await apply(db, slug, model.rules);
  await setClock(db, commerceId, new Date(now));
  const people = Array.from({ length: PEOPLE }, (_, i) => ({
    email: `p${i}-${slug}@example.com`,
    person: model.stranger(),
    userId: null,
  }));
  assert.ok(steps.length > 0);
  return { db, commerceId, slug, model, people, purchases: [], vouchers: [], step: 0 };
}

/** Does one thing on both sides; they must agree on whether it can be done and on what it gives. */
async function take(world: World, step: Step): Promise<void> {
  const { db, commerceId, model, people, purchases, vouchers } = world;
  switch (step.does) {
    case 'earn': {
      const { email, person } = people[step.who]!;
      const [outcome] = await transaction(db, (db) =>
        recordPurchases(db, [{ commerceId, buyer: { email }, amount: step.amount }]),
      );
      const bought = model.earn(person, step.amount);
      assert.equal(outcome?.recorded, bought !== undefined, 'recorded');
      if (outcome?.recorded && bought) purchases.push({ id: outcome.purchaseId, bought });
      return;
    }
    case 'exchange': {
      const { person, userId } = people[step.who]!;
      const offer = OFFERS[step.offer]!;
      const made =
        userId === null
          ? undefined
          : await unlessRefused(() => exchangeBenefit(db, { commerceId, userId, benefitId: offer.id }));
      const issued = model.exchange(person, offer);
      assert.equal(made !== undefined, issued !== undefined, 'exchanged');
      if (made && issued) vouchers.push({ code: made.voucher.code, issued });
      return;
    }
    case 'redeem': {
      const voucher = vouchers.at(-1 - (step.voucher % vouchers.length));
      if (voucher === undefined) return;
      const done = await unlessRefused(() => redeemVoucher(db, { commerceId, code: voucher.code }));
      assert.equal(done !== undefined, model.redeem(voucher.issued), 'redeemed');
      return;
    }
    case 'give back': {
      const voucher = vouchers.at(-1 - (step.voucher % vouchers.length));
      if (voucher === undefined) return;
      const done = await unlessRefused(() => giveBackVoucher(db, { commerceId, code: voucher.code }));
      assert.equal(done !== undefined, model.giveBack(voucher.issued), 'given back');
      return;
    }
    case 'reverse': {
      const purchase = purchases.at(-1 - (step.purchase % purchases.length));
      if (purchase === undefined) return;
      const { id, bought } = purchase;
      const amount = step.percent === null ? undefined : Math.ceil((bought.amount * step.percent) / 100);
      const done = await unlessRefused(() => reversePurchase(db, { commerceId, purchaseId: id, amount }));
      assert.equal(done?.points, model.reverse(bought, amount), 'points taken back');
      return;
    }
    case 'join': {
      const place = people[step.who]!;
      const { userId, welcomePoints } = await transaction(db, (db) =>
        enrolMember(db, commerceId, place.email),
      );
      place.userId = userId;
      assert.equal(welcomePoints, model.join(place.person), 'welcome');
      return;
    }
    case 'leave': {
      const { userId, person } = people[step.who]!;
      if (userId !== null) await leaveProgram(db, commerceId, userId);
      return model.leave(person);
    }
    case 'block': {
      const { email, person } = people[step.who]!;
      person.blocked = person.state === 'member' ? !person.blocked : person.blocked;
      const at = person.blocked ? new Date() : null;
      await sql`
        update members set blocked_at = ${at} where commerce_id = ${commerceId} and email = ${email}`.execute(
        db,
      );
      return;
    }
    case 'expire points':
      return void (await expirePoints.run(db, commerceId, { batch: 2 }));
    case 'expire tiers':
      return void (await expireTiers.run(db, commerceId, { batch: 2 }));
    case 'change': {
      const next = { ...model.rules, ...step.rules };
      await apply(db, world.slug, next);
      return model.change(next);
    }
    default:
      model.now = laterThan(world, step);
      await setClock(db, commerceId, new Date(model.now));
  }
}

type Waiting = Extract<Step, { does: `wait${string}` }>;

/** The clock of the next step; seconds that no other step has, so that no two instants are close. */
function laterThan({ model, step }: World, wait: Waiting): number {
  const { zone } = model.rules;
  const own = step * 10_000;
  if (wait.does === 'wait') return model.now + wait.days * DAY_MS + wait.hours * 3_600_000 + own;
  let midnight = nextMidnight(model.now, zone);
  if (wait.does === 'wait for a month end') {
    while (dayAt(midnight, zone).slice(8) !== '01') midnight = nextMidnight(midnight, zone);
    return midnight + own;
  }
  if (wait.side === 'after') return midnight + own;
  const before = midnight - 600_000 + own;
  return before > model.now ? before : nextMidnight(midnight, zone) - 600_000 + own;
}

async function apply(db: Database, slug: string, rules: Rules): Promise<number> {
  const { mode, months, returns, measure, validMonths, ladder, welcome, double } = rules;
  const window = double && { from: new Date(double[0]).toISOString(), to: new Date(double[1]).toISOString() };
  const checked = checkProgram({
    slug,
    name: slug,
    currency: 'EUR',
    sandbox: true,
    time_zone: rules.zone,
    earning: {
      money_per_point: rules.moneyPerPoint / 1000,
      returns,
      double_points: window === null ? [] : [window],
    },
    points_expiration: mode === 'none' ? { mode } : { mode, months },
    levels: {
      threshold_type: measure,
      valid_months: validMonths,
      ladder: ladder.map(({ threshold, multiplier }, i) => ({
        name: `Tier ${i + 1}`,
        threshold,
        points_multiplier: multiplier / 1000,
        benefit: `tier-${i + 1}`,
      })),
    },
    benefits: [
      ...OFFERS.map(({ id, cost, limit, validDays }) => ({
        ...described(id),
        cost,
        buy_limit: limit,
        valid_days: validDays,
      })),
      ...[1, 2, 3].map((rank) => ({ ...described(`tier-${rank}`), benefit_type: 'level', cost: 0 })),
    ],
    rewards: { welcome: welcome === null ? null : { points: welcome } },
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return (await applyProgram(db, checked.program)).commerceId!;
}

function described(id: string) {
  return { id, type: 'percentage_discount', title: id, value: 10 };
}

async function unlessRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

async function compare({ db, commerceId, model, people }: World): Promise<void> {
  const commerce = await readCommerce(db, commerceId);
  assert.equal(commerce?.today, model.today, 'local day');
  const { rows, sold } = await readAll(db, commerceId, commerce.today);
  for (const [i, { email, person }] of people.entries()) {
    const row = rows.get(email);
    if (row === undefined) assert.equal(person.state, 'stranger');
    else assert.deepEqual(seen(row, commerce), expected(model, person), `person ${i}`);
  }
  const expectedSold = [...model.sold].filter(([, count]) => count > 0);
  assert.deepEqual(sold, Object.fromEntries(expectedSold), 'sold');
}

interface Row {
  readonly member: Member;
  readonly days: readonly (readonly [string, boolean, number])[];
  readonly gifts: number;
}

interface All {
  readonly rows: Map<string, Row>;
  /** By benefit, what is above zero. */
  readonly sold: Readonly<Record<string, number>>;
}

async function readAll(db: Database, commerceId: number, today: string): Promise<All> {
  const { rows } = await sql<
    MemberRow & { days: Row['days'] | null; gifts: number; sold: All['sold'] | null }
  >`-- model-read-all
    select ${memberColumns},
           (select jsonb_object_agg(b.id, b.sold) from benefits b
             where b.commerce_id = m.commerce_id and b.sold > 0) as sold,
           (select jsonb_agg(jsonb_build_array(b.expires_on, b.moving, b.points) order by b.expires_on, b.moving)
              from balances b
             where b.commerce_id = m.commerce_id and b.member_id = m.id and b.expires_on >= ${today}::date) as days,
           (select count(*) from vouchers v
             where v.commerce_id = m.commerce_id and v.member_id = m.id and v.source = 'level') as gifts
      from members m
     where m.commerce_id = ${commerceId}`.execute(db);
  const people = rows.map((row): [string, Row] => [
    row.email!,
    { member: memberOf(row), days: row.days ?? [], gifts: row.gifts },
  ]);
  return { rows: new Map(people), sold: rows[0]?.sold ?? {} };
}

/** What the service has of a person. */
function seen({ member, days, gifts }: Row, { rules, now }: Commerce) {
  const { standing } = standingAt(member, rules, now);
  return {
    state: member.state,
    days,
    figures: member.figures,
    purchases: member.purchases,
    rank: standing.rank ?? 0,
    expired: standing.expired,
    endsOn: standing.expiresOn,
    gifts,
  };
}

/** What the model says of a person. */
function expected(model: Model, person: Person): ReturnType<typeof seen> {
  const { rank, expired, endsOn } = model.standingOf(person);
  const days = model
    .pools(person)
    .map(({ day, moves, points }) => [day === 'never' ? 'infinity' : day, moves, points] as const);
  if (person.debt > 0) days.push(['infinity', false, -person.debt]);
  return {
    state: person.state as Member['state'],
    days,
    figures: person.figures,
    purchases: person.count,
    rank,
    expired,
    endsOn,
    gifts: person.gifts.size,
  };
}
