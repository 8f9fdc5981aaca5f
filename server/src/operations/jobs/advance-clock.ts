import type { Actor } from '#audit/audited.ts';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { startOfDay } from '#calendar/calendar.ts';
import { moveClock } from '#commerces/clock.ts';
import {
  endClockMove,
  laterBy,
  noteClockMove,
  startClockMove,
  type ClockMove,
} from '#commerces/clock-moves.ts';
import { commerceIdOf, readCommerce, type Commerce } from '#commerces/commerce.ts';
import { readDuration } from '#calendar/duration.ts';
import type { Database } from '#db/database.ts';
import { Refusal } from '#base/refusal.ts';
import type { JobFailure } from './failures.ts';
import { nextDueDays } from './next-due-days.ts';
import { jobNames, runDueJobs, type JobName } from './run-jobs.ts';

/** The counts of things that fell due while a clock moved. */
export interface Due {
  /** How many members each job changed on the way. */
  readonly jobs: Readonly<Record<JobName, number>>;
  /** The members for whom a job failed on the way. The jobs were done for all others. */
  readonly failures: readonly (JobFailure & { readonly job: JobName })[];
}

/** The result of moving a clock. */
export interface Advanced extends Due {
  readonly from: Date;
  readonly to: Date;
}

/** The clock cannot be moved as asked. */
export class ClockRefused extends Refusal {}

/**
 * Moves the clock of a sandbox commerce forward by a duration (`400d`, `13 months`, `2 weeks`, `36h`), with months
 * and days of the commerce's calendar. Jobs that fall due on the way run in order, as if the time had passed. The audit names
 * the actor, if there is one.
 * @throws ClockRefused
 */
export async function advanceClock(
  database: Database,
  slug: string,
  duration: string,
  actor: Actor | null = null,
): Promise<Advanced> {
  const id = await commerceIdOf(database, slug);
  const commerce = id === undefined ? undefined : await readCommerce(database, id);
  if (commerce === undefined || commerce.status === 'closed')
    throw new ClockRefused(`There is no open commerce "${slug}".`);
  if (!commerce.sandbox) {
    throw new ClockRefused(`${slug} is not a sandbox. Its members are real, so its clock cannot be moved.`);
  }
  const to = readTarget(commerce, duration);
  if (actor === null) return { from: commerce.now, to, ...(await runClockTo(database, id!, to)) };
  const move = await auditedTransaction(database, actor, (tx) =>
    startClockMove(tx, commerce, to, actor, { leased: true }),
  );
  return { from: commerce.now, to, ...(await carryOutMove(database, move)) };
}

const HEARTBEAT_MS = 10_000;

/** Carries out a move that somebody asked for, and keeps what fell due. Steps done before an interruption count too. */
export async function carryOutMove(database: Database, move: ClockMove, signal?: AbortSignal): Promise<Due> {
  let reached: ClockMove = move;
  const countUp = ({ jobs, failures }: Due): ClockMove => ({
    ...move,
    due: Object.fromEntries(
      jobNames.flatMap((name) => {
        const members = (move.due[name] ?? 0) + jobs[name];
        return members === 0 ? [] : [[name, members]];
      }),
    ),
    failures: move.failures + failures.length,
  });
  const beating = setInterval(() => {
    noteClockMove(database, reached).catch((error: unknown) => void database.trouble.note(error));
  }, HEARTBEAT_MS);
  try {
    const due = await runClockTo(database, move.commerceId, move.to, async (soFar) => {
      reached = countUp(soFar);
      await noteClockMove(database, reached);
      signal?.throwIfAborted();
    });
    await endClockMove(database, countUp(due), true);
    return due;
  } catch (error) {
    // Without the database, and at the end of the process, the move goes on when its lease is over.
    if (signal?.aborted !== true && !database.trouble.note(error))
      await endClockMove(database, reached, false);
    throw error;
  } finally {
    clearInterval(beating);
  }
}

/** Moves a clock forward from one day on which something falls due to the next. `onStep` is told what fell due so far. */
async function runClockTo(
  database: Database,
  commerceId: number,
  to: Date,
  onStep: (soFar: Due) => Promise<void> = () => Promise.resolve(),
): Promise<Due> {
  const counts = Object.fromEntries(jobNames.map((name) => [name, 0])) as Record<JobName, number>;
  const failures = new Map<string, JobFailure & { job: JobName }>();
  const soFar = () => ({ jobs: counts, failures: [...failures.values()] });
  const run = async (names?: readonly JobName[]) => {
    const done = await runDueJobs(database, commerceId, names);
    for (const name of jobNames) {
      counts[name] += done[name]?.members ?? 0;
      for (const failure of done[name]?.failures ?? [])
        failures.set(`${name}/${failure.memberId}`, { ...failure, job: name });
    }
  };
  await run();
  for (;;) {
    const next = await nextInstant(database, commerceId);
    if (next === null || next.at >= to) break;
    await moveClock(database, commerceId, next.at);
    await run(next.names);
    await onStep(soFar());
  }
  await moveClock(database, commerceId, to);
  await run();
  return soFar();
}

function readTarget(commerce: Commerce, text: string): Date {
  const duration = readDuration(text);
  if (duration === null && /^\s*-/.test(text)) throw new ClockRefused('A clock cannot be moved backwards.');
  if (duration === null || duration.blank) {
    throw new ClockRefused(
      `"${text}" is not a valid duration. Write for example 36h, 400d, 2 weeks, 13 months or 1 year.`,
    );
  }
  const to = laterBy(commerce, duration);
  if (to === null) throw new ClockRefused('The date would be after the year 9000, which is not supported.');
  return to;
}

/**
 * Returns when the next jobs fall due, always at the start of a local day, and which jobs, in order. Returns null if
 * no job will fall due.
 */
async function nextInstant(
  database: Database,
  commerceId: number,
): Promise<{ at: Date; names: JobName[] } | null> {
  const commerce = (await readCommerce(database, commerceId))!;
  const due = await nextDueDays(database, commerce);
  const day = Object.values(due).sort()[0];
  if (day === undefined) return null;
  const names = jobNames.filter((name) => due[name] === day);
  return { at: startOfDay(day, commerce.rules.timeZone), names };
}
