import type { Commerce } from '#commerces/commerce.ts';
import { daysBetween, endOfDay, wholeMonthsBetween, type Day } from '#calendar/calendar.ts';
import type { Db } from '#db/database.ts';
import { readEmail } from '#members/read-email.ts';
import type { HolderReader } from '#points/holder-reader.ts';
import type { LockedMember } from '#points/locked-member.ts';
import { pendingAt } from '#points/pending.ts';

/** A signed-in person at one commerce. `member` is null if they never joined it. */
export interface Account {
  readonly userId: number;
  readonly email: string | null;
  readonly commerce: Commerce;
  readonly member: LockedMember | null;
}

/** Points that expire on the same day. */
export interface Expiring {
  readonly points: number;
  readonly expiresAt: Date;
  readonly daysLeft: number;
  readonly monthsLeft: number;
}

/** The sources that accounts are read from. */
export interface AccountSource {
  readonly db: Db;
  readonly holderOf: HolderReader;
}

/** Reads a person's account at a commerce as it is now. */
export async function readAccount(
  { db, holderOf }: AccountSource,
  commerceId: number,
  userId: number,
): Promise<Account> {
  const { commerce, member } = await holderOf({ commerceId, userId });
  return { userId, email: member?.email ?? (await readEmail(db, userId)), commerce, member };
}

/** Returns the points that expire on each day, soonest first. Returns none if points do not expire. */
export function expiringOf({ member, commerce }: Pick<Account, 'member' | 'commerce'>): Expiring[] {
  const { today, rules } = commerce;
  const byDay = new Map<Day, number>();
  for (const lot of member?.lots ?? []) {
    if (lot.expiresOn === 'infinity' || lot.expiresOn < today) continue;
    byDay.set(lot.expiresOn, (byDay.get(lot.expiresOn) ?? 0) + lot.points);
  }
  return [...byDay]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, points]) => ({
      points,
      expiresAt: endOfDay(day, rules.timeZone),
      daysLeft: daysBetween(today, day),
      monthsLeft: wholeMonthsBetween(today, day),
    }));
}

/** Points that wait for the same. */
export interface Waiting {
  readonly points: number;
  /** Null for those that wait until the shop confirms the purchase. */
  readonly availableAt: Date | null;
}

/** Returns the points that wait, by what they wait for: days first, soonest first. */
export function pendingOf({ member, commerce }: Pick<Account, 'member' | 'commerce'>): Waiting[] {
  const byDay = new Map<number | null, number>();
  for (const { points, dueAt, becomes } of pendingAt(member?.pending ?? [], commerce.now)) {
    const at = becomes === 'available' ? dueAt.getTime() : null;
    byDay.set(at, (byDay.get(at) ?? 0) + points);
  }
  return [...byDay]
    .filter(([, points]) => points > 0)
    .sort(([a], [b]) => (a ?? Infinity) - (b ?? Infinity))
    .map(([at, points]) => ({ points, availableAt: at === null ? null : new Date(at) }));
}
