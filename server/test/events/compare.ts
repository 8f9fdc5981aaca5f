/** Compares what a reader has made from nothing but the feed with what the database says. */
import assert from 'node:assert/strict';
import { createKey } from '#commerces/api-keys.ts';
import { sql, type Database } from '#db/database.ts';
import { readFeed } from '#events/feed.ts';
import { datesOf } from '#events/wire.ts';
import type { SplitText } from '#points/split-text.ts';
import { call } from '#test/harness.ts';
import type { Shop } from '#test/make.ts';
import type { Copy, HeldCode } from './reader.ts';

/** Makes a reader of any commerce. */
export async function readerOf(db: Database, commerceId: number): Promise<Pick<Shop, 'get'>> {
  const { key } = await createKey(db, commerceId, 'reader');
  return { get: (path) => call('GET', path, { headers: { authorization: `Bearer ${key}` } }) };
}

/** Fails unless the copy has every balance, figure, level and code of the commerce, and no other. */
export async function assertCopyAgrees(db: Database, commerceId: number, copy: Copy): Promise<void> {
  const { ids } = await readFeed(db, commerceId);
  const { rows: members } = await sql<{
    id: number;
    state: string;
    blocked: boolean;
    levelId: string | null;
    expired: boolean;
    pointsEarned: number;
    amountSpent: number;
    lots: SplitText;
  }>`
    select m.id, m.state, m.blocked_at is not null as blocked, m.tier_id as "levelId",
           m.tier_expired and not m.tier_pinned as expired, m.points_earned as "pointsEarned", m.amount_spent as "amountSpent",
           (select coalesce(jsonb_agg(jsonb_build_array(b.expires_on::text, b.moving, b.points)), '[]')
              from balances b
             where b.commerce_id = m.commerce_id and b.member_id = m.id) as lots
      from members m
     where m.commerce_id = ${commerceId}
     order by m.id`.execute(db);
  const theirs = members.map(({ id, lots, ...member }) => ({
    id: ids.member(id),
    ...member,
    points: lots.reduce((sum, [, , points]) => sum + points, 0),
    days: sorted(datesOf(lots).map(({ points, expires_on: day }) => [day, points])),
  }));
  const ours = members.map(({ id }) => {
    const { byDay, ...member } = copy.members.get(ids.member(id)) ?? { byDay: new Map() };
    return { id: ids.member(id), ...member, days: sorted([...byDay]) };
  });
  assert.deepEqual(ours, theirs);
  assert.equal(copy.members.size, members.length, 'nobody else');

  const { rows: vouchers } = await sql<{ code: number }>`
    select code from vouchers where commerce_id = ${commerceId} and used_at is null and given_back_at is null`.execute(
    db,
  );
  const codes = vouchers.map(({ code }) => ids.voucher(code));
  assert.deepEqual(new Set(copy.vouchers.keys()), new Set(codes));

  const { rows: held } = await sql<{ code: number; cart: string; until: Date }>`
    select h.code, h.external_id as cart, h.expires_at as until
      from holds h
      join vouchers v on v.commerce_id = h.commerce_id and v.code = h.code
     where h.commerce_id = ${commerceId} and v.used_at is null and v.given_back_at is null`.execute(db);
  const now = Date.now();
  const lasting = ([, { until }]: readonly [number, HeldCode]) => Date.parse(until) > now;
  assert.deepEqual(
    new Map([...copy.holds].filter(lasting)),
    new Map(
      held
        .map(({ code, cart, until }) => [ids.voucher(code), { cart, until: until.toISOString() }] as const)
        .filter(lasting),
    ),
  );

  const { rows: cards } = await sql<{ memberId: number; stampId: string; have: number }>`
    select member_id as "memberId", stamp_id as "stampId", have from stamp_cards
     where commerce_id = ${commerceId} and not ended`.execute(db);
  assert.deepEqual(
    copy.stamps,
    new Map(
      cards.map(({ memberId, stampId, have }) => [`${ids.member(memberId)}/${stampId}`, have] as const),
    ),
  );

  const { rows: counts } = await sql<{ movements: number }>`
    select count(*) as movements from movements where commerce_id = ${commerceId}`.execute(db);
  assert.equal(copy.movements, counts[0]!.movements, 'every movement');
}

function sorted<T>(days: readonly T[]): T[] {
  return days.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
