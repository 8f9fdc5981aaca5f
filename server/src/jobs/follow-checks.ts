import { sql, transaction, type Database, type Db } from '#db/database.ts';
import { findSettledId } from '#points/settled-id.ts';
import { extendLedgerCheck, readLedgerCheck, storeLedgerChecks } from '#ledger/ledger-checks.ts';
import { verifyLedger, verifyPeople } from '#ledger/verify-ledger.ts';

/** What a run of the job has compared at a commerce. */
export interface Followed {
  /** The number of people whose histories were compared. */
  readonly people: number;
  readonly differences: number;
}

/**
 * Compares what a commerce's ledger has got since the last check: the whole history of each person to whom something has happened.
 * Once a day, and the first time, it compares the whole books. Stores the result after each batch of people, so a run that is killed goes on
 * where it came to. Returns null if somebody's transaction took too long.
 */
export async function followChecks(
  database: Database,
  commerceId: number,
  { signal, batch = BATCH }: { readonly signal?: AbortSignal | undefined; readonly batch?: number } = {},
): Promise<Followed | null> {
  const checked = await readLedgerCheck(database, commerceId);
  if (checked === null || !checked.isRecent) return checkWhole(database, commerceId);
  const last = await findSettledId(database, signal);
  if (last === null) return null;
  const followed = { people: 0, differences: 0 };
  for (let after = checked.lastMovement; after < last;) {
    if (signal?.aborted === true) break;
    const next = await readNext(database, commerceId, after, last, batch);
    const differences = await transaction(database, (tx) => verifyPeople(tx, commerceId, next.people), {
      snapshot: true,
    });
    const found = { commerceId, lastMovement: next.to, differences: differences.length };
    await extendLedgerCheck(database, found);
    followed.people += next.people.length;
    followed.differences += differences.length;
    after = next.to;
  }
  return followed;
}

/** The movements of one batch: a fraction of a second, in which the service goes on with its calls. */
const BATCH = 2_000;

/** On a thread of its own, because a large ledger takes seconds of a processor. */
async function checkWhole(database: Database, commerceId: number): Promise<Followed> {
  const { members, differences, checked } = await verifyLedger(database, {
    commerceIds: [commerceId],
    inThread: true,
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
