/**
 * Two commerces to which the same things happen at the same moments. One day the second one publishes another program. The
 * what-if of the first, with that program from that day on, must say what the ledger of the second has.
 */
import { randomBytes } from 'node:crypto';
import { applyProgram } from '#apply/apply-program.ts';
import { setClock } from '#commerces/clock.ts';
import { adjustPoints } from '#corrections/adjust-points.ts';
import { pinFromCommandLine } from '#test/staff.ts';
import { transaction, type Database } from '#db/database.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { leaveProgram } from '#members/leave-program.ts';
import { findMember } from '#members/lock-members.ts';
import { blockPerson } from '#member-care/block-person.ts';
import { erasePerson } from '#member-care/erase-person.ts';
import { Problem } from '#problems/problem.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { reversePurchase } from '#purchases/reverse-purchase.ts';
import { exchangeBenefit } from '#test/exchange-benefit.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { expirePoints } from '../../src/operations/jobs/expire-points.ts';
import { pendingPoints } from '../../src/operations/jobs/pending-points.ts';
import { expireTiers } from '../../src/operations/jobs/expire-tiers.ts';
import type { Rules } from '#test/model/model.ts';
import { OFFERS } from '#test/model/programs.ts';
import { programOf } from '#test/model/world.ts';
import type { Happening } from './histories.ts';

/** The ids of one event at both: null where the second one refused it. */
interface Both {
  readonly first: number;
  readonly second: number | null;
}

export interface Twin {
  readonly id: number;
  readonly slug: string;
}

export interface Twins {
  readonly first: Twin;
  readonly second: Twin;
  apply(rules: Rules, only?: 'second'): Promise<void>;
  /** Events reported late from now on are not from before. */
  forgetThePast(): void;
  happen(happening: Happening): Promise<void>;
  readonly now: Date;
  wait(ms: number): Promise<void>;
  waitUntil(at: Date): Promise<void>;
}

const PEOPLE = 4;

