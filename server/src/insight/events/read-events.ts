import { sql, type Db, type Sql } from '#db/database.ts';
import type { MovementType } from '#points/locked-member.ts';
import type { SplitText } from '#points/split-text.ts';
import { TILE } from '#seals/merkle-tree.ts';
import { externalIdOf } from '#purchases/recorded-purchases.ts';
import { eventTypeOf, type EventTypeName } from './event-types.ts';

/** An event, as the database knows it. */
export interface StoredEvent {
  readonly id: number;
  readonly type: EventTypeName;
  readonly recordedAt: Date;
  /** By the commerce's clock. */
  readonly at: Date;
  /** Null for what is no movement. */
  readonly movement: MovementColumns | null;
  /** The stored facts of a happening. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly person: EventPerson | null;
  readonly voucher: EventVoucher | null;
  /** Its place in the tree of sealed movements, from 0. Null for what is no movement or not sealed yet. */
  readonly place: number | null;
}

interface MovementColumns {
  readonly type: MovementType;
  readonly points: number;
  readonly pointsEarned: number;
  readonly amount: number | null;
  readonly split: SplitText;
  readonly branchId: number | null;
  readonly registerId: number | null;
  readonly reversesId: number | null;
  readonly externalId: string | null;
  readonly event: string | null;
}

/** The person that an event is about, as they are now. */
export interface EventPerson {
  readonly memberId: number;
  /** It stays with the books when the person is erased, and readers of events do not get it any more. */
  readonly code: number | null;
  /** Null once the person is erased. */
  readonly email: string | null;
  readonly username: string | null;
  readonly isErased: boolean;
}

interface EventVoucher {
  readonly code: number;
  readonly benefitId: string;
  readonly source: string;
  readonly dueAt: Date | null;
}

/** A stretch of the feed: ids above `after` up to `through`, at most `most` of them. */
export interface EventRange {
  readonly after: number;
  readonly through: number;
  readonly most: number;
}

/**
 * Returns the next events of a commerce in the order of the feed. Movements and happenings take their ids from one sequence, and nobody
 * can add one at or below a settled id, so a range up to it never changes.
 */
export async function readEvents(
  db: Db,
  commerceId: number,
  { after, through, most }: EventRange,
): Promise<StoredEvent[]> {
  const rows = await readRows(db, commerceId, 'read-events', sql`id > ${after} and id <= ${through}`, most);
  const first = rows.find(({ movementType }) => movementType !== null);
  const start = first === undefined ? undefined : await readPlace(db, commerceId, first.id);
  let place = start?.place ?? 0;
  return rows.map((row) => {
    const isSealed = start !== undefined && row.movementType !== null && row.id <= start.sealedThrough;
    return eventOf(row, isSealed ? place++ : null);
  });
}

/** Returns an event of a commerce with its place; null if there is none with this id. */
export async function readEvent(db: Db, commerceId: number, id: number): Promise<StoredEvent | null> {
  const [event] = await readEvents(db, commerceId, { after: id - 1, through: id, most: 1 });
  return event ?? null;
}

/** Returns these events of a commerce with their places, in the order of the feed. Those that do not exist are left out. */
export async function readListedEvents(
  db: Db,
  commerceId: number,
  ids: readonly number[],
): Promise<StoredEvent[]> {
  const rows = await readListed(db, commerceId, ids);
  const places = await readPlaces(
    db,
    commerceId,
    rows.flatMap(({ id, movementType }) => (movementType === null ? [] : [id])),
  );
  return rows.map((row) => eventOf(row, places.get(row.id) ?? null));
}

/** The latest events of a feed. */
export interface LatestEvents {
  /** Newest first, without their places. */
  readonly events: readonly StoredEvent[];
  /** Older ones are below this id. Null if there are none. */
  readonly next: number | null;
}

const MOST_LATEST = 50;
/** So many are looked at for those of the types that are asked for. */
const MOST_LOOKED_AT = 1_000;

/**
 * Returns events of a commerce below an id, of these types or of all. While others write, one may still come in between. Looks at a bounded
 * number of them: where the types are rare, there may be none and a `next`.
 */
export async function readLatestEvents(
  db: Db,
  commerceId: number,
  { before, types }: { before: number | null; types: ReadonlySet<EventTypeName> | null },
): Promise<LatestEvents> {
  const range = sql`id < ${before ?? Number.MAX_SAFE_INTEGER} order by id desc limit ${MOST_LOOKED_AT}`;
  const { rows } = await sql<{
    id: number;
    movement: MovementType | null;
    happening: EventTypeName | null;
  }>`-- read-latest-events
    select id, movement, happening
      from ((select id, type as movement, null as happening from movements where commerce_id = ${commerceId} and ${range})
             union all
            (select id, null, type from happenings where commerce_id = ${commerceId} and ${range})) e
     order by id desc
     limit ${MOST_LOOKED_AT}`.execute(db);
  const wanted = rows.filter(
    ({ movement, happening }) =>
      types === null || types.has(movement === null ? happening! : eventTypeOf(movement)),
  );
  const ids = wanted.slice(0, MOST_LATEST).map(({ id }) => id);
  const found = await readListed(db, commerceId, ids);
  const last = wanted.length > MOST_LATEST ? ids.at(-1)! : rows.at(-1)?.id;
  const hasMore = wanted.length > MOST_LATEST || rows.length === MOST_LOOKED_AT;
  return { events: found.map((row) => eventOf(row, null)).toReversed(), next: hasMore ? last! : null };
}

