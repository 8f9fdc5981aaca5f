/** Drives the model and the service through one program, and compares them after every step. */
import assert from 'node:assert/strict';
import { setClock } from '#commerces/clock.ts';
import { sql, transaction, type Database } from '#db/database.ts';
import { adjustPoints } from '#corrections/adjust-points.ts';
import { pinFromCommandLine } from '#test/staff.ts';
import { unpinTier } from '#corrections/unpin-tier.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { Problem } from '#problems/problem.ts';
import { leaveProgram } from '#members/leave-program.ts';
import { findMember } from '#members/lock-members.ts';
import type { Member } from '#members/member.ts';
import { blockPerson } from '#member-care/block-person.ts';
import { erasePerson } from '#member-care/erase-person.ts';
import { unblockPerson } from '#member-care/unblock-person.ts';
import { reversePurchase } from '#purchases/reverse-purchase.ts';
import { exchangeBenefit } from '#test/exchange-benefit.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { undoRedemption } from '#corrections/undo-redemption.ts';
import { redeemVoucher } from '#vouchers/redeem-voucher.ts';
import { expirePoints } from '../../src/operations/jobs/expire-points.ts';
import { expireTiers } from '../../src/operations/jobs/expire-tiers.ts';
import { pendingPoints } from '../../src/operations/jobs/pending-points.ts';
import { compare } from './compare.ts';
import { dayAt, nextMidnight, plusDays } from './days.ts';
import { earn } from './earn.ts';
import { OFFERS, type RandomProgram, type Step } from './programs.ts';
import type { Till } from './till.ts';
import { apply, begin, DAY_MS, type World } from './world.ts';

/** Gives the commerce, and the program as it came about: purchases in the order in which they were recorded. */
export async function runProgram(
  db: Database,
  till: Till,
  program: RandomProgram,
  /** Other checks of a test after each step. */
  afterStep: (world: World) => Promise<void> = async () => {},
): Promise<{ commerceId: number; untold: number; asRecorded: RandomProgram }> {
  const world = await begin(db, till, program);
  const steps: Step[] = [];
  for (const step of program.steps) {
    world.step++;
    steps.push(await take(world, step));
    await compare(world);
    await afterStep(world);
  }
  const { commerceId, untold } = world;
  return { commerceId, untold, asRecorded: { ...program, steps } };
}

/**
 * Does one step on both sides. They must agree on whether it can be done and on its result. Returns the step as it
 * happened.
 */
async function take(world: World, step: Step): Promise<Step> {
  if (step.does === 'earn') return { ...step, purchases: await earn(world, step.purchases) };
  await takeOther(world, step);
  return step;
}

