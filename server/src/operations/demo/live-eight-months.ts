import { Readable } from 'node:stream';
import { addDays, daysBetween, localDay, startOfDay, type Day } from '#calendar/calendar.ts';
import { setClock } from '#commerces/clock.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { transaction, type Database } from '#db/database.ts';
import { importMembers } from '#enrolment/import-members.ts';
import { birthdays } from '#jobs/birthdays.ts';
import { monthlyTop } from '#jobs/monthly-top.ts';
import { listMembers } from '#members/list-members.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases, type PurchaseCall } from '#purchases/record-purchases.ts';
import { exchangeBenefits } from '#vouchers/exchange-benefit.ts';
import { redeemVoucher } from '#vouchers/redeem-voucher.ts';
import { demoPeople, type DemoPerson } from './demo-people.ts';

/** How long the demo's history is. Points are good for six months, so some of the oldest end soon. */
export const WEEKS = 33;

const HOUR_MS = 60 * 60 * 1000;

/** A person of the demo who has joined. */
interface Regular extends DemoPerson {
  /** The place in the list of people. */
  readonly place: number;
  readonly code: number;
  readonly userId: number;
}

/**
 * Gives the demo commerce members and a history of eight months. Moves its clock through them, a week at a time because
 * a first start has to wait for all of it, and lets people join, buy, trade points and use their codes through the usual
 * use cases. They do the same at every first start. Returns the code of the member to sign in as.
 */
export async function liveEightMonths(database: Database, commerceId: number, start: Date): Promise<number> {
  const { rules } = (await readCommerce(database, commerceId))!;
  const { timeZone } = rules;
  const now = new Date();
  const firstDay = localDay(start, timeZone);
  const regulars: Regular[] = [];
  let unused: number[] = [];
  let before = start;

  for (let week = 0; week <= WEEKS; week++) {
    const day = addDays(firstDay, week * 7 + 6);
    const visit = new Date(startOfDay(day, timeZone).getTime() + (9 + (week % 8)) * HOUR_MS);
    const at = week === WEEKS || visit > now ? now : visit;
    await setClock(database, commerceId, at);
    await buy(regulars, before, at);
    await joinInWeek(week);
    if (demoPeople.some((person) => person.birthday === week)) await birthdays.run(database, commerceId);
    if (isNewMonth(localDay(before, timeZone), localDay(at, timeZone)))
      await monthlyTop.run(database, commerceId);
    for (const code of unused) await redeemVoucher(database, { commerceId, code });
    unused = await trade(regulars, week);
    before = at;
  }
  return regulars[0]!.code;

  async function joinInWeek(week: number): Promise<void> {
    const newcomers = demoPeople.filter((person) => person.joins === week);
    if (newcomers.length === 0) return;
    const lines = newcomers.map(({ name, address, birthday }, i) => ({
      line: i + 1,
      fields: {
        email: `${address}@example.com`,
        username: name,
        birth_date: birthday === null ? '' : birthDateOf(addDays(firstDay, birthday * 7 + 6), i),
      },
    }));
    await importMembers(database, commerceId, Readable.from(lines), { welcome: true });
    const page = { limit: newcomers.length, offset: regulars.length };
    const { members } = await listMembers(database, commerceId, page);
    for (const { email, code, userId } of members) {
      const place = demoPeople.findIndex(({ address }) => email === `${address}@example.com`);
      regulars.push({ ...demoPeople[place]!, place, code: code!, userId: userId! });
    }
  }

  /** Everyone's purchases between two instants, each at its own time. */
  async function buy(people: readonly Regular[], from: Date, to: Date): Promise<void> {
    const purchases: (PurchaseCall & Required<Pick<PurchaseCall, 'late'>>)[] = [];
    for (let day: Day = localDay(from, timeZone); day <= localDay(to, timeZone); day = addDays(day, 1)) {
      const opens = startOfDay(day, timeZone).getTime() + 7 * HOUR_MS;
      for (const { place, code, daysInTen } of people) {
        const chance = scatter(place, daysBetween(firstDay, day));
        // Nora's last purchase was yesterday, so that the demo's member has news.
        const isYesterday = place === 0 && day === addDays(localDay(now, timeZone), -1);
        if (chance % 10 >= daysInTen && !isYesterday) continue;
        const at = new Date(opens + (chance % 660) * 60_000);
        if (at <= from || at > to) continue;
        const amount = AMOUNTS[(chance >>> 8) % AMOUNTS.length]!;
        purchases.push({ commerceId, buyer: { code }, amount, ...NOWHERE, late: { at, isLatest: true } });
      }
    }
    if (purchases.length === 0) return;
    purchases.sort((a, b) => a.late.at.getTime() - b.late.at.getTime());
    await transaction(database, (tx) => recordPurchases(tx, purchases));
  }

  /** Some trade points for a benefit. Returns the codes that they use a week later. Anyone who has too few points gets nothing. */
  async function trade(people: readonly Regular[], week: number): Promise<number[]> {
    const wishes = people.flatMap(({ place, userId }) => {
      const wish = place === 0 ? NORAS_WISHES[week] : wishOf(place, week);
      return wish === undefined ? [] : [{ commerceId, userId, benefitId: wish.benefitId, uses: wish.uses }];
    });
    if (wishes.length === 0) return [];
    const outcomes = await transaction(database, (tx) => exchangeBenefits(tx, wishes));
    return outcomes.flatMap((outcome, i) =>
      outcome.kind === 'sold' && wishes[i]!.uses ? [outcome.voucher.code] : [],
    );
  }
}

/** Whole euros, from a roll to a cake. */
const AMOUNTS = [2, 3, 3, 4, 4, 5, 5, 6, 7, 7, 8, 9, 9, 11, 12, 14, 16, 18, 23, 27, 32, 40];

interface Wish {
  readonly benefitId: string;
  /** Whether they use the code a week later. */
  readonly uses: boolean;
}

/** By week. The last codes are the ones that Nora still has; an earlier one she let expire. */
const NORAS_WISHES: Readonly<Record<number, Wish>> = {
  6: { benefitId: 'coffee', uses: true },
  21: { benefitId: 'coffee', uses: false },
  28: { benefitId: 'ten-percent', uses: false },
};

const WISHES = [
  'coffee',
  'croissant',
  'cinnamon-bun',
  'cherry-cake',
  'ten-percent',
  'country-loaf',
  'five-euros',
];

function wishOf(place: number, week: number): Wish | undefined {
  if ((week + place * 3) % 7 !== 0) return undefined;
  return { benefitId: WISHES[(place + week) % WISHES.length]!, uses: (place + week) % 4 !== 0 };
}

/** Whether the month before was settled between two days. */
function isNewMonth(before: Day, day: Day): boolean {
  return addDays(before, -4).slice(0, 7) !== addDays(day, -4).slice(0, 7);
}

/** People are between 24 and 68 years old. */
function birthDateOf(birthday: Day, place: number): Day {
  const year = Number(birthday.slice(0, 4)) - 24 - ((place * 17) % 45);
  return `${year}${birthday.slice(4).replace('-02-29', '-02-28')}`;
}

/** A number that looks random and is the same at every first start. */
function scatter(place: number, day: number): number {
  let mixed = Math.imul(day + 1, 0x27_d4_eb_2f) ^ Math.imul(place + 1, 0x9e_37_79_b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85_eb_ca_6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2_b2_ae_35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
