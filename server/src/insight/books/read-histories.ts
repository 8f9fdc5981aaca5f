/** Reads the books of many people in one pass: PostgreSQL sorts the rows by person, and one history at a time is in memory. */
import { add, toMilliseconds, type CopiedRow, type Figure } from '#db/copy-out.ts';
import { sql, type Sql, type Tx } from '#db/database.ts';
import type { Line } from '#points/line.ts';
import {
  lotOf,
  type HeldTier,
  type History,
  type Lifetime,
  type Lot,
  type Movement,
  type Pending,
  type Snapshot,
  type Split,
  type StoredCard,
  type StoredFull,
  type Sums,
} from './history.ts';

/** Some people of one commerce, or all that follow one another in the order of commerces and members. */
export type People = SomePeople | Stretch;

interface SomePeople {
  readonly commerceIds: readonly [number];
  readonly memberIds: readonly number[];
}

interface Stretch {
  readonly commerceIds: readonly number[];
  /** The first of them, and the first of those after them. Null for the end of the order. */
  readonly from: Place | null;
  readonly before: Place | null;
}

export interface Place {
  readonly commerceId: number;
  readonly memberId: number;
}

/**
 * Passes the history of each person to `read`, in the order of their ids. PostgreSQL sorts by these alone, because each further column
 * takes it half a microsecond a row.
 */
export async function readHistories(tx: Tx, people: People, read: (history: History) => void): Promise<void> {
  const readSplit = remember(splitOf);
  const readSnapshot = remember(snapshotOf);
  // Of people with one id. Each commerce has ids of its own, unless somebody has tampered with them.
  let drafts: Draft[] = [];
  const readAll = () => {
    for (const draft of drafts) {
      draft.movements.sort((a, b) => a.id - b.id);
      read(draft);
    }
  };
  await tx.copyOut(rowsOf(people), (row) => {
    const memberId = Number(row.integer());
    const commerceId = Number(row.integer());
    if (drafts[0]?.memberId !== memberId) {
      readAll();
      drafts = [];
    }
    let draft = drafts.find((one) => one.commerceId === commerceId);
    if (draft === undefined) {
      draft = {
        commerceId,
        memberId,
        stored: null,
        tier: null,
        joinedAt: null,
        isErased: false,
        remainder: null,
        movedOn: null,
        held: [],
        pending: [],
        cards: [],
        full: [],
        sealed: null,
        movements: [],
      };
      drafts.push(draft);
    }
    takeRow(draft, row, readSplit, readSnapshot);
  });
  readAll();
}

interface Draft extends History {
  stored: Lifetime | null;
  tier: HeldTier | null;
  joinedAt: number | null;
  isErased: boolean;
  remainder: History['remainder'];
  movedOn: string | null;
  sealed: Sums | null;
  readonly held: Lot[];
  readonly pending: Pending[];
  readonly cards: StoredCard[];
  readonly full: StoredFull[];
  readonly movements: Movement[];
}

const SOURCES = { movement: 0, member: 1, balance: 2, sealed: 3, pending: 4, card: 5, full: 6 } as const;

