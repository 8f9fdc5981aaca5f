/**
 * Counts reports from the rows of the books, one by one and without any of the service's statements: what the tests compare the
 * reports with.
 */
import assert from 'node:assert/strict';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { sql, type Database } from '#db/database.ts';
import { readBenefitsReport } from '#reports/benefits-report.ts';
import { readLevelsReport } from '#reports/levels-report.ts';
import { readLiabilityReport } from '#reports/liability-report.ts';
import { FOLLOWED_FIGURES, listMovements, type MovementPlace } from '#reports/list-movements.ts';
import { readMembersReport } from '#reports/members-report.ts';
import { readPointsReport } from '#reports/points-report.ts';
import { readPurchasesReport } from '#reports/purchases-report.ts';
import { resolveRange, type AskedRange, type Days, type ReportRange } from '#reports/report-range.ts';
import type { Report } from '#reports/report.ts';
import { searchMembers } from '#search/search-members.ts';

interface Movement {
  readonly id: number;
  readonly member: number;
  readonly type: string;
  readonly day: string;
  readonly points: number;
  readonly amount: number;
  readonly erased: boolean;
}

interface Books {
  readonly commerce: Commerce;
  readonly movements: readonly Movement[];
  /** Points past their day that are not written off. */
  readonly overdue: readonly { readonly member: number; readonly day: string; readonly points: number }[];
  readonly held: readonly { readonly member: number; readonly points: number; readonly day: string }[];
  readonly members: readonly { readonly joined: string | null; readonly left: string | null }[];
  readonly vouchers: readonly {
    readonly benefit: string;
    readonly source: string;
    readonly cost: number;
    readonly issued: string;
    readonly used: string | null;
    readonly givenBack: string | null;
  }[];
}

/** Fails unless all reports of a range agree with the books, and so do the lists that their figures are made of. */
export async function assertReportsAgree(db: Database, commerceId: number, asked: AskedRange): Promise<void> {
  const books = await readBooks(db, commerceId);
  const { commerce } = books;
  const range = resolveRange(asked, commerce.today);
  const compare = <F extends object>(name: string, report: Report<F>, count: (days: Days) => F) =>
    assert.deepEqual(
      {
        total: report.total,
        before: report.before,
        periods: report.periods.map(({ figures }) => figures),
        periodsBefore: report.periodsBefore.map(({ figures }) => figures),
      },
      {
        total: count(range),
        before: count(range.before),
        periods: range.periods.map(count),
        periodsBefore: range.periodsBefore.map(count),
      },
      `${name} ${range.from} to ${range.to} by ${range.by}`,
    );
  compare('points', await readPointsReport(db, commerce, range), (days) => pointsOf(books, days));
  compare('purchases', await readPurchasesReport(db, commerce, range), (days) => purchasesOf(books, days));
  compare('members', await readMembersReport(db, commerce, range), (days) => membersOf(books, days));
  const liability = await readLiabilityReport(db, commerce, range);
  compare('liability', liability, (days) => liabilityOf(books, days));
  assertLiabilityOfNow(books, liability);
  const benefits = await readBenefitsReport(db, commerce, range);
  compare('benefits', benefits, (days) => codesOf(books, days, null));
  for (const { benefit, total, before } of benefits.benefits) {
    assert.deepEqual(total, codesOf(books, range, benefit.id));
    assert.deepEqual(before, codesOf(books, range.before, benefit.id));
  }
  await assertLevels(db, commerce, range);
  await assertLists(db, books, range);
}

