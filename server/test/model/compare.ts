/** Compares everybody's data in the service with the model. */
import assert from 'node:assert/strict';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { sql, type Database } from '#db/database.ts';
import { readHistories, type HistoryPart } from '#history/read-history.ts';
import type { Position } from '#http/cursor.ts';
import { memberColumns, memberOf, type Member, type MemberRow } from '#members/member.ts';
import { withLots } from '#points/locked-member.ts';
import { isGood } from '#points/lots.ts';
import { pointsPendingAt, settled } from '#points/pending.ts';
import { remainderOf } from '#points/remainder.ts';
import { standingAt } from '#tiers/standing.ts';
import { dayAt } from './days.ts';
import type { Model, Person } from './model.ts';
import { Collector } from './stamps.ts';
import type { World } from './world.ts';

export async function compare(world: World): Promise<void> {
  const { db, commerceId, model, people, erased } = world;
  const commerce = await readCommerce(db, commerceId);
  assert.equal(commerce?.today, model.today, 'local day');
  const { rows, byId, sold } = await readAll(db, commerceId, commerce);
  for (const [i, { email, person }] of people.entries()) {
    const row = rows.get(email);
    if (row === undefined) assert.equal(person.state, 'stranger');
    else assertSame(seen(row, commerce), expected(model, person), model, `person ${i}`);
  }
  for (const { memberId, person } of erased)
    assertSame(seen(byId.get(memberId)!, commerce), expected(model, person), model, `erased ${memberId}`);
  const turn = world.step % people.length;
  const row = rows.get(people[turn]!.email);
  if (row !== undefined)
    assert.equal(
      await sumOfHistory(db, commerceId, row.member.id),
      model.balanceOf(people[turn]!.person) + model.waitingOf(people[turn]!.person),
      `history of person ${turn}`,
    );
  const expectedSold = [...model.sold].filter(([, count]) => count > 0);
  assert.deepEqual(sold, Object.fromEntries(expectedSold), 'sold');
}

/** A benefit of a tier that was reached while points waited comes later, if at all; the model has it at once. */
function assertSame(
  was: ReturnType<typeof seen>,
  is: ReturnType<typeof expected>,
  { hasWaited }: Model,
  who: string,
): void {
  const early = hasWaited && was.gifts.every((gift) => is.gifts.includes(gift));
  assert.deepEqual(early ? { ...was, gifts: is.gifts } : was, is, who);
}

/** Returns the sum of all pages of a person's history. */
async function sumOfHistory(db: Database, commerceId: number, memberId: number): Promise<number> {
  let sum = 0;
  for (let position: Position | null = null; ;) {
    const part: HistoryPart = { commerceId, whose: 'member', id: memberId, position, withFactors: false };
    const [page] = await readHistories(db, [part]);
    sum += page!.items.reduce((sum, { points }) => sum + points, 0);
    if (page!.next === null) return sum;
    position = page!.next;
  }
}

interface Row {
  readonly member: Member;
  readonly days: readonly (readonly [string, boolean, number])[];
  readonly waiting: number;
  readonly gifts: readonly string[];
  /** By the id of the kind: the stamps on the open card and its last day, and what became of the full ones. */
  readonly cards: Readonly<Record<string, readonly [have: number, endsOn: string | null]>>;
  readonly full: Readonly<Record<string, readonly string[]>>;
}

interface All {
  /** By address. */
  readonly rows: Map<string | null, Row>;
  readonly byId: Map<number, Row>;
  /** By benefit, what is above zero. */
  readonly sold: Readonly<Record<string, number>>;
}

async function readAll(db: Database, commerceId: number, commerce: Commerce): Promise<All> {
  const { rows } = await sql<
    MemberRow & { gifts: Row['gifts'] | null; sold: All['sold'] | null } & Partial<
        Pick<Row, 'cards' | 'full'>
      >
  >`-- model-read-all
    select ${memberColumns},
           (select jsonb_object_agg(b.id, b.sold) from benefits b
             where b.commerce_id = ${commerceId} and b.sold > 0) as sold,
           (select jsonb_object_agg(c.stamp_id, jsonb_build_array(c.have, c.ends_on))
              from stamp_cards c
             where c.commerce_id = ${commerceId} and c.member_id = m.id and not c.ended) as cards,
           (select jsonb_object_agg(f.stamp_id, f.states)
              from (select f.stamp_id,
                           jsonb_agg(case when f.taken_at is not null then 'taken' when v.used_at is not null then 'used' else 'good' end
                                     order by f.ordinal) as states
                      from full_cards f
                      left join vouchers v on v.commerce_id = ${commerceId} and v.code = f.code
                     where f.commerce_id = ${commerceId} and f.member_id = m.id
                     group by f.stamp_id) f) as full,
           (select jsonb_agg(v.tier_id || case when v.used_at is null then '' else ', used' end order by v.tier_id)
              from vouchers v
             where v.commerce_id = ${commerceId} and v.member_id = m.id and v.source = 'level'
               and v.given_back_at is null) as gifts
      from members m
     where m.commerce_id = ${commerceId}`.execute(db);
  const held = (await withLots(db, rows.map(memberOf))).map((member) => settled(member, commerce));
  const people = held.map((member, i): Row => ({
    member,
    days: member.lots
      .filter(({ expiresOn }) => isGood({ expiresOn }, commerce.today))
      .map(({ expiresOn, moving, points }) => [expiresOn, moving, points]),
    waiting: pointsPendingAt(member.pending, commerce.now),
    gifts: rows[i]!.gifts ?? [],
    cards: rows[i]!.cards ?? {},
    full: rows[i]!.full ?? {},
  }));
  return {
    rows: new Map(people.map((row) => [row.member.email, row])),
    byId: new Map(people.map((row) => [row.member.id, row])),
    sold: rows[0]?.sold ?? {},
  };
}

/** Returns a person as the service sees them. */
function seen({ member, days, waiting, gifts, cards, full }: Row, { rules, now, today }: Commerce) {
  const { standing } = standingAt(member, rules, now);
  return {
    state: member.state,
    days,
    waiting,
    figures: member.figures,
    purchases: member.purchases,
    remainder: remainderOf(member.remainder, rules.earning),
    tier: standing.tierId,
    reachedOn: standing.reachedAt && dayAt(standing.reachedAt.getTime(), rules.timeZone),
    expired: standing.expired,
    endsOn: standing.expiresOn,
    gifts,
    stamps: rules.stamps.map(({ id }) => {
      const [have, until] = cards[id] ?? [0, null];
      return { have: until !== null && until < today ? 0 : have, full: [...(full[id] ?? [])] };
    }),
  };
}

/** Returns a person as the model sees them. */
function expected(model: Model, person: Person): ReturnType<typeof seen> {
  const { tier, reachedAt, expired, endsOn } = model.placeOf(person);
  const days = model
    .pools(person)
    .map(({ day, moves, points }) => [day === 'never' ? 'infinity' : day, moves, points] as const);
  if (person.debt > 0) days.push(['infinity', false, -person.debt]);
  return {
    state: person.state as Member['state'],
    days,
    waiting: model.waitingOf(person),
    figures: person.figures,
    purchases: person.count,
    remainder: model.remainderOf(person),
    tier,
    reachedOn: reachedAt === null ? null : dayAt(reachedAt, model.rules.zone),
    expired,
    endsOn,
    gifts: person.climber.gifts.map(({ tier, used }) => `${tier}${used ? ', used' : ''}`).sort(),
    stamps: (person.isErased ? new Collector() : person.collector).seen(model.rules.stamps, model.today),
  };
}
