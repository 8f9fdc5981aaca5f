/** The figures of a what-if, computed by SQL from the ledger of a commerce that lived through the range. */
import { localDay } from '#calendar/calendar.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { sql, type Database } from '#db/database.ts';
import { memberColumns, memberOf, type MemberRow } from '#members/member.ts';
import { tierThatCounts } from '#tiers/ladder.ts';
import { standingAt } from '#tiers/standing.ts';
import { pendingPoints } from '../../src/operations/jobs/pending-points.ts';
import { byText } from './published.ts';

/** @param zone the calendar of the months */
export async function booksOf(db: Database, commerceId: number, since: Date, zone: string) {
  // Then all that has become available is in the ledger.
  await pendingPoints.run(db, commerceId);
  const commerce = (await readCommerce(db, commerceId))!;
  const { rules, now, today } = commerce;
  const { rows: movements } = await sql<{
    type: string;
    at: Date;
    points: number;
    tierId: string | null;
    isDouble: boolean;
  }>`
    select m.type, m.at,
           case m.type when 'purchase' then m.points_earned
                       else m.points - coalesce((m.snapshot ->> 'waited')::bigint, 0) end as points,
           p.program -> 'levels' -> 'ladder' -> ((m.snapshot ->> 'tier')::int - 1) ->> 'id' as "tierId",
           coalesce(m.snapshot -> 'factors' @> '[["double"]]', false) as "isDouble"
      from movements m
      left join programs p on p.commerce_id = m.commerce_id and p.version = (m.snapshot ->> 'rule')::int
     where m.commerce_id = ${commerceId} and m.at >= ${since}`.execute(db);
  const { rows: lots } = await sql<{ expiresOn: string; points: number; memberId: number }>`
    select expires_on as "expiresOn", points, member_id as "memberId" from balances where commerce_id = ${commerceId}`.execute(
    db,
  );
  const { rows: members } = await sql<MemberRow>`
    select ${memberColumns} from members m where m.commerce_id = ${commerceId}`.execute(db);

  const sum = (kinds: readonly string[], sign = 1) =>
    movements.filter(({ type }) => kinds.includes(type)).reduce((sum, { points }) => sum + sign * points, 0);
  // A day of points is one of the program's own calendar, which may lie just outside the range in the other one.
  const begins = localDay(since, rules.timeZone);
  const overdue = lots.filter(({ expiresOn }) => expiresOn < today && expiresOn >= begins);
  const [firstMonth, lastMonth] = [localDay(since, zone).slice(0, 7), localDay(now, zone).slice(0, 7)];
  const months = new Map<string, [number, number, number]>();
  const add = (month: string, column: number, points: number) => {
    const within = month < firstMonth ? firstMonth : month > lastMonth ? lastMonth : month;
    const kept = months.get(within) ?? [0, 0, 0];
    kept[column]! += points;
    months.set(within, kept);
  };
  for (const { type, at, points } of movements) {
    const day = localDay(at, type === 'expiry' ? rules.timeZone : zone);
    if (type === 'purchase') add(day.slice(0, 7), 0, points);
    if (type === 'reversal') add(day.slice(0, 7), 1, 0 - points);
    if (type === 'expiry') add(day.slice(0, 7), 2, 0 - points);
  }
  for (const { expiresOn, points } of overdue) add(expiresOn.slice(0, 7), 2, points);

  const tiers = new Map<string | null, [number, number]>();
  const ofTier = (id: string | null) => tiers.get(id) ?? tiers.set(id, [0, 0]).get(id)!;
  for (const { type, tierId, points } of movements) if (type === 'purchase') ofTier(tierId)[0] += points;
  for (const member of members.map(memberOf))
    if (member.state === 'member' && member.blockedAt === null)
      ofTier(tierThatCounts(standingAt(member, rules, now).standing, rules.tiers)?.id ?? null)[1]++;

  const { rows: stamps } = await sql<{ id: string; given: number; full: number }>`
    select e ->> 'id' as id, sum(coalesce(e ->> 'given', e ->> 'stamps')::int)::int as given,
           sum(coalesce((e ->> 'full')::int, 0) - coalesce(jsonb_array_length(e -> 'taken'), 0))::int as full
      from movements m, jsonb_array_elements(m.snapshot -> 'stamps') e
     where m.commerce_id = ${commerceId} and m.at >= ${since} and jsonb_typeof(m.snapshot -> 'stamps') = 'array'
     group by 1`.execute(db);

  const good = lots.filter(({ expiresOn, points }) => points > 0 && expiresOn >= today);
  const ends = Map.groupBy(good, ({ expiresOn }) =>
    expiresOn === 'infinity' ? 'never' : expiresOn.slice(0, 7),
  );
  const points = (lots: readonly { points: number }[]) => lots.reduce((sum, { points }) => sum + points, 0);
  return {
    points: {
      earned: sum(['purchase']),
      doubled: movements.filter(({ isDouble }) => isDouble).reduce((sum, { points }) => sum + points, 0),
      takenBack: sum(['reversal'], -1),
      given: sum(['reward', 'adjustment']),
      spent: sum(['exchange', 'give_back'], -1) + 0,
      expired: sum(['expiry'], -1) + points(overdue),
    },
    months: [...months]
      .map(([month, figures]) => [month, ...figures] as const)
      .filter(([, ...figures]) => figures.some((figure) => figure !== 0))
      .sort(byText),
    tiers: [...tiers]
      .filter(([, figures]) => figures.some((figure) => figure !== 0))
      .map(([id, figures]) => [id, ...figures])
      .sort(byText),
    stamps: stamps
      .filter(({ given, full }) => given !== 0 || full !== 0)
      .map(({ id, given, full }) => [id, given, full])
      .sort(byText),
    liability: {
      points: points(good),
      people: new Set(good.map(({ memberId }) => memberId)).size,
      ends: [...ends]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([month, lots]) => [month === 'never' ? null : month, points(lots)]),
    },
  };
}