/** All but purchases, which go by the till. */
async function takeOther(world: World, step: Exclude<Step, { does: 'earn' }>): Promise<void> {
  const { db, commerceId, model, people, purchases, vouchers } = world;
  switch (step.does) {
    case 'exchange': {
      const { person, userId } = people[step.who]!;
      const offer = OFFERS[step.offer]!;
      const made =
        userId === null
          ? undefined
          : await unlessRefused(() => exchangeBenefit(db, { commerceId, userId, benefitId: offer.id }));
      const issued = model.exchange(person, offer);
      assert.equal(made !== undefined, issued !== undefined, 'exchanged');
      if (made && issued) vouchers.push({ code: made.voucher.code, issued, uses: 0 });
      return;
    }
    case 'redeem': {
      const voucher = vouchers.at(-1 - (step.voucher % vouchers.length));
      if (voucher === undefined) return;
      const externalId = nameOfUse(voucher, voucher.uses);
      const done = await unlessRefused(() =>
        redeemVoucher(db, { commerceId, code: voucher.code, externalId }),
      );
      assert.equal(done !== undefined, model.redeem(voucher.issued), 'redeemed');
      if (done !== undefined) voucher.uses++;
      return;
    }
    case 'undo': {
      const voucher = vouchers.at(-1 - (step.voucher % vouchers.length));
      if (voucher === undefined || voucher.uses === 0) return;
      const externalId = nameOfUse(voucher, voucher.uses - 1);
      const undo = { commerceId, externalId, code: null, keyId: world.keyId, network: '::1' };
      const done = await unlessRefused(() => transaction(db, (tx) => undoRedemption(tx, undo, null)));
      assert.equal(done !== undefined, model.undo(voucher.issued), 'undone');
      return;
    }
    case 'redeem a gift': {
      const { email, person } = people[step.who]!;
      const gifts = await giftsOf(db, commerceId, email);
      const gift = gifts.at(step.gift % gifts.length);
      if (gift === undefined) return;
      const done = await unlessRefused(() => redeemVoucher(db, { commerceId, code: gift.code }));
      // Which of a tier's codes is void the comparison of all gifts says.
      const own = person.climber.gifts.find(({ tier, used }) => tier === gift.tierId && !used);
      assert.equal(done !== undefined, gift.isLive, 'redeemed a gift');
      if (gift.isLive) own!.used = true;
      return;
    }
    case 'redeem a card': {
      const { email, person } = people[step.who]!;
      const { rows } = await sql<{ code: number; kind: number; ordinal: number }>`
        select f.code, substr(f.stamp_id, 6)::bigint as kind, f.ordinal::bigint
          from full_cards f
          join members m on m.commerce_id = f.commerce_id and m.id = f.member_id
          join vouchers v on v.commerce_id = f.commerce_id and v.code = f.code
         where f.commerce_id = ${commerceId} and m.email = ${email} and v.used_at is null and v.given_back_at is null
         order by f.stamp_id, f.ordinal`.execute(db);
      const card = rows.at(step.gift % rows.length);
      if (card === undefined) return;
      await redeemVoucher(db, { commerceId, code: card.code });
      const full = person.collector.byKind.get(card.kind)!.full[card.ordinal - 1]!;
      assert.equal(full.state, 'good', 'redeemed a full card');
      full.state = 'used';
      return;
    }
    case 'give back': {
      const voucher = vouchers.at(-1 - (step.voucher % vouchers.length));
      if (voucher === undefined) return;
      const done = await unlessRefused(() =>
        transaction(db, (tx) => giveBackVoucher(tx, { commerceId, code: voucher.code })),
      );
      assert.equal(done !== undefined, model.giveBack(voucher.issued), 'given back');
      return;
    }
    case 'reverse': {
      const purchase = purchases.at(-1 - (step.purchase % purchases.length));
      if (purchase === undefined) return;
      const { id, bought } = purchase;
      const amount = step.percent === null ? undefined : Math.ceil((bought.amount * step.percent) / 100);
      const done = await unlessRefused(() =>
        transaction(db, (tx) => reversePurchase(tx, { commerceId, purchaseId: id, amount })),
      );
      assert.equal(done?.answer.points, model.reverse(bought, amount), 'points taken back');
      return;
    }
    case 'join': {
      const place = people[step.who]!;
      const { userId, welcomePoints } = await transaction(db, (tx) =>
        enrolMember(tx, commerceId, place.email),
      );
      place.userId = userId;
      place.code = (await findMember(db, { commerceId, userId }))!.code;
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
      const member = await findMember(db, { commerceId, email });
      const wasBlocked = person.climber.blockedAt !== null;
      // Otherwise what becomes available now is written together with the welcome reward.
      await pendingPoints.run(db, commerceId, { batch: 2 });
      const before = member && (await balanceOf(db, member));
      const welcome = model.block(person);
      if (member === undefined) return;
      await transaction(db, async (tx) => {
        if (wasBlocked) await unblockPerson(tx, commerceId, member.id, null);
        else await blockPerson(tx, commerceId, member.id, 'a reason');
      });
      if (wasBlocked) assert.equal((await balanceOf(db, member)) - before!, welcome ?? 0, 'welcome at last');
      return;
    }
    case 'erase': {
      const { email, person } = people[step.who]!;
      const member = await findMember(db, { commerceId, email });
      if (member === undefined) return;
      const erasure = { confirm: String(member.code ?? email), reason: 'asked for it' };
      const { answer } = await transaction(db, (tx) => erasePerson(tx, commerceId, member.id, erasure));
      const { points, next } = model.erase(
        person,
        vouchers.map(({ issued }) => issued),
      );
      assert.equal(answer.points, points, 'points that ended');
      world.erased.push({ memberId: member.id, person });
      people[step.who] = { email, person: next, userId: null, code: null };
      return;
    }
    case 'adjust': {
      const { email, person } = people[step.who]!;
      const memberId = (await findMember(db, { commerceId, email }))?.id;
      if (memberId === undefined) return;
      const expiresOn = step.days === null ? undefined : plusDays(model.today, step.days);
      const { points } = step;
      const done = await unlessRefused(() =>
        transaction(db, (tx) =>
          adjustPoints(tx, { commerceId, memberId, points, expiresOn, reason: 'by the model' }),
        ),
      );
      assert.equal(done !== undefined, model.adjust(person, points, expiresOn ?? null), 'adjusted');
      return;
    }
    case 'pin': {
      const { email, person } = people[step.who]!;
      const memberId = (await findMember(db, { commerceId, email }))?.id;
      if (memberId === undefined) return;
      const { tier: tierId } = step;
      const done = await unlessRefused(() =>
        pinFromCommandLine(db, { commerceId, memberId, tierId, reason: 'by the model' }),
      );
      assert.equal(done !== undefined, person.climber.pinTo(tierId, model.rules, model.now), 'pinned');
      return;
    }
    case 'unpin': {
      const { email, person } = people[step.who]!;
      const memberId = (await findMember(db, { commerceId, email }))?.id;
      if (memberId === undefined) return;
      await transaction(db, (tx) => unpinTier(tx, { commerceId, memberId }));
      return person.climber.unpin(model.rules, model.now);
    }
    case 'expire points':
      await pendingPoints.run(db, commerceId, { batch: 2 });
      return void (await expirePoints.run(db, commerceId, { batch: 2 }));
    case 'expire tiers':
      return void (await expireTiers.run(db, commerceId, { batch: 2 }));
    case 'change': {
      const next = { ...model.rules, ...step.rules };
      await apply(db, world.slug, next);
      return model.change(next);
    }
    default:
      model.passTo(laterThan(world, step));
      await setClock(db, commerceId, new Date(model.now));
  }
}

/** Returns all codes of tiers' benefits that were ever issued to a person. */
async function giftsOf(db: Database, commerceId: number, email: string) {
  const { rows } = await sql<{ code: number; tierId: string; isLive: boolean }>`
    select v.code, v.tier_id as "tierId", v.used_at is null and v.given_back_at is null as "isLive"
      from vouchers v
      join members m on m.commerce_id = v.commerce_id and m.id = v.member_id
     where v.commerce_id = ${commerceId} and m.email = ${email} and v.source = 'level'
     order by v.issued_at, v.benefit_id`.execute(db);
  return rows;
}

/** Returns all points of a person, those that have expired included. */
async function balanceOf(db: Database, { commerceId, id }: Member): Promise<number> {
  const { rows } = await sql<{ points: number }>`
    select coalesce(sum(points), 0)::bigint as points from balances
     where commerce_id = ${commerceId} and member_id = ${id}`.execute(db);
  return rows[0]!.points;
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

async function unlessRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** Each use of a code has an id of its own. */
function nameOfUse({ code }: { readonly code: number }, use: number): string {
  return `${code} ${use}`;
}
