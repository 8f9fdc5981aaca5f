/** The people of a commerce before and after a program is published. */
import { readCommerce } from '#commerces/commerce.ts';
import { sql, type Database } from '#db/database.ts';
import { memberColumns, memberOf, type MemberRow } from '#members/member.ts';
import { tierThatCounts } from '#tiers/ladder.ts';
import { settledAt } from '#tiers/standing.ts';

interface PersonNow {
  readonly tierId: string | null;
  readonly lots: readonly (readonly [day: string, points: number])[];
  readonly redates: number;
  readonly codes: number;
}

/** By the member's id. */
export type State = ReadonlyMap<number, PersonNow>;

export async function stateOf(db: Database, commerceId: number): Promise<State> {
  const { rules, now, today } = (await readCommerce(db, commerceId))!;
  const { rows } = await sql<MemberRow & Omit<PersonNow, 'tierId'>>`
    select ${memberColumns},
           coalesce((select jsonb_agg(jsonb_build_array(b.expires_on, b.points))
                       from balances b
                      where b.commerce_id = m.commerce_id and b.member_id = m.id and b.points > 0
                        and b.expires_on >= ${today}::date), '[]') as lots,
           (select count(*) from movements v
             where v.commerce_id = m.commerce_id and v.member_id = m.id and v.type = 'redate') as redates,
           (select count(*) from vouchers v
             where v.commerce_id = m.commerce_id and v.member_id = m.id and v.source = 'level') as codes
      from members m
     where m.commerce_id = ${commerceId}`.execute(db);
  return new Map(
    rows.map((row) => {
      const { lots, redates, codes } = row;
      return [
        row.id,
        {
          tierId: tierThatCounts(settledAt(memberOf(row), rules, now), rules.tiers)?.id ?? null,
          lots,
          redates,
          codes,
        },
      ];
    }),
  );
}

/** Returns how many members moved from one tier to another. */
export function movesBetween(before: State, after: State) {
  const moves = new Map<string, { from: string | null; to: string | null; members: number }>();
  for (const [id, { tierId: from }] of before) {
    const to = after.get(id)!.tierId;
    if (from === to) continue;
    const key = `${from} ${to}`;
    moves.set(key, { from, to, members: (moves.get(key)?.members ?? 0) + 1 });
  }
  return [...moves.values()];
}

/** Returns the points by the month in which they end, before and after. */
export function endsBetween(before: State, after: State) {
  const ends = new Map<string, { before: number; after: number }>();
  for (const [side, state] of [['before', before] as const, ['after', after] as const]) {
    for (const [day, points] of [...state.values()].flatMap(({ lots }) => lots)) {
      const month = day === 'infinity' ? 'never' : day.slice(0, 7);
      const kept = ends.get(month) ?? { before: 0, after: 0 };
      kept[side] += points;
      ends.set(month, kept);
    }
  }
  return [...ends]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([month, points]) => ({ month: month === 'never' ? null : month, points }));
}

export function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