async function readBooks(db: Database, commerceId: number): Promise<Books> {
  const commerce = (await readCommerce(db, commerceId))!;
  const zone = commerce.rules.timeZone;
  const dayOf = (at: Date | null) =>
    at === null ? null : new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(at);
  const { rows: movements } = await sql<Omit<Movement, 'day'> & { at: Date }>`
    select id, member_id as member, type, at, points, coalesce(amount, 0) as amount, coalesce(snapshot ? 'erased', false) as erased
      from movements where commerce_id = ${commerceId} and type <> 'redate' order by id`.execute(db);
  const { rows: balances } = await sql<{ member: number; points: number; day: string }>`
    select member_id as member, points, expires_on as day from balances where commerce_id = ${commerceId}`.execute(
    db,
  );
  const { rows: members } = await sql<{ joined: Date | null; left: Date | null }>`
    select enrolled_at as joined, left_at as left from members where commerce_id = ${commerceId}`.execute(db);
  const { rows: vouchers } = await sql<{
    benefit: string;
    source: string;
    cost: number;
    issued: Date;
    used: Date | null;
    givenBack: Date | null;
  }>`
    select benefit_id as benefit, source, cost, issued_at as issued, used_at as used, given_back_at as "givenBack"
      from vouchers where commerce_id = ${commerceId}`.execute(db);
  const isOver = ({ day }: { day: string }) => day < commerce.today && day !== 'infinity';
  return {
    commerce,
    movements: movements.map((movement) => ({ ...movement, day: dayOf(movement.at)! })),
    overdue: balances.filter((row) => isOver(row) && row.points > 0),
    held: balances.filter((row) => !isOver(row)),
    members: members.map(({ joined, left }) => ({ joined: dayOf(joined), left: dayOf(left) })),
    vouchers: vouchers.map((voucher) => ({
      ...voucher,
      issued: dayOf(voucher.issued)!,
      used: dayOf(voucher.used),
      givenBack: dayOf(voucher.givenBack),
    })),
  };
}

const isIn = ({ from, to }: Days, day: string | null) => day !== null && day >= from && day <= to;
const sum = <T>(rows: readonly T[], of: (row: T) => number) =>
  rows.reduce((total, row) => total + of(row), 0);
/** Numbers that are never -0. */
const points = (rows: readonly Movement[]) => sum(rows, (row) => row.points);

function pointsOf({ movements, overdue }: Books, days: Days) {
  const on = movements.filter(({ day }) => isIn(days, day));
  const of = (type: string) => on.filter((row) => row.type === type);
  const byHand = of('adjustment').filter(({ erased }) => !erased);
  const late = sum(
    overdue.filter(({ day }) => isIn(days, day)),
    (row) => row.points,
  );
  const from_purchases = points(of('purchase')) + points(of('correction')) + points(of('available'));
  const from_rewards = points(of('reward'));
  const added_by_hand = points(byHand.filter((row) => row.points >= 0));
  return {
    earned: from_purchases + from_rewards + added_by_hand,
    from_purchases,
    from_rewards,
    added_by_hand,
    spent: 0 - points(of('exchange')),
    given_back: points(of('give_back')),
    returned: 0 - points(of('reversal')),
    taken_by_hand: 0 - points(byHand.filter((row) => row.points < 0)),
    expired: late - points(of('expiry')),
    erased: 0 - points(of('adjustment').filter(({ erased }) => erased)),
    change: points(on) - late,
  };
}

function purchasesOf({ movements }: Books, days: Days) {
  const on = movements.filter(({ day }) => isIn(days, day));
  const bought = on.filter(({ type }) => type === 'purchase');
  const back = on.filter(({ type }) => type === 'reversal');
  const grown = on.filter(({ type }) => type === 'correction');
  const amount = sum(bought, (row) => row.amount) + sum(grown, (row) => row.amount);
  const returned_amount = 0 - sum(back, (row) => row.amount);
  return {
    purchases: bought.length,
    amount,
    returns: back.length,
    returned_amount,
    net_amount: amount - returned_amount,
    average_amount: bought.length === 0 ? null : Math.round(amount / bought.length),
  };
}

function membersOf({ movements, members }: Books, days: Days) {
  const acts = movements.filter(({ type }) => ['purchase', 'exchange', 'usage'].includes(type));
  const active = new Set(acts.filter(({ day }) => isIn(days, day)).map(({ member }) => member));
  const known = new Set(acts.filter(({ day }) => day < days.from).map(({ member }) => member));
  return {
    joined: members.filter(({ joined }) => isIn(days, joined)).length,
    left: members.filter(({ joined, left }) => joined !== null && isIn(days, left)).length,
    active: active.size,
    first_time: [...active].filter((member) => !known.has(member)).length,
    members: members.filter(
      ({ joined, left }) => joined !== null && joined <= days.to && (left === null || left > days.to),
    ).length,
  };
}

