/**
 * What purchases earned and why: by rule, product, category, branch, and weekday and hour. Everything counts with its purchase, as it stands
 * now: less what came back of it, and with what was paid later.
 */
import { addDays, daysBetween, startOfDay } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { linesOf, type Kept, type KeptLine, type Line } from '#points/line.ts';
import { pointsByFactors, stepOf, type Step } from '#points/points-for-purchase.ts';
import { bestOf } from '#points/rules-on-purchase.ts';
import { shareOut } from '#points/share-out.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { nameOfBranch } from '#program/branches.ts';
import type { Days, ReportRange } from './report-range.ts';

/** Purchases of which something is kept, what is kept of their amount, and the points that this earned. */
export interface EarnedFigures {
  readonly purchases: number;
  readonly amount: number;
  readonly points: number;
}

export interface RuleFigures extends EarnedFigures {
  readonly id: string;
  readonly title: string;
  /** `gone` if the program has no such rule any more. */
  readonly state: 'running' | 'paused' | 'gone';
  /** The amount of the lines that the rule was about. */
  readonly lineAmount: number;
}

export interface NamedFigures extends EarnedFigures {
  readonly name: string;
}

/** The largest by name, the others together, and what has no name. Of products, all of it adds up to the total. */
export interface SoldFigures {
  readonly named: readonly NamedFigures[];
  readonly others: EarnedFigures;
  readonly unnamed: EarnedFigures;
}

export interface BranchFigures extends EarnedFigures {
  /** Null where the shop said none. */
  readonly branchId: number | null;
  /** Null if the program does not name it. */
  readonly name: string | null;
}

export interface HourFigures extends EarnedFigures {
  /** Monday is 1. */
  readonly weekday: number;
  readonly hour: number;
}

export interface EarningReport {
  readonly days: Days;
  readonly asOf: Date;
  readonly today: string;
  readonly total: EarnedFigures;
  readonly rules: readonly RuleFigures[];
  readonly products: SoldFigures;
  readonly categories: SoldFigures;
  readonly branches: readonly BranchFigures[];
  readonly hours: readonly HourFigures[];
}

/** It reads every purchase with lines or rules. */
const MOST_DAYS = 366;
const MOST_NAMED = 200;

/** The range has more days than a report that reads each purchase can have. */
class TooManyDays extends InvalidRequest {
  constructor() {
    super(
      [{ loc: ['query', 'from'], msg: `Value error, at most ${MOST_DAYS} days`, type: 'value_error' }],
      'invalid',
      `Choose at most ${MOST_DAYS} days.`,
    );
  }
}

/** @throws InvalidRequest if the range is longer than a year */
export async function readEarningReport(
  db: Db,
  commerce: Commerce,
  { from, to }: Pick<ReportRange, 'from' | 'to'>,
): Promise<EarningReport> {
  if (daysBetween(from, to) >= MOST_DAYS) throw new TooManyDays();
  const groups = await readGroups(db, commerce, { from, to });
  const total = figuresOf(groups.find(({ kind }) => kind === 'all'));
  const sums = createSums();
  for await (const page of readPages(db, commerce, { from, to })) for (const row of page) addTo(sums, row);
  const { program, now, today } = commerce;
  return {
    days: { from, to },
    asOf: now,
    today,
    total,
    rules: rulesOf(sums, commerce),
    products: soldOf(sums.products, total, sums.withProduct),
    categories: soldOf(sums.categories, total, sums.withCategory),
    branches: groups
      .filter(({ kind }) => kind === 'branch')
      .map((row) => ({
        branchId: row.branchId,
        name: row.branchId === null ? null : nameOfBranch(program.branches, row.branchId),
        ...figuresOf(row),
      }))
      .toSorted((one, other) => other.amount - one.amount),
    hours: groups
      .filter(({ kind }) => kind === 'hour')
      .map((row) => ({ weekday: row.weekday!, hour: row.hour!, ...figuresOf(row) }))
      .toSorted((one, other) => one.weekday - other.weekday || one.hour - other.hour),
  };
}

interface GroupRow extends EarnedFigures {
  readonly kind: 'all' | 'branch' | 'hour';
  readonly branchId: number | null;
  readonly weekday: number | null;
  readonly hour: number | null;
}

const NOTHING: EarnedFigures = { purchases: 0, amount: 0, points: 0 };

function figuresOf({ purchases, amount, points }: EarnedFigures = NOTHING): EarnedFigures {
  return { purchases, amount, points };
}

