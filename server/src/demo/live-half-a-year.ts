import { setClock } from '#commerces/clock.ts';
import { transaction, type Database } from '#db/database.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { findMember } from '#members/lock-members.ts';
import { Problem } from '#problems/problem.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { exchangeBenefit } from '#vouchers/exchange-benefit.ts';
import { redeemVoucher } from '#vouchers/redeem-voucher.ts';

const MEMBERS = 20;
const DAYS = 180;
/** Something happens only every third day, because a first start has to wait for all of it. */
const STEP = 3;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Gives the demo commerce members and a history: moves its clock through half a year, and enrols members and records
 * purchases on the way through the usual use cases. Returns the code of a member to try things with.
 */
export async function liveHalfAYear(database: Database, commerceId: number, start: Date): Promise<number> {
  const people: { code: number; userId: number; email: string }[] = [];
  for (let visit = 0; visit * STEP < DAYS; visit++) {
    const day = visit * STEP;
    // Each member comes at their own rhythm and spends varying amounts.
    const newcomer = visit % 2 === 0 && people.length < MEMBERS;
    const buyers = people.filter((_, i) => (visit + i) % (1 + (i % 4)) === 0);
    const traders = people.filter((_, i) => (visit + i) % 15 === 14);
    await setClock(database, commerceId, new Date(start.getTime() + day * DAY_MS + 10 * 60 * 60 * 1000));
    if (newcomer) await enrolNext(people.length + 1);
    await recordAll(
      buyers.map(({ code }) => code),
      day,
    );
    for (const { userId } of traders) await exchangeCoffee(userId, visit % 2 === 0);
  }
  await setClock(database, commerceId, new Date());
  return people[0]!.code;

  async function enrolNext(number: number): Promise<void> {
    const email = `member${number}@example.com`;
    const { userId } = await transaction(database, (tx) => enrolMember(tx, commerceId, email));
    const member = await findMember(database, { commerceId, email });
    people.push({ code: member!.code!, userId, email });
  }

  async function recordAll(codes: number[], day: number): Promise<void> {
    const amountOf = (i: number) => 150 + ((day * 37 + i * 113) % 900);
    const purchases = codes.map((code, i) => ({ commerceId, buyer: { code }, amount: amountOf(i) }));
    await transaction(database, (tx) => recordPurchases(tx, purchases));
  }

  /** Exchanges points for a coffee. A member with too few points gets nothing. */
  async function exchangeCoffee(userId: number, thenUse: boolean): Promise<void> {
    try {
      const { voucher } = await exchangeBenefit(database, { commerceId, userId, benefitId: 'coffee' });
      if (thenUse) await redeemVoucher(database, { commerceId, code: voucher.code });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
}