function liabilityOf(books: Books, days: Days) {
  const { expired, erased, spent: exchanged, given_back } = pointsOf(books, days);
  const [broken, spent] = [expired + erased, exchanged - given_back];
  const isSound = broken >= 0 && spent >= 0 && broken + spent > 0;
  return {
    outstanding: pointsOf(books, { from: '0001-01-01', to: days.to }).change,
    broken,
    spent,
    breakage_percent: isSound ? Math.round((1_000 * broken) / (broken + spent)) / 10 : null,
  };
}

function assertLiabilityOfNow(
  { held, commerce: { today } }: Books,
  { now, endings, range, periods }: Awaited<ReturnType<typeof readLiabilityReport>>,
) {
  const good = held.filter((row) => row.points > 0);
  const owed = held.filter((row) => row.points < 0);
  const holders = (rows: typeof held) => new Set(rows.map(({ member }) => member)).size;
  const undated = good.filter(({ day }) => day === 'infinity');
  const { waiting: _, ...shown } = now;
  assert.deepEqual(shown, {
    points: sum(good, (row) => row.points),
    holders: holders(good),
    debt: 0 - sum(owed, (row) => row.points),
    debtors: owed.length,
    neverEnd: sum(undated, (row) => row.points),
  });
  if (range.to >= today) assert.equal(periods.at(-1)!.figures.outstanding, now.points - now.debt);
  assert.equal(
    sum(endings, (row) => row.points),
    now.points - now.neverEnd,
  );
  for (const ending of endings) {
    const rows = good.filter(({ day }) => day >= ending.from && day <= (ending.to ?? '9999-12-31'));
    assert.deepEqual([ending.points, ending.holders], [sum(rows, (row) => row.points), holders(rows)]);
  }
}

function codesOf({ vouchers }: Books, days: Days, benefit: string | null) {
  const mine = vouchers.filter((voucher) => benefit === null || voucher.benefit === benefit);
  const issued = mine.filter((voucher) => isIn(days, voucher.issued));
  const bought = issued.filter(({ source }) => source === 'exchange');
  return {
    issued: issued.length,
    bought: bought.length,
    given: issued.length - bought.length,
    points: sum(bought, ({ cost }) => cost),
    used: mine.filter(({ used }) => isIn(days, used)).length,
    given_back: mine.filter(({ givenBack }) => isIn(days, givenBack)).length,
  };
}

/** The list of members, which a figure leads to, has as many people. */
async function assertLevels(db: Database, commerce: Commerce, range: ReportRange): Promise<void> {
  const { levels } = await readLevelsReport(db, commerce, range);
  for (const { id, members } of levels) {
    const { people } = await searchMembers(
      db,
      commerce.id,
      { levelId: id, state: 'member' },
      { limit: 100, after: null },
    );
    assert.equal(members, people.length, `members of tier ${id}`);
  }
}

async function assertLists(db: Database, books: Books, range: ReportRange): Promise<void> {
  const { from, to } = range;
  const figures: Record<string, number> = pointsOf(books, range);
  for (const figure of FOLLOWED_FIGURES) {
    let sum = 0;
    let count = 0;
    let after: MovementPlace | null = null;
    do {
      const page = await listMovements(db, books.commerce, { figure, from, to }, after);
      for (const { points } of page.lines) sum += points;
      count += page.lines.length;
      after = page.next;
    } while (after !== null);
    if (figure in figures) assert.equal(Math.abs(sum), Math.abs(figures[figure]!), `list of ${figure}`);
    if (figure === 'from_purchases') {
      const available = books.movements.filter(({ type, day }) => type === 'available' && isIn(range, day));
      assert.equal(count, purchasesOf(books, range).purchases + available.length);
    }
    if (figure === 'returned') assert.equal(count, purchasesOf(books, range).returns);
    if (figure === 'broken') assert.equal(0 - sum, liabilityOf(books, range).broken);
    if (figure === 'used') assert.equal(count, codesOf(books, range, null).used);
  }
}