/** The rows of a person come together. */
function rowsOf(people: People): Sql {
  const source = (name: keyof typeof SOURCES) => sql`${sql.lit(SOURCES[name])}::smallint`;
  const movements = (among: Sql) => sql`
    select member_id, commerce_id, ${source('movement')}, points, points_earned, amount, purchases::bigint, id, null::date, null::boolean,
           type, at, recorded_at, split, snapshot, balance_after, branch_id, register_id, reverses_id, voucher_code, event, note, digest, lines
      from movements
      left join (select commerce_id as notes_of, movement_id, digest from seal_notes) n on notes_of = commerce_id and movement_id = id
      left join (select commerce_id as lines_of, purchase_id, lines from purchase_lines) l on lines_of = commerce_id and purchase_id = id
     where ${among}`;
  return sql`
    ${'memberIds' in people ? byIndex(movements, people) : movements(among(people, sql`member_id`))}
    union all
    select id, commerce_id, ${source('member')}, remainder, points_earned, amount_spent, purchases, remainder_since, moved_on, tier_pinned,
           tier_id, enrolled_at, erased_at, ${nulls(7)}, tier_beneath, ${nulls(3)}
      from members where ${among(people, sql`id`)}
    union all
    select member_id, commerce_id, ${source('sealed')}, points, points_earned, amount, purchases, movements, ${nulls(16)}
      from seal_members where ${among(people, sql`member_id`)}
    union all
    select member_id, commerce_id, ${source('balance')}, points, null, null, null, null, expires_on, moving, ${nulls(14)}
      from balances where ${among(people, sql`member_id`)}
    union all
    select member_id, commerce_id, ${source('pending')}, points, null, null, null, purchase_id, null, null, becomes, due_at, ${nulls(12)}
      from pending_points where ${among(people, sql`member_id`)}
    union all
    select member_id, commerce_id, ${source('card')}, have, filled, card, null, null, ends_on, ended, stamp_id, stamped_at, ${nulls(12)}
      from stamp_cards where ${among(people, sql`member_id`)}
    union all
    select member_id, commerce_id, ${source('full')}, need, ordinal, code, null, purchase_id, null, null, stamp_id, taken_at, ${nulls(8)}, benefit_id, ${nulls(3)}
      from full_cards where ${among(people, sql`member_id`)}
     order by 1`;
}

/** The columns that a row does not have. */
function nulls(count: number): Sql {
  return sql.join(Array.from({ length: count }, () => sql`null`));
}

function among(people: People, member: Sql): Sql {
  const inCommerces = sql`commerce_id in (${sql.join(people.commerceIds.map(sql.lit))})`;
  if ('memberIds' in people)
    return sql`${inCommerces} and ${member} in (${sql.join(people.memberIds.map(sql.lit))})`;
  const { from, before } = people;
  const place = ({ commerceId, memberId }: Place) => sql`(${sql.lit(commerceId)}, ${sql.lit(memberId)})`;
  return sql`${inCommerces}
       ${from === null ? sql`` : sql`and (commerce_id, ${member}) >= ${place(from)}`}
       ${before === null ? sql`` : sql`and (commerce_id, ${member}) < ${place(before)}`}`;
}

/** Two indexes have the movements of a person: one those of the activity, the other what was written off. */
function byIndex(movements: (among: Sql) => Sql, people: SomePeople): Sql {
  const theirs = among(people, sql`member_id`);
  const written = sql`('expiry', 'redate')`;
  return sql`${movements(sql`${theirs} and type not in ${written}`)}
    union all ${movements(sql`${theirs} and type in ${written}`)}`;
}

function takeRow(draft: Draft, row: CopiedRow, readSplit: Parse<Split>, readSnapshot: Parse<Snapshot>): void {
  const source = row.small();
  const points = row.integer()!;
  const pointsEarned = row.integer()!;
  const amount = row.integer();
  const purchases = row.integer()!;
  const id = row.integer();
  const day = row.day();
  const moving = row.boolean();
  switch (source) {
    case SOURCES.member:
      draft.stored = { points: pointsEarned, amount: amount!, purchases };
      draft.movedOn = day;
      draft.remainder = id === null ? null : { thousandths: points, since: Number(id) };
      readMember(draft, row, moving!);
      return;
    case SOURCES.balance:
      draft.held.push(lotOf(day!, moving!, points));
      return;
    case SOURCES.sealed:
      draft.sealed = { movements: id!, points, pointsEarned, amount: amount!, purchases };
      return;
    case SOURCES.pending: {
      const becomes = row.text()!;
      draft.pending.push({ purchaseId: Number(id), points, becomes, dueAt: toMilliseconds(row.integer()!) });
      return;
    }
  }
  if (source === SOURCES.card || source === SOURCES.full) {
    const stampId = row.text()!;
    const at = row.integer();
    const atMs = at === null ? null : toMilliseconds(at);
    if (source === SOURCES.card)
      draft.cards.push({
        stampId,
        card: Number(amount),
        have: Number(points),
        endsOn: day,
        stampedAt: atMs,
        filled: Number(pointsEarned),
        ended: moving!,
      });
    else draft.full.push(readFull(row, { stampId, points, pointsEarned, amount, id, takenAt: atMs }));
    return;
  }
  const type = row.text() ?? '';
  const atMicros = row.integer();
  const recordedAtMicros = row.integer();
  const splitJson = row.json() ?? 'null';
  const snapshotJson = row.json();
  const balanceAfter = row.integer();
  const branchId = row.integer();
  const registerId = row.integer();
  const reversesId = row.integer();
  draft.movements.push({
    id: Number(id),
    memberId: draft.memberId,
    type,
    at: toMilliseconds(atMicros ?? 0),
    atMicros,
    recordedAtMicros,
    points,
    pointsEarned,
    amount,
    purchases,
    split: readSplit(splitJson),
    splitJson,
    snapshot: snapshotJson === null ? null : readSnapshot(snapshotJson),
    snapshotJson,
    balanceAfter,
    branchId,
    registerId,
    reversesId: reversesId === null ? null : Number(reversesId),
    voucherCode: row.integer(),
    event: row.text(),
    note: row.text(),
    noteDigest: row.bytes()?.toString('hex') ?? null,
    lines: linesOf(row.json()),
  });
}