export async function makeTwins(db: Database, rules: Rules, begin: Date): Promise<Twins> {
  const name = randomBytes(6).toString('hex');
  const slugs = [`first-${name}`, `second-${name}`] as const;
  const make = async (slug: string): Promise<Twin> => {
    const applied = await applyProgram(db, programOf(slug, rules), { clock: begin });
    return { id: applied.commerceId!, slug };
  };
  const [first, second] = [await make(slugs[0]), await make(slugs[1])];
  let now = begin;
  // A purchase that is reported late belongs to its own day, so it must not be from before the second program. Nor before the
  // job for tiers ran: what a period came to when it ended stays, and only the first or the second may have run it. Nor before
  // somebody joined or was pinned: the ledger of a sandbox does not say that it was reported after that.
  let noEarlier = begin;
  /** The clocks go on while things happen, so this moment ends a little later. */
  const forgetThePast = () => void (noEarlier = new Date(now.getTime() + 5_000));
  const purchases: Both[] = [];
  const vouchers: Both[] = [];
  const gone = new Set<number>();

  const setClocks = async () => {
    for (const { id } of [first, second]) await setClock(db, id, now);
  };
  await setClocks();

  const emailOf = (who: number) => `w${who % PEOPLE}-${name}@example.com`;
  const memberIdOf = async ({ id: commerceId }: Twin, who: number) =>
    (await findMember(db, { commerceId, email: emailOf(who) }))?.id;

  /** Does it at both. If the first refuses, it does not happen at the second. */
  const both = async <T>(
    work: (twin: Twin, isFirst: boolean) => Promise<T>,
  ): Promise<[T, T | null] | null> => {
    const one = await unlessRefused(() => work(first, true));
    if (one === null) return null;
    return [one, await unlessRefused(() => work(second, false))];
  };

  async function happen(one: Happening): Promise<void> {
    switch (one.does) {
      case 'buy': {
        const past =
          one.daysAgo === 0 || noEarlier > now
            ? {}
            : {
                late: {
                  at: new Date(Math.max(now.getTime() - one.daysAgo * 86_400_000, noEarlier.getTime())),
                  isLatest: false,
                },
              };
        const made = await both(async ({ id: commerceId }) => {
          const call = {
            commerceId,
            buyer: { email: emailOf(one.who) },
            ...one.what,
            ...past,
            invite: false,
          };
          const [outcome] = await transaction(db, (tx) => recordPurchases(tx, [call]));
          if (!outcome!.recorded) throw outcome!.problem;
          return outcome!.purchaseId;
        });
        if (made) purchases.push({ first: made[0], second: made[1] });
        return;
      }
      case 'join':
        if (gone.has(one.who)) return;
        for (const { id } of [first, second])
          await transaction(db, (tx) => enrolMember(tx, id, emailOf(one.who)));
        forgetThePast();
        return;
      case 'exchange': {
        const made = await both(async ({ id: commerceId }) => {
          const found = await findMember(db, { commerceId, email: emailOf(one.who) });
          if (found?.userId == null) throw new Missing();
          const { voucher } = await exchangeBenefit(db, {
            commerceId,
            userId: found.userId,
            benefitId: OFFERS[one.offer % OFFERS.length]!.id,
          });
          return voucher.code;
        });
        if (made) vouchers.push({ first: made[0], second: made[1] });
        return;
      }
      case 'give back': {
        const voucher = vouchers.at(-1 - (one.voucher % Math.max(1, vouchers.length)));
        if (voucher === undefined) return;
        await both(async ({ id: commerceId }, isFirst) => {
          const code = isFirst ? voucher.first : voucher.second;
          if (code === null) throw new Missing();
          await transaction(db, (tx) => giveBackVoucher(tx, { commerceId, code }));
        });
        return;
      }
      case 'return': {
        const purchase = purchases.at(-1 - (one.purchase % Math.max(1, purchases.length)));
        if (purchase === undefined) return;
        await both(async ({ id: commerceId }, isFirst) => {
          const purchaseId = isFirst ? purchase.first : purchase.second;
          if (purchaseId === null) throw new Missing();
          await transaction(db, (tx) => reversePurchase(tx, { commerceId, purchaseId, amount: one.amount }));
        });
        return;
      }
      case 'adjust':
        // A person who came with a purchase that the second refused is unknown there. The what-if knows them: the shop does.
        if ((await memberIdOf(second, one.who)) === undefined) return;
        await both(async (twin) => {
          const memberId = await memberIdOf(twin, one.who);
          if (memberId === undefined) throw new Missing();
          const { points } = one;
          await transaction(db, (tx) =>
            adjustPoints(tx, { commerceId: twin.id, memberId, points, reason: 'because' }),
          );
        });
        return;
      case 'go': {
        // Once for each person: the ledger does not say who came back or was unpinned.
        if (gone.has(one.who)) return;
        gone.add(one.who);
        await both(async (twin) => {
          const found = await findMember(db, { commerceId: twin.id, email: emailOf(one.who) });
          if (found === undefined) throw new Missing();
          if (one.how === 'block')
            await transaction(db, (tx) => blockPerson(tx, twin.id, found.id, 'a reason'));
          if (one.how === 'leave' && found.userId !== null) await leaveProgram(db, twin.id, found.userId);
          if (one.how === 'pin')
            await pinFromCommandLine(db, {
              commerceId: twin.id,
              memberId: found.id,
              tierId: one.tier,
              reason: 'a reason',
            });
          if (one.how === 'erase')
            await transaction(db, (tx) =>
              erasePerson(tx, twin.id, found.id, {
                confirm: String(found.code ?? found.email),
                reason: 'asked for it',
              }),
            );
        });
        forgetThePast();
        return;
      }
      case 'run the jobs': {
        // Nobody notices whether they ran.
        const { id } = one.at === 'first' ? first : second;
        await pendingPoints.run(db, id, { batch: 2 });
        await expirePoints.run(db, id, { batch: 2 });
        await expireTiers.run(db, id, { batch: 2 });
        forgetThePast();
        return;
      }
      case 'wait':
        await wait(one.hours * 3_600_000);
    }
  }

  async function wait(ms: number): Promise<void> {
    await waitUntil(new Date(now.getTime() + ms + 10_000));
  }

  async function waitUntil(at: Date): Promise<void> {
    now = at;
    await setClocks();
  }

  return {
    first,
    second,
    async apply(rules, only) {
      for (const { slug } of only === undefined ? [first, second] : [second])
        await applyProgram(db, programOf(slug, rules));
      forgetThePast();
    },
    forgetThePast,
    happen,
    get now() {
      return now;
    },
    wait,
    waitUntil,
  };
}

class Missing extends Problem {
  constructor() {
    super(404, 'not_found', 'there is no such thing here');
  }
}

async function unlessRefused<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
