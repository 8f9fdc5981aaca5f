import { addDays, type Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { readAttention, type Attention } from './attention.ts';
import { readEndingSoon, readLiability, type LiabilityNow } from './liability-report.ts';
import { countJoined, type Joined } from './members-report.ts';
import { purchasesFigures } from './purchases-report.ts';
import { pointsFigures } from './points-report.ts';
import { NOTHING, readDayFigures, type Kind, type PeriodFigures } from './read-figures.ts';
import { resolveRange } from './report-range.ts';

/** The figures of a day or range, as Home shows them. The names are those of the interface, as in the reports. */
export interface HomeFigures {
  readonly purchases: number;
  readonly amount: number;
  readonly earned: number;
  readonly spent: number;
  readonly used_codes: number;
  readonly joined: number;
}

export interface Overview {
  readonly ofToday: HomeFigures;
  readonly ofWeekAgo: HomeFigures;
  readonly last30Days: HomeFigures;
  readonly before30Days: HomeFigures;
  readonly days: readonly { readonly day: Day; readonly figures: HomeFigures }[];
  readonly members: number;
  /** False until the first purchase of the shop, also of somebody who has not joined. */
  readonly hasSold: boolean;
  readonly liability: LiabilityNow;
  readonly endingSoon: { readonly points: number; readonly holders: number; readonly firstDay: Day | null };
  readonly attention: readonly Attention[];
}

export const SOON_DAYS = 30;

/** Reads what Home shows: today, the last 30 days beside the 30 before, and what somebody should look at. */
export async function readOverview(db: Db, commerce: Commerce): Promise<Overview> {
  const { today } = commerce;
  const range = resolveRange({ from: addDays(today, -29), to: today, by: 'day' }, today);
  const ledger = await readDayFigures(db, commerce, range);
  const { opening, counts } = await countJoined(db, commerce, range);
  const liability = await readLiability(db, commerce);
  const endingSoon = await readEndingSoon(db, commerce, SOON_DAYS);
  const attention = await readAttention(db, commerce);
  const hasSold = await readHasSold(db, commerce.id);
  const days = range.periods.map(({ from }, i) => ({
    day: from,
    figures: homeFigures(ledger.periods[i]!, counts.periods[i]!),
  }));
  const before = ledger.periodsBefore.map((period, i) => homeFigures(period, counts.periodsBefore[i]!));
  return {
    ofToday: days.at(-1)!.figures,
    ofWeekAgo: days.at(-8)!.figures,
    last30Days: sum(days.map(({ figures }) => figures)),
    before30Days: sum(before),
    days,
    members: [...counts.periodsBefore, ...counts.periods].reduce(
      (members, { joined, left }) => members + joined - left,
      opening,
    ),
    hasSold,
    liability,
    endingSoon,
    attention,
  };
}

async function readHasSold(db: Db, commerceId: number): Promise<boolean> {
  const { rows } = await sql<{ hasSold: boolean }>`-- read-has-sold
    select exists (select from movements
                    where commerce_id = ${commerceId} and type = 'purchase') as "hasSold"`.execute(db);
  return rows[0]!.hasSold;
}

function homeFigures(period: PeriodFigures, { joined }: Joined): HomeFigures {
  const { earned, spent } = pointsFigures(period);
  const { purchases, amount } = purchasesFigures(period);
  const movementsOf = (kind: Kind) => (period.get(kind) ?? NOTHING).movements;
  const used_codes = movementsOf('usage') - movementsOf('undo');
  return { purchases, amount, earned, spent, used_codes, joined };
}

function sum(figures: readonly HomeFigures[]): HomeFigures {
  const add = (of: keyof HomeFigures) => figures.reduce((total, one) => total + one[of], 0);
  return {
    purchases: add('purchases'),
    amount: add('amount'),
    earned: add('earned'),
    spent: add('spent'),
    used_codes: add('used_codes'),
    joined: add('joined'),
  };
}
