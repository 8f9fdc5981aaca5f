import type { Actor, Audited } from '#audit/audited.ts';
import { sql, sqlState, type Database, type Db, type Tx } from '#db/database.ts';
import { Problem } from '#problems/problem.ts';
import { readCommerce, type Commerce } from './commerce.ts';

/** A process that has carried out nothing of a move for so long has ended, and another one continues it. */
const LEASE_SECONDS = 30;

/** The clock of this commerce cannot be moved there. */
export class NotASandbox extends Problem {
  constructor(message = 'only the clock of a sandbox can be moved: the members of this commerce are real') {
    super(409, 'not_a_sandbox', message);
  }
}

/** One move after the other, so that what each made due can be told. */
export class ClockMoving extends Problem {
  constructor() {
    super(409, 'clock_moving', 'the clock is on its way: wait until it has arrived, then move it on');
  }
}

/** Returns the time after a duration of the commerce's calendar. Returns null if it is too far away to be supported. */
export function laterBy({ now, rules }: Commerce, duration: Temporal.Duration): Date | null {
  const start = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(rules.timeZone);
  const end = start.add(duration);
  return end.year > 9_000 ? null : new Date(end.epochMilliseconds);
}

/**
 * Asks for the clock of a sandbox to be moved forward. A process that runs jobs carries it out, because everything that falls
 * due on the way takes a while.
 * @throws NotASandbox
 * @throws ClockMoving
 */
export async function requestClockMove(
  tx: Tx,
  commerceId: number,
  duration: Temporal.Duration,
  by: Actor,
): Promise<Audited<void>> {
  const commerce = await readCommerce(tx, commerceId);
  if (commerce?.sandbox !== true) throw new NotASandbox();
  const to = laterBy(commerce, duration);
  if (to === null) throw new NotASandbox('the date would be after the year 9000, which is not supported');
  return { answer: undefined, entry: (await startClockMove(tx, commerce, to, by)).entry };
}

/** Stores the beginning of a move, with what the audit says about it. `leased` is true if the caller carries it out. @throws ClockMoving */
export async function startClockMove(
  tx: Tx,
  { id: commerceId, now }: Commerce,
  to: Date,
  by: Actor,
  { leased = false }: { readonly leased?: boolean } = {},
): Promise<Audited<ClockMove>> {
  try {
    const { rows } = await sql<{ id: number }>`-- start-clock-move
      insert into clock_moves (commerce_id, actor, staff_id, key_id, from_at, to_at, leased_until)
      values (${commerceId}, ${by.kind}, ${by.kind === 'staff' ? by.staffId : null}, ${by.kind === 'key' ? by.keyId : null},
              ${now}, ${to}, case when ${leased}::boolean then now() + make_interval(secs => ${LEASE_SECONDS}::integer) end)
      returning id`.execute(tx);
    return {
      answer: { commerceId, id: rows[0]!.id, to, due: {}, failures: 0 },
      entry: { action: 'clock.advance', before: { now }, after: { now: to } },
    };
  } catch (error) {
    if (sqlState(error) === '23505') throw new ClockMoving();
    throw error;
  }
}

/** A move that is being carried out. */
export interface ClockMove {
  readonly commerceId: number;
  readonly id: number;
  readonly to: Date;
  /** How many members each job has changed so far. */
  readonly due: Readonly<Record<string, number>>;
  readonly failures: number;
}

/** Takes a move that nobody carries out, or whose process has ended. Returns null if there is none. */
export async function takeClockMove(database: Database): Promise<ClockMove | null> {
  for (const { commerceId, id } of await findWaitingMoves(database)) {
    // If another process was faster, nothing is taken.
    const { rows } = await sql<ClockMove>`-- take-clock-move
      update clock_moves m
         set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}::integer)
       where m.commerce_id = ${commerceId} and m.id = ${id} and ${isWaiting}
      returning m.commerce_id as "commerceId", m.id, m.to_at as "to", m.due, m.failures`.execute(database);
    if (rows[0] !== undefined) return rows[0];
  }
  return null;
}

const isWaiting = sql`m.ended_at is null and (m.leased_until is null or m.leased_until < now())`;

/** Finds the moves that nobody carries out, in the order in which they were asked for. A commerce has one at most. */
async function findWaitingMoves(db: Db): Promise<{ commerceId: number; id: number }[]> {
  const { rows } = await sql<{ commerceId: number; id: number }>`-- find-waiting-clock-moves
    select m.commerce_id as "commerceId", m.id
      from clock_moves m
     where ${isWaiting}
     order by m.at
     limit 100`.execute(db);
  return rows;
}

/** Notes what fell due so far, and keeps the move for this process. */
export async function noteClockMove(database: Database, move: ClockMove): Promise<void> {
  await sql`-- note-clock-move
    update clock_moves
       set due = ${JSON.stringify(move.due)}::json, failures = ${move.failures},
           leased_until = now() + make_interval(secs => ${LEASE_SECONDS}::integer)
     where commerce_id = ${move.commerceId} and id = ${move.id} and ended_at is null`.execute(database);
}

/** Ends a move, whether or not it has arrived. */
export async function endClockMove(database: Database, move: ClockMove, hasArrived: boolean): Promise<void> {
  await sql`-- end-clock-move
    update clock_moves
       set due = ${JSON.stringify(move.due)}::json, failures = ${move.failures}, ended_at = now(),
           has_arrived = ${hasArrived}, leased_until = null
     where commerce_id = ${move.commerceId} and id = ${move.id} and ended_at is null`.execute(database);
}

/** A move as people read about it. */
export interface ListedMove {
  readonly at: Date;
  readonly actor: {
    readonly kind: 'staff' | 'key' | 'command_line';
    readonly name: string | null;
    readonly email: string | null;
  };
  readonly from: Date;
  readonly to: Date;
  readonly due: Readonly<Record<string, number>>;
  readonly failures: number;
  readonly hasArrived: boolean | null;
}

/** Returns the newest moves of a commerce's clock, newest first. */
export async function listClockMoves(db: Db, commerceId: number, most: number): Promise<ListedMove[]> {
  const { rows } = await sql<ListedMove>`-- list-clock-moves
    select m.at, m.from_at as "from", m.to_at as "to", m.due, m.failures, m.has_arrived as "hasArrived",
           jsonb_build_object('kind', m.actor, 'name', coalesce(p.name, k.name), 'email', p.email) as actor
      from clock_moves m
      left join staff s on s.commerce_id = m.commerce_id and s.id = m.staff_id
      left join staff_people p on p.id = s.person_id
      left join api_keys k on k.commerce_id = m.commerce_id and k.id = m.key_id
     where m.commerce_id = ${commerceId}
     order by m.id desc
     limit ${most}`.execute(db);
  return rows;
}