/** Adds up all purchases, those of each branch, and those of each hour of the week. */
async function readGroups(db: Db, { id, rules }: Commerce, days: Days): Promise<GroupRow[]> {
  const { begin, end } = instantsOf(days, rules.timeZone);
  const clocks = clocksOf(begin, end, rules.timeZone);
  const { rows } = await sql<GroupRow>`-- read-earning-groups
    select case grouping(branch_id, weekday) when 3 then 'all' when 1 then 'branch' else 'hour' end as kind,
           branch_id as "branchId", weekday, hour, count(*) filter (where amount > 0) as purchases,
           sum(amount)::bigint as amount, sum(points)::bigint as points
      from (select p.branch_id, extract(isodow from local.at)::integer as weekday, extract(hour from local.at)::integer as hour,
                   p.amount + r.amount as amount, p.points_earned + r.points as points
              from movements p
              join unnest(${clocks.map(({ from }) => from)}::timestamptz[], ${clocks.map(({ to }) => to)}::timestamptz[],
                          ${clocks.map(({ offset }) => offset)}::integer[]) as c(since, before, seconds)
                on p.at >= c.since and p.at < c.before
             cross join lateral (select p.at at time zone 'UTC' + make_interval(secs => c.seconds) as at) local
             cross join lateral (
                   select coalesce(sum(b.amount), 0) as amount, coalesce(sum(b.points_earned), 0) as points
                     from movements b
                    where b.commerce_id = ${id} and b.reverses_id = p.id) r
             where p.commerce_id = ${id} and p.type = 'purchase' and p.at >= ${begin} and p.at < ${end}) as bought
     group by grouping sets ((), (branch_id), (weekday, hour))
    having count(*) > 0`.execute(db);
  return rows;
}

function instantsOf({ from, to }: Days, timeZone: string): { begin: Date; end: Date } {
  return { begin: startOfDay(from, timeZone), end: startOfDay(addDays(to, 1), timeZone) };
}

/** A stretch of time in which the clocks of a zone stay as they are. */
interface Clock {
  readonly from: Date;
  readonly to: Date;
  /** In seconds ahead of UTC. */
  readonly offset: number;
}

/** Returns the stretches of a range. The database is not asked for local time, because it may know other zones than this process. */
function clocksOf(begin: Date, end: Date, timeZone: string): Clock[] {
  const clocks: Clock[] = [];
  for (let from = begin; from < end;) {
    const zoned = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(timeZone);
    const change = zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity;
    const to = new Date(Math.min(change, end.getTime()));
    clocks.push({ from, to, offset: zoned.offsetNanoseconds / 1e9 });
    from = to;
  }
  return clocks;
}

interface RuledRow {
  readonly id: number;
  /** As PostgreSQL writes it, to the microsecond: the next page begins there. */
  readonly at: string;
  readonly amount: number;
  readonly points: number;
  readonly factors: readonly Step[];
  /** What is left of the lines; null if the shop did not say them. */
  readonly keptLines: readonly KeptLine[] | null;
  /** As the shop said them; null if they were deleted. */
  readonly said: readonly Line[] | null;
}

const PAGE = 2_000;

/** Reads the purchases with lines or rules of which something is kept, page by page. */
async function* readPages(db: Db, { id, rules }: Commerce, days: Days): AsyncGenerator<readonly RuledRow[]> {
  const { begin, end } = instantsOf(days, rules.timeZone);
  let after: Pick<RuledRow, 'at' | 'id'> = { at: begin.toISOString(), id: 0 };
  for (;;) {
    const { rows } = await sql<RuledRow>`-- read-earning-purchases
      select p.id, p.at::text as at, (p.amount + r.amount)::bigint as amount, (p.points_earned + r.points)::bigint as points,
             p.snapshot -> 'factors' as factors, coalesce(r.kept_lines, p.snapshot -> 'lines') as "keptLines", l.lines as said
        from movements p
       cross join lateral (
             select coalesce(sum(b.amount), 0) as amount, coalesce(sum(b.points_earned), 0) as points,
                    (array_agg(b.snapshot -> 'lines' order by b.id desc) filter (where b.type <> 'available'))[1] as kept_lines
               from movements b
              where b.commerce_id = ${id} and b.reverses_id = p.id) r
        left join purchase_lines l on l.commerce_id = ${id} and l.purchase_id = p.id
       where p.commerce_id = ${id} and p.type = 'purchase' and p.at < ${end} and (p.at, p.id) > (${after.at}::timestamptz, ${after.id}::bigint)
         and p.at >= ${begin} and p.amount + r.amount > 0
         and jsonb_path_exists(p.snapshot, '$ ? (exists(@.lines) || exists(@.factors[*] ? (@[0] == "lines" || @[0] == "added")))')
       order by p.at, p.id
       limit ${PAGE}`.execute(db);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last;
  }
}

interface Sum {
  purchases: number;
  amount: number;
  points: number;
}

interface Sums {
  readonly rules: Map<string, Sum & { title: string; lineAmount: number }>;
  readonly products: Map<string, Sum>;
  readonly categories: Map<string, Sum>;
  /** Purchases and lines that name a product, each once. */
  readonly withProduct: Sum;
  readonly withCategory: Sum;
}

function createSums(): Sums {
  return {
    rules: new Map(),
    products: new Map(),
    categories: new Map(),
    withProduct: { ...NOTHING },
    withCategory: { ...NOTHING },
  };
}

