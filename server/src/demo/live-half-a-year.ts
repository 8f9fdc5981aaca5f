import { setClock } from '#commerces/clock.ts';
import { transaction, type Database } from '#db/database.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { findMember } from '#members/lock-members.ts';
import { Problem } from '#http/problem.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { exchangeBenefit } from '#vouchers/exchange-benefit.ts';
import { redeemVoucher } from '#vouchers/redeem-voucher.ts';

const MEMBERS = 20;
const DAYS = 180;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Gives the demo commerce members and a history: its clock goes through half a year, and what happens on the way
 * happens through the same use cases as everything else. Gives the code of a member to try things with.
 */
export async function liveHalfAYear(database: Database, commerceId: number, start: Date): Promise<number> {
  const people: { code: number; userId: number; email: string }[] = [];
  for (let day = 0; day < DAYS; day++) {
    const busy = [];
    if (day % 5 === 0 && people.length < MEMBERS) busy.push(() => join(people.length + 1));
    for (const [i, person] of people.entries()) {
      // Each comes at a rhythm of their own and buys for an amount that varies.
      if ((day + i) % (4 + (i % 9)) === 0)
        busy.push(() => buy(person.code, 150 + ((day * 37 + i * 113) % 900)));
      if ((day + 3 * i) % 45 === 44) busy.push(() => trade(person.userId, i % 2 === 0));
    }
    if (busy.length === 0) continue;
    await setClock(database, commerceId, new Date(start.getTime() + day * DAY_MS + 10 * 60 * 60 * 1000));
    for (const happens of busy) await happens();
  }
  await setClock(database, commerceId, new Date());
  return people[0]!.code;

  async function join(number: number): Promise<void> {
    const email = `member${number}@example.com`;
    const { userId } = await transaction(database, (db) => enrolMember(db, commerceId, email));
    const member = await findMember(database, { commerceId, email });
    people.push({ code: member!.code!, userId, email });
  }

  async function buy(code: number, amount: number): Promise<void> {
    await transaction(database, (db) => recordPurchases(db, [{ commerceId, buyer: { code }, amount }]));
  }

  /** Who has too few points for it goes without. */
  async function trade(userId: number, thenUse: boolean): Promise<void> {
    try {
      const { voucher } = await exchangeBenefit(database, { commerceId, userId, benefitId: 'coffee' });
      if (thenUse) await redeemVoucher(database, { commerceId, code: voucher.code });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
}
