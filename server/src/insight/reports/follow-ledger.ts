import { addDays, type Day } from '#calendar/calendar.ts';
import { commercesWithRows } from '#db/cluster/commerces-with-rows.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { countMovements, createCalendarOf } from './count-movements.ts';
import { findSettledFor } from '#points/settled-id.ts';

export interface FollowOptions {
  /** How many movements one transaction counts. */
  readonly batch?: number;
  readonly signal?: AbortSignal | undefined;
  /** Is called after each batch with the id up to which the ledger is counted, and the last one. */
  readonly onBatch?: (countedTo: number, last: number) => void;
}

/** Half a second, or two on a busy machine. */
const BATCH = 10_000;
/** Another process may be counting a batch. */
const WAIT_FOR_ANOTHER_MS = 4_500;

/**
 * Counts what a commerce's ledger has got since the last time, batch by batch. A batch stores its figures and how far it came in
 * one transaction, so a run that is killed has counted nothing twice and left nothing out. Of two at once, the second waits and
 * goes on where the first came to. Returns how many movements it counted, or null if somebody's transaction took too long.
 */
export async function followLedger(
  database: Database,
  commerceId: number,
  { batch = BATCH, signal, onBatch }: FollowOptions = {},
): Promise<number | null> {
  const last = await findSettledFor(database, commerceId, signal);
  if (last === null) return null;
  let movements = 0;
  for (;;) {
    const counted = await transaction(database, (tx) => countBatch(tx, commerceId, last, batch), {
      lockTimeoutMs: WAIT_FOR_ANOTHER_MS,
    });
    movements += counted.movements;
    onBatch?.(counted.to, last);
    if (counted.to >= last || signal?.aborted === true) return movements;
  }
}

/** Forgets the figures of a commerce. Reports are right all the same: they count the ledger until the job has done so. */
export async function forgetFigures(tx: Tx, commerceId: number): Promise<void> {
  await sql`-- forget-report-progress
    delete from report_progress where commerce_id = ${commerceId}`.execute(tx);
  await deleteFigures(tx, commerceId);
}

/** Returns the open commerces that have movements which are not counted yet, or whose time zone has changed. */
export async function findUncounted(db: Db): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id
      from ${commercesWithRows}
      left join report_progress r on r.commerce_id = p.commerce_id
     where c.status <> 'closed'
       and (r.time_zone <> c.time_zone
            or exists (select from movements m where m.commerce_id = p.commerce_id and m.id > coalesce(r.counted_to, 0)))
     order by c.id`.execute(db);
  return rows.map((row) => row.id);
}

async function countBatch(
  tx: Tx,
  commerceId: number,
  last: number,
  batch: number,
): Promise<{ movements: number; to: number }> {
  const { countedTo, timeZone } = await lockProgress(tx, commerceId);
  if (countedTo >= last) return { movements: 0, to: countedTo };
  const next = await readNext(tx, commerceId, countedTo, last, batch);
  if (next.days.length > 0) {
    // A local day is the day in UTC or one beside it, and each day needs an end. The clock of a sandbox may have gone through
    // thousands of years on which nothing happened, so only these days are listed.
    const around = next.days.flatMap((day) => [-1, 0, 1, 2].map((days) => addDays(day, days)));
    const calendar = createCalendarOf([...around, ...next.countedDays], timeZone);
    const stretch = { commerceId, after: countedTo, upTo: next.to };
    await sql`
      with ${countMovements(stretch, calendar)}, days as (
        insert into report_days as d (commerce_id, day, kind, movements, points, amount)
        select ${commerceId}::bigint, day, kind, movements, points, amount from counted_days
            on conflict (commerce_id, day, kind) do update
           set movements = d.movements + excluded.movements, points = d.points + excluded.points,
               amount = d.amount + excluded.amount
      )
      insert into report_active as a (commerce_id, day, before, people)
      select ${commerceId}::bigint, day, before, people from counted_active where people <> 0
          on conflict (commerce_id, day, before) do update set people = a.people + excluded.people`.execute(
      tx,
    );
  }
  await sql`-- store-report-progress
    update report_progress set counted_to = ${next.to}, counted_at = now() where commerce_id = ${commerceId}`.execute(
    tx,
  );
  return { movements: next.movements, to: next.to };
}

/** Locks how far the ledger is counted. Begins anew if the days of the commerce are other ones by now. */
async function lockProgress(tx: Tx, commerceId: number): Promise<{ countedTo: number; timeZone: string }> {
  await sql`-- begin-report-progress
    insert into report_progress (commerce_id, counted_to, time_zone)
    select id, 0, time_zone from commerces where id = ${commerceId}
        on conflict do nothing`.execute(tx);
  const { rows } = await sql<{
    countedTo: number;
    countedIn: string;
    timeZone: string;
  }>`-- lock-report-progress
    select p.counted_to as "countedTo", p.time_zone as "countedIn", c.time_zone as "timeZone"
      from report_progress p
      join commerces c on c.id = p.commerce_id
     where p.commerce_id = ${commerceId}
       for update of p`.execute(tx);
  const { countedTo, countedIn, timeZone } = rows[0]!;
  if (countedIn === timeZone) return { countedTo, timeZone };
  await deleteFigures(tx, commerceId);
  await sql`-- restart-report-progress
    update report_progress set counted_to = 0, time_zone = ${timeZone} where commerce_id = ${commerceId}`.execute(
    tx,
  );
  return { countedTo: 0, timeZone };
}

async function deleteFigures(tx: Tx, commerceId: number): Promise<void> {
  await sql`delete from report_days where commerce_id = ${commerceId}`.execute(tx);
  await sql`delete from report_active where commerce_id = ${commerceId}`.execute(tx);
}

interface Next {
  readonly movements: number;
  /** The id up to which this batch goes. */
  readonly to: number;
  /** The days of its movements, in UTC. */
  readonly days: readonly Day[];
  /** The days that are counted already. */
  readonly countedDays: readonly Day[];
}

async function readNext(
  db: Db,
  commerceId: number,
  after: number,
  last: number,
  batch: number,
): Promise<Next> {
  const { rows } = await sql<Next>`-- next-movements-to-count
    select count(*) as movements,
           case when count(*) < ${batch}::bigint then ${last}::bigint else max(n.id) end as "to",
           coalesce(array_agg(distinct (n.at at time zone 'UTC')::date::text), '{}') as days,
           array(select distinct day::text from report_days where commerce_id = ${commerceId}) as "countedDays"
      from (select id, at
              from movements
             where commerce_id = ${commerceId} and id > ${after} and id <= ${last}
             order by id
             limit ${batch}) n`.execute(db);
  return rows[0]!;
}
