import { Type, type Static } from 'typebox';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { sql, type Db } from '#db/database.ts';
import type { SplitText } from '#points/split-text.ts';
import type { EventIds } from './feed.ts';
import { datesOf, EventDataSchema, personToWire, type Sight } from './wire.ts';

const {
  dates,
  points_earned,
  voucher_id,
  benefit_id,
  source,
  due_date,
  held_until,
  client_benefit_code,
  stamp_id,
  have,
  person,
} = EventDataSchema.properties;

/** One line of a snapshot. `type` says which fields it has. */
export const SnapshotLineSchema = Type.Object(
  {
    type: StrEnum(['start', 'member', 'voucher', 'stamps', 'end']),
    commerce_id: Type.Optional(Int64({ description: '`start`.', examples: [1] })),
    at: Type.Optional(Instant({ description: '`start`: the moment, in real time.' })),
    movements: Type.Optional(
      Int64({
        description:
          '`start`: how many movements are in what follows. The next one is `sealed` with this index.',
        examples: [1082],
      }),
    ),
    member_id: Type.Optional(
      Int64({ description: '`member`, `voucher`, `stamps`.', examples: [446165214474872] }),
    ),
    state: Type.Optional(
      StrEnum(['invited', 'member', 'left'], {
        description: '`member`: `invited` for whom points only wait.',
      }),
    ),
    blocked: Type.Optional(Type.Boolean({ examples: [false] })),
    erased: Type.Optional(Type.Boolean({ examples: [false] })),
    points: Type.Optional(
      Int64({
        description:
          '`member`: the sum of the movements. Points that have expired count until the job has written them off.',
        examples: [120],
      }),
    ),
    dates,
    points_earned,
    amount_spent: Type.Optional(Int64({ examples: [640] })),
    purchases: Type.Optional(Int64({ examples: [31] })),
    level_id: Type.Optional(Nullable(Type.String({ examples: ['captain'] }))),
    expired: Type.Optional(Type.Boolean({ description: 'True if the level has ended.' })),
    person,
    voucher_id,
    client_benefit_code,
    benefit_id,
    source,
    due_date,
    held_until,
    external_id: Type.Optional(
      Nullable(Type.String({ description: '`voucher`: the cart that holds it.', examples: ['cart-77'] })),
    ),
    stamp_id,
    have,
    expires_on: Type.Optional(
      Nullable(
        Type.String({
          format: 'date',
          description:
            '`stamps`: the last day of the card. Null if it does not end. A card that is over has its stamps until the next one begins.',
          examples: ['2027-02-28'],
        }),
      ),
    ),
    next: Type.Optional(Type.String({ description: '`end`: the `after` of the first call of the feed.' })),
  },
  { title: 'SnapshotLine' },
);

export type SnapshotLine = Static<typeof SnapshotLineSchema>;

const PAGE = 500;

/** Yields the lines of all people of a commerce, page by page. */
export async function* memberLines(
  db: Db,
  commerceId: number,
  ids: EventIds,
  sight: Sight,
): AsyncGenerator<SnapshotLine[], void> {
  for (let after = 0; ;) {
    const rows = await readMembers(db, commerceId, after);
    if (rows.length === 0) return;
    after = rows.at(-1)!.id;
    yield rows.map((row) => ({
      type: 'member',
      member_id: ids.member(row.id),
      state: row.state,
      blocked: row.blocked,
      erased: row.isErased,
      points: row.lots.reduce((sum, [, , points]) => sum + points, 0),
      dates: datesOf(row.lots),
      points_earned: row.pointsEarned,
      amount_spent: row.amountSpent,
      purchases: row.purchases,
      level_id: row.tierId,
      expired: row.tierExpired,
      ...(sight.people && { person: personToWire(row) }),
    }));
  }
}

interface MemberLine {
  readonly id: number;
  readonly state: 'invited' | 'member' | 'left';
  readonly blocked: boolean;
  readonly isErased: boolean;
  readonly code: number | null;
  readonly email: string | null;
  readonly username: string | null;
  readonly pointsEarned: number;
  readonly amountSpent: number;
  readonly purchases: number;
  readonly tierId: string | null;
  readonly tierExpired: boolean;
  readonly lots: SplitText;
}

