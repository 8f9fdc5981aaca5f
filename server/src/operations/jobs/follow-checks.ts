import { isDatabaseAway } from '#db/database-errors.ts';
import { sql, type Database, type Db } from '#db/database.ts';
import { findSettledFor, findSettledId } from '#points/settled-id.ts';
import {
  extendLedgerCheck,
  findUncheckedWhole,
  readLedgerCheck,
  storeLedgerChecks,
} from '#books/ledger-checks.ts';
import { groupSmallCommerces, verifyLedger, verifyPeople } from '#books/verify-ledger.ts';

/** The comparisons that a run of the job has made at a commerce. */
export interface Followed {
  /** The number of people whose histories were compared. */
  readonly people: number;
  readonly differences: number;
}

interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
  /** New movements that are gone through at a time. */
  readonly batch?: number;
  /** Movements that are read at a time, of the people of these. */
  readonly mostRead?: number;
}

/**
 * Compares what a commerce's ledger has got since the last check: the whole history of each person to whom something has happened.
 * Once a day, and the first time, it compares the whole books. Stores the result after each batch of people, so a run that is killed goes on
 * where it came to. Returns null if somebody's transaction took too long.
 */
export async function followChecks(
  database: Database,
  commerceId: number,
  { signal, batch = BATCH, mostRead = MOST_READ }: FollowOptions = {},
): Promise<Followed | null> {
  const last = await findSettledFor(database, commerceId, signal);
  if (last === null) return null;
  const checked = await readLedgerCheck(database, commerceId);
  if (checked === null || !checked.isRecent) return checkWhole(database, commerceId, signal);
  const followed = { people: 0, differences: 0 };
  for (let after = checked.lastMovement; after < last;) {
    if (signal?.aborted === true) break;
    const next = await readNext(database, commerceId, after, last, batch);
    let differences = 0;
    for (const { memberIds, movements } of await divide(database, commerceId, next.people, mostRead)) {
      // Somebody with so long a history is alone in a group.
      const elsewhere = movements > mostRead;
      const found = await verifyPeople(database, commerceId, memberIds, { elsewhere, signal });
      differences += found.length;
    }
    await extendLedgerCheck(database, { commerceId, lastMovement: next.to, differences });
    followed.people += next.people.length;
    followed.differences += differences;
    after = next.to;
  }
  return followed;
}

/** The movements of one batch: a fraction of a second, in which the service goes on with its calls. */
const BATCH = 2_000;

/** Movements that are read at a time, in half a second. More belong to one person, and are read in another process, so that calls of this one go on. */
const MOST_READ = 50_000;

interface Group {
  readonly memberIds: number[];
  movements: number;
}

/** Divides people into groups that have so many movements together. */
async function divide(
  db: Db,
  commerceId: number,
  people: readonly number[],
  mostRead: number,
): Promise<Group[]> {
  // Expiries are in another index, and there are few of them.
  const { rows } = await sql<{ memberId: number; movements: number }>`-- count-movements-to-check
    select member_id as "memberId", count(*)::integer as movements
      from movements
     where commerce_id = ${commerceId} and member_id = any(${people}::bigint[]) and type not in ('expiry', 'redate')
     group by member_id`.execute(db);
  const movementsOf = new Map(rows.map(({ memberId, movements }) => [memberId, movements]));
  const groups: Group[] = [];
  for (const memberId of people) {
    const movements = movementsOf.get(memberId) ?? 0;
    let last = groups.at(-1);
    if (last === undefined || last.movements + movements > mostRead)
      groups.push((last = { memberIds: [], movements: 0 }));
    last.memberIds.push(memberId);
    last.movements += movements;
  }
  return groups;
}

/**
 * Compares the whole books of all small commerces where they are due, many with the same statements: a small ledger is read in less time than
 * the statements for it are planned. What keeps one of them from being compared is left for its own turn, which names the commerce.
 */
export async function checkSmallCommerces(database: Database, signal?: AbortSignal): Promise<void> {
  const groups = await groupSmallCommerces(database, await findUncheckedWhole(database));
  if (groups.length === 0 || (await findSettledId(database, signal)) === null) return;
  for (const commerceIds of groups) {
    if (signal?.aborted === true) return;
    try {
      const { checked } = await verifyLedger(database, {
        commerceIds,
        parallel: AT_ONCE,
        elsewhere: true,
        signal,
      });
      await storeLedgerChecks(database, checked);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
    }
  }
}

/** On a cluster, where a check of one commerce waits for its machine. On one server a group is too small for processes. */
const AT_ONCE = 4;

/** In a process of its own, because a large ledger takes seconds of a processor. */
async function checkWhole(database: Database, commerceId: number, signal?: AbortSignal): Promise<Followed> {
  const { members, differences, checked } = await verifyLedger(database, {
    commerceIds: [commerceId],
    elsewhere: true,
    signal,
  });
  await storeLedgerChecks(database, checked);
  return { people: members, differences: differences.length };
}

interface Next {
  readonly people: number[];
  /** The id of the last movement of the batch. */
  readonly to: number;
}

async function readNext(
  db: Db,
  commerceId: number,
  after: number,
  last: number,
  batch: number,
): Promise<Next> {
  const { rows } = await sql<Next>`-- next-movements-to-check
    select coalesce(array_agg(distinct n.member_id), '{}') as people,
           case when count(*) < ${batch}::bigint then ${last}::bigint else max(n.id) end as "to"
      from (select id, member_id
              from movements
             where commerce_id = ${commerceId} and id > ${after} and id <= ${last}
             order by id
             limit ${batch}) n`.execute(db);
  const { people, to } = rows[0]!;
  return { people: people.map(Number), to };
}
