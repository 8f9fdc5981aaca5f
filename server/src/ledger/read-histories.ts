/** Reads the books of many people in one pass: PostgreSQL sorts the rows by person, and one history at a time is in memory. */
import { add, type CopiedRow, type Figure } from '#db/copy-out.ts';
import { sql, type Sql, type Tx } from '#db/database.ts';
import {
  lotOf,
  type History,
  type Lifetime,
  type Lot,
  type Movement,
  type Snapshot,
  type Split,
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

/** Passes the history of each person to `read`, in the order of their commerces and ids. */
export async function readHistories(tx: Tx, people: People, read: (history: History) => void): Promise<void> {
  const readSplit = remember(splitOf);
  const readSnapshot = remember(snapshotOf);
  let history: Draft | null = null;
  await tx.copyOut(rowsOf(people), (row) => {
    const commerceId = Number(row.integer());
    const memberId = Number(row.integer());
    if (history?.memberId !== memberId || history.commerceId !== commerceId) {
      if (history !== null) read(history);
      history = { commerceId, memberId, stored: null, held: [], movements: [] };
    }
    takeRow(history, row, readSplit, readSnapshot);
  });
  if (history !== null) read(history);
}

interface Draft extends History {
  stored: Lifetime | null;
  readonly held: Lot[];
  readonly movements: Movement[];
}

const SOURCES = { movement: 0, member: 1, balance: 2 } as const;

/** The rows of a person come together, the movements among them in the order of their ids. */
function rowsOf(people: People): Sql {
  const [movement, member, balance] = [SOURCES.movement, SOURCES.member, SOURCES.balance].map(
    (source) => sql`${sql.lit(source)}::smallint`,
  );
  const movements = (among: Sql) => sql`
    select commerce_id, member_id, id, ${movement}, points, points_earned, amount, purchases::bigint, type, at, split, snapshot,
           reverses_id, balance_after, null::date, null::boolean
      from movements where ${among}`;
  return sql`
    ${'memberIds' in people ? byIndex(movements, people) : movements(among(people, sql`member_id`))}
    union all
    select commerce_id, id, 0, ${member}, 0, points_earned, amount_spent, purchases, null, null, null, null, null, null, null, null
      from members where ${among(people, sql`id`)}
    union all
    select commerce_id, member_id, 0, ${balance}, points, 0, 0, 0, null, null, null, null, null, null, expires_on, moving
      from balances where ${among(people, sql`member_id`)}
     order by 1, 2, 3`;
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

function takeRow(
  history: Draft,
  row: CopiedRow,
  readSplit: (json: string) => Split,
  readSnapshot: (json: string) => Snapshot,
): void {
  const id = Number(row.integer());
  const source = row.small();
  const points = row.integer()!;
  const pointsEarned = row.integer()!;
  const amount = row.integer();
  const purchases = row.integer()!;
  if (source === SOURCES.member) {
    history.stored = { points: pointsEarned, amount: amount!, purchases };
    return;
  }
  const type = row.text() ?? '';
  const at = row.instant() ?? 0;
  const split = row.json();
  const snapshot = row.json();
  const reversesId = row.integer();
  const balanceAfter = row.integer();
  if (source === SOURCES.balance) {
    history.held.push(lotOf(row.day()!, row.boolean()!, points));
    return;
  }
  history.movements.push({
    id,
    type,
    at,
    points,
    pointsEarned,
    amount,
    purchases,
    split: readSplit(split ?? 'null'),
    snapshot: snapshot === null ? null : readSnapshot(snapshot),
    reversesId: reversesId === null ? null : Number(reversesId),
    balanceAfter,
  });
}

/** Reads equal texts once: few movements differ in their days or in the inputs of their computation. */
function remember<T>(parse: (json: unknown) => T): (text: string) => T {
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

function snapshotOf(json: unknown): Snapshot {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Snapshot) : null;
}
