import { addDays, startOfDay } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { memberColumns, memberOf, type Member, type MemberRow } from '#members/member.ts';
import { isUnsettled } from '#search/search-members.ts';
import { tierThatCounts } from '#tiers/ladder.ts';
import { standingAt } from '#tiers/standing.ts';
import { firstDays, inOrder } from './read-figures.ts';
import type { ReportRange } from './report-range.ts';
import { createReport, type Report } from './report.ts';

export interface LevelsFigures {
  readonly reached: number;
}

export interface LevelsReport extends Report<LevelsFigures> {
  /** From the lowest, with those without a tier first. */
  readonly levels: readonly LevelLine[];
}

export interface LevelLine {
  /** Both are null for members without a tier. */
  readonly id: string | null;
  readonly name: string | null;
  readonly members: number;
  readonly percent: number | null;
  readonly reached: number;
  readonly reachedBefore: number;
}

/** Members per tier now, and who of them reached the tier in the range. Nobody counts who has left, is blocked or has not joined. */
export async function readLevelsReport(
  db: Db,
  commerce: Commerce,
  range: ReportRange,
): Promise<LevelsReport> {
  const holders = await countHolders(db, commerce, range);
  const last = range.periodsBefore.length + range.periods.length;
  const isBefore = ({ period }: Holders) => period >= 1 && period <= range.periodsBefore.length;
  const isIn = ({ period }: Holders) => period > range.periodsBefore.length && period <= last;
  const sum = (rows: readonly Holders[]) => rows.reduce((total, row) => total + row.members, 0);
  const reached = holders.filter(({ tierId }) => tierId !== null);
  const all = sum(holders);
  const line = ({ id, name }: { id: string | null; name: string | null }): LevelLine => {
    const rows = holders.filter(({ tierId }) => tierId === id);
    const members = sum(rows);
    return {
      id,
      name,
      members,
      percent: all === 0 ? null : Math.round((1_000 * members) / all) / 10,
      reached: id === null ? 0 : sum(rows.filter(isIn)),
      reachedBefore: id === null ? 0 : sum(rows.filter(isBefore)),
    };
  };
  return {
    ...createReport(commerce, range, {
      total: { reached: sum(reached.filter(isIn)) },
      before: { reached: sum(reached.filter(isBefore)) },
      ...inOrder(range, (place) => ({ reached: sum(reached.filter(({ period }) => period === place + 1)) })),
    }),
    levels: [{ id: null, name: null }, ...commerce.rules.tiers.ladder].map(line),
  };
}

interface Holders {
  readonly tierId: string | null;
  /** In which period they reached it, counted from 1; 0 for earlier, and one more than there are for later. */
  readonly period: number;
  readonly members: number;
}

/** Counts by the stored tier, and by the rule where no job has settled it yet. */
async function countHolders(db: Db, commerce: Commerce, range: ReportRange): Promise<Holders[]> {
  const { id, rules, now } = commerce;
  const starts = [...firstDays(range), addDays(range.to, 1)].map((day) => startOfDay(day, rules.timeZone));
  const { rows } = await sql<Holders>`
    select tier_id as "tierId", width_bucket(reached_at, ${starts}::timestamptz[]) as period, count(*) as members
      from (select case when m.tier_expired then null else m.tier_id end as tier_id,
                   coalesce(case when m.tier_pinned then m.tier_pinned_at end, m.tier_reached_at, '-infinity') as reached_at
              from members m
             where m.commerce_id = ${id} and ${takesPart} and not ${isUnsettled(commerce)}) m
     group by 1, 2`.execute(db);
  const ladder = new Set(rules.tiers.ladder.map((tier) => tier.id));
  const stored = rows.map((row) =>
    row.tierId !== null && !ladder.has(row.tierId) ? { ...row, tierId: null } : row,
  );
  const settled: Holders[] = [];
  for await (const member of unsettledMembers(db, commerce)) {
    const { standing } = standingAt(member, rules, now);
    const tier = tierThatCounts(standing, rules.tiers);
    const reachedAt = standing.reachedAt ?? new Date(0);
    settled.push({
      tierId: tier?.id ?? null,
      period: starts.findLastIndex((start) => start <= reachedAt) + 1,
      members: 1,
    });
  }
  return [...stored, ...settled];
}

/** The state `member` of the list of members. */
const takesPart = sql`m.state = 'member' and m.blocked_at is null and m.email is not null`;

const PAGE = 1_000;

async function* unsettledMembers(db: Db, commerce: Commerce): AsyncGenerator<Member> {
  for (let after = 0; ;) {
    const { rows } = await sql<MemberRow>`
      select ${memberColumns}
        from members m
       where m.commerce_id = ${commerce.id} and m.id > ${after} and ${takesPart} and ${isUnsettled(commerce)}
       order by m.id
       limit ${PAGE}`.execute(db);
    yield* rows.map(memberOf);
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.id;
  }
}