function addTo(sums: Sums, row: RuledRow): void {
  const kept: Kept = { amount: row.amount, lines: row.keptLines };
  addRules(sums, kept, row.factors);
  if (row.said === null || row.keptLines === null) return;
  const shares = pointsOfLines(kept, row);
  const lines = row.said.map((line, place) => ({
    products: line.product == null ? [] : [line.product],
    categories: [...new Set(line.categories)],
    amount: row.keptLines![place]![0],
    points: shares[place]!,
  }));
  addLines(sums.products, sums.withProduct, lines, 'products');
  addLines(sums.categories, sums.withCategory, lines, 'categories');
}

/** A rule gave what the purchase would have earned less without it. */
function addRules({ rules }: Sums, kept: Kept, factors: readonly Step[]): void {
  const multiplied = stepOf(factors, 'lines')?.[3] ?? [];
  const added = stepOf(factors, 'added')?.[2] ?? [];
  const points = pointsByFactors(kept, factors);
  const lines = linesOf(kept);
  for (const one of [...multiplied, ...added]) {
    const [id, title] = one;
    const places = one.at(-1) as readonly number[];
    const sum = rules.get(id) ?? { ...NOTHING, title, lineAmount: 0 };
    rules.set(id, sum);
    sum.title = title;
    sum.purchases += 1;
    sum.amount += kept.amount;
    sum.lineAmount += places.reduce((all, place) => all + lines[place]![0], 0);
    sum.points += points - pointsByFactors(kept, withoutRule(factors, id));
  }
}

function withoutRule(factors: readonly Step[], id: string): Step[] {
  const isOther = ([one]: readonly [string, ...unknown[]]) => one !== id;
  return factors.map((step) => {
    if (step[0] === 'lines') {
      const [kind, after, perPoint, multiplied, ...rest] = step;
      return [kind, after, perPoint, multiplied.filter(isOther), ...rest];
    }
    return step[0] === 'added' ? [step[0], step[1], step[2].filter(isOther)] : step;
  });
}

/** Shares the points of a purchase out over its lines, in proportion to what each counts. */
function pointsOfLines(kept: Kept, { factors, points }: RuledRow): number[] {
  const step = stepOf(factors, 'lines');
  const lines = linesOf(kept);
  const best = bestOf(step?.[3] ?? [], kept.amount, lines.length);
  const excluded = step?.[4] ?? [];
  const weights = lines.map(([amount], place) =>
    excluded.includes(place) ? 0 : Math.round((amount * (best[place]?.[2] ?? 1000)) / 1000),
  );
  const counts = weights.some((weight) => weight > 0);
  return shareOut(points, counts ? weights : lines.map(([amount]) => amount));
}

interface SoldLine extends Pick<EarnedFigures, 'amount' | 'points'> {
  readonly products: readonly string[];
  readonly categories: readonly string[];
}

function addLines(
  sums: Map<string, Sum>,
  all: Sum,
  lines: readonly SoldLine[],
  by: 'products' | 'categories',
): void {
  const named = lines.filter((line) => line[by].length > 0);
  if (named.length > 0) all.purchases += 1;
  const seen = new Set<string>();
  for (const line of named) {
    all.amount += line.amount;
    all.points += line.points;
    for (const name of line[by]) {
      const sum = sums.get(name) ?? { ...NOTHING };
      sums.set(name, sum);
      if (!seen.has(name)) sum.purchases += 1;
      seen.add(name);
      sum.amount += line.amount;
      sum.points += line.points;
    }
  }
}

function soldOf(sums: ReadonlyMap<string, Sum>, total: EarnedFigures, named: EarnedFigures): SoldFigures {
  const inOrder = [...sums]
    .map(([name, sum]) => ({ name, ...sum }))
    .toSorted((one, other) => other.amount - one.amount || (one.name < other.name ? -1 : 1));
  const others = inOrder.slice(MOST_NAMED);
  const rest = (of: keyof EarnedFigures) => others.reduce((sum, one) => sum + one[of], 0);
  return {
    named: inOrder.slice(0, MOST_NAMED),
    others: { purchases: rest('purchases'), amount: rest('amount'), points: rest('points') },
    unnamed: {
      purchases: total.purchases - named.purchases,
      amount: total.amount - named.amount,
      points: total.points - named.points,
    },
  };
}

/** In the order of the program, then those that it has no more. */
function rulesOf({ rules }: Sums, { program }: Commerce): RuleFigures[] {
  const known = program.earning.rules;
  const current = known.map(({ id, title, paused }): RuleFigures => {
    const { title: _, ...sum } = rules.get(id) ?? { title, ...NOTHING, lineAmount: 0 };
    return { id, title, state: paused ? 'paused' : 'running', ...sum };
  });
  const gone = [...rules]
    .filter(([id]) => !known.some((rule) => rule.id === id))
    .map(([id, sum]): RuleFigures => ({ id, state: 'gone', ...sum }));
  return [...current, ...gone];
}