function readFull(
  row: CopiedRow,
  {
    stampId,
    points,
    pointsEarned,
    amount,
    id,
    takenAt,
  }: Record<'points' | 'pointsEarned' | 'amount' | 'id', Figure | null> &
    Pick<StoredFull, 'stampId' | 'takenAt'>,
): StoredFull {
  // The columns of movements between them.
  for (let column = 0; column < 8; column++) row.bytes();
  return {
    stampId,
    ordinal: Number(pointsEarned),
    need: Number(points),
    purchaseId: Number(id),
    takenAt,
    benefit: row.text(),
    code: amount === null ? null : Number(amount),
  };
}

function readMember(draft: Draft, row: CopiedRow, isPinned: boolean): void {
  const id = row.text();
  const joinedAtMicros = row.integer();
  draft.joinedAt = joinedAtMicros === null ? null : toMilliseconds(joinedAtMicros);
  draft.isErased = row.integer() !== null;
  if (id === null && !isPinned) return;
  // The columns of movements between them.
  for (let column = 0; column < 7; column++) row.bytes();
  draft.tier = { id, isPinned, beneath: row.text() };
}

type Parse<T> = (json: string) => T;

/** Reads equal texts once: few movements differ in their days or in the inputs of their computation. */
function remember<T>(parse: (json: unknown) => T): Parse<T> {
  const remembered = new Map<string, T>();
  return (text) => {
    let parsed = remembered.get(text);
    if (parsed === undefined) {
      if (remembered.size === MOST_TEXTS) remembered.clear();
      parsed = parse(JSON.parse(text));
      remembered.set(text, parsed);
    }
    return parsed;
  };
}

/** Some 50 MB. */
const MOST_TEXTS = 50_000;

function splitOf(json: unknown): Split {
  const lots = Array.isArray(json) ? json.map(readLot) : [null];
  if (!lots.every((lot) => lot !== null)) return { lots: [], sum: 0, unreadable: JSON.stringify(json) };
  return { lots, sum: lots.reduce<Figure>((sum, lot) => add(sum, lot.points), 0), unreadable: null };
}

function readLot(json: unknown): Lot | null {
  if (!Array.isArray(json) || json.length !== 3) return null;
  const [expiresOn, moving, points] = json as unknown[];
  const isRead = typeof expiresOn === 'string' && typeof moving === 'boolean' && Number.isInteger(points);
  return isRead ? lotOf(expiresOn, moving, points as number) : null;
}

function linesOf(json: string | null): readonly Line[] | null {
  const read: unknown = json === null ? null : JSON.parse(json);
  return Array.isArray(read) ? (read as Line[]) : null;
}

function snapshotOf(json: unknown): Snapshot {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Snapshot) : null;
}