interface Row {
  readonly id: number;
  readonly happeningType: EventTypeName | null;
  readonly movementType: MovementType | null;
  readonly at: Date;
  readonly recordedAt: Date;
  readonly points: number;
  readonly pointsEarned: number;
  readonly amount: number | null;
  readonly split: SplitText;
  readonly branchId: number | null;
  readonly registerId: number | null;
  readonly reversesId: number | null;
  readonly externalId: string | null;
  readonly event: string | null;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly memberId: number | null;
  readonly memberCode: number | null;
  readonly email: string | null;
  readonly username: string | null;
  readonly isErased: boolean;
  readonly voucherCode: number | null;
  readonly benefitId: string;
  readonly source: string;
  readonly dueAt: Date | null;
}

async function readListed(db: Db, commerceId: number, ids: readonly number[]): Promise<Row[]> {
  if (ids.length === 0) return [];
  return readRows(db, commerceId, 'read-listed-events', sql`id = any(${ids}::bigint[])`, ids.length);
}

/** @param name of the statement, because each condition makes another one */
async function readRows(
  db: Db,
  commerceId: number,
  name: string,
  condition: Sql,
  most: number,
): Promise<Row[]> {
  const range = sql`${condition} order by id limit ${most}`;
  const { rows } = await sql<Row>`-- ${sql.raw(name)}
    with page as materialized (
      (select id, null as happening, type as movement, member_id, at, recorded_at, points, points_earned, amount, split, branch_id,
              register_id, reverses_id, voucher_code, event, '{}'::jsonb as facts
         from movements
        where commerce_id = ${commerceId} and ${range})
       union all
      (select id, type, null, member_id, at, recorded_at, 0, 0, null, '[]'::jsonb, null, null, null, voucher_code, null, facts
         from happenings
        where commerce_id = ${commerceId} and ${range})
       order by id
       limit ${most}
    )
    select p.id, p.happening as "happeningType", p.movement as "movementType", p.at, p.recorded_at as "recordedAt",
           p.points, p.points_earned as "pointsEarned", p.amount, p.split, p.branch_id as "branchId",
           p.register_id as "registerId", p.reverses_id as "reversesId", p.event, p.facts,
           case when p.movement = 'purchase' then ${externalIdOf(commerceId)} end as "externalId",
           p.member_id as "memberId", m.code as "memberCode", m.email, m.username,
           m.erased_at is not null as "isErased",
           p.voucher_code as "voucherCode", v.benefit_id as "benefitId", v.source, v.due_at as "dueAt"
      from page p
      left join members m on m.commerce_id = ${commerceId} and m.id = p.member_id
      left join vouchers v on v.commerce_id = ${commerceId} and v.code = p.voucher_code
     order by p.id`.execute(db);
  return rows;
}

function eventOf(row: Row, place: number | null): StoredEvent {
  const { id, at, recordedAt, facts, memberId, voucherCode, email, username, isErased } = row;
  const { movementType } = row;
  return {
    id,
    type: movementType === null ? row.happeningType! : eventTypeOf(movementType),
    at,
    recordedAt,
    facts,
    movement: movementType === null ? null : { ...row, type: movementType },
    person: memberId === null ? null : { memberId, code: row.memberCode, email, username, isErased },
    voucher:
      voucherCode === null
        ? null
        : { code: voucherCode, benefitId: row.benefitId, source: row.source, dueAt: row.dueAt },
    place,
  };
}

interface SealedPlace {
  readonly place: number;
  readonly sealedThrough: number;
}

/** Returns the place of a movement in the tree of its commerce if it is sealed. Takes the tile that it is in, and at most 255 rows. */
async function readPlace(db: Db, commerceId: number, id: number): Promise<SealedPlace | undefined> {
  const { rows } = await sql<SealedPlace>`-- read-place-in-seals
    select l.through_id as "sealedThrough",
           t.index * ${TILE}::bigint + (select count(*)
                                          from movements m
                                         where m.commerce_id = ${commerceId} and m.id > t.after_id and m.id < ${id}) as place
      from seal_logs l
     cross join lateral (
             select s.index, s.after_id
               from seal_tiles s
              where s.commerce_id = ${commerceId} and s.level = 0 and s.after_id < ${id}
              order by s.after_id desc
              limit 1) t
     where l.commerce_id = ${commerceId} and l.through_id >= ${id}`.execute(db);
  return rows[0];
}

/** Returns the places of movements in the tree of their commerce, as far as they are sealed. */
async function readPlaces(
  db: Db,
  commerceId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: number; place: number }>`-- read-places-in-seals
    select i.id, t.index * ${TILE}::bigint + (select count(*)
                                                from movements m
                                               where m.commerce_id = ${commerceId} and m.id > t.after_id and m.id < i.id) as place
      from unnest(${ids}::bigint[]) as i(id)
      join seal_logs l on l.commerce_id = ${commerceId} and l.through_id >= i.id
     cross join lateral (
             select s.index, s.after_id
               from seal_tiles s
              where s.commerce_id = ${commerceId} and s.level = 0 and s.after_id < i.id
              order by s.after_id desc
              limit 1) t`.execute(db);
  return new Map(rows.map(({ id, place }) => [id, place]));
}