async function readMembers(db: Db, commerceId: number, after: number): Promise<MemberLine[]> {
  const { rows } = await sql<MemberLine>`-- snapshot-members
    select m.id, m.state, m.blocked_at is not null as blocked, m.erased_at is not null as "isErased", m.code, m.email, m.username,
           m.points_earned as "pointsEarned", m.amount_spent as "amountSpent", m.purchases, m.tier_id as "tierId",
           m.tier_expired and not m.tier_pinned as "tierExpired",
           (select coalesce(jsonb_agg(jsonb_build_array(b.expires_on::text, b.moving, b.points) order by b.expires_on), '[]')
              from balances b
             where b.commerce_id = ${commerceId} and b.member_id = m.id) as lots
      from members m
     where m.commerce_id = ${commerceId} and m.id > ${after}
     order by m.id
     limit ${PAGE}`.execute(db);
  return rows;
}

/** Yields the lines of all codes of a commerce that are neither used nor void, page by page. */
export async function* voucherLines(
  db: Db,
  commerceId: number,
  ids: EventIds,
  sight: Sight,
): AsyncGenerator<SnapshotLine[], void> {
  for (let after = 0; ;) {
    const rows = await readVouchers(db, commerceId, after);
    if (rows.length === 0) return;
    after = rows.at(-1)!.code;
    yield rows.map((row) => ({
      type: 'voucher',
      voucher_id: ids.voucher(row.code),
      member_id: ids.member(row.memberId),
      benefit_id: row.benefitId,
      source: row.source,
      due_date: row.dueAt,
      held_until: row.heldUntil,
      external_id: row.cart,
      ...(sight.codes && { client_benefit_code: row.code }),
    }));
  }
}

interface VoucherLine {
  readonly code: number;
  readonly memberId: number;
  readonly benefitId: string;
  readonly source: 'exchange';
  readonly dueAt: Date | null;
  readonly heldUntil: Date | null;
  readonly cart: string | null;
}

async function readVouchers(db: Db, commerceId: number, after: number): Promise<VoucherLine[]> {
  const { rows } = await sql<VoucherLine>`-- snapshot-vouchers
    select v.code, v.member_id as "memberId", v.benefit_id as "benefitId", v.source, v.due_at as "dueAt",
           h.expires_at as "heldUntil", h.external_id as cart
      from vouchers v
      left join holds h on h.commerce_id = ${commerceId} and h.code = v.code and h.expires_at > now()
     where v.commerce_id = ${commerceId} and v.code > ${after} and v.used_at is null and v.given_back_at is null
     order by v.code
     limit ${PAGE}`.execute(db);
  return rows;
}

/** Yields the lines of all stamp cards of a commerce that have not ended, page by page. */
export async function* stampLines(
  db: Db,
  commerceId: number,
  ids: EventIds,
): AsyncGenerator<SnapshotLine[], void> {
  for (let after = { memberId: 0, stampId: '' }; ;) {
    const rows = await readCards(db, commerceId, after);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last;
    yield rows.map(({ memberId, stampId, have, endsOn }) => ({
      type: 'stamps',
      member_id: ids.member(memberId),
      stamp_id: stampId,
      have,
      expires_on: endsOn,
    }));
  }
}

interface CardLine {
  readonly memberId: number;
  readonly stampId: string;
  readonly have: number;
  readonly endsOn: string | null;
}

async function readCards(
  db: Db,
  commerceId: number,
  after: Pick<CardLine, 'memberId' | 'stampId'>,
): Promise<CardLine[]> {
  const { rows } = await sql<CardLine>`-- snapshot-stamp-cards
    select c.member_id as "memberId", c.stamp_id as "stampId", c.have, c.ends_on as "endsOn"
      from stamp_cards c
     where c.commerce_id = ${commerceId} and (c.member_id, c.stamp_id) > (${after.memberId}, ${after.stampId}) and not c.ended
     order by c.member_id, c.stamp_id
     limit ${PAGE}`.execute(db);
  return rows;
}
