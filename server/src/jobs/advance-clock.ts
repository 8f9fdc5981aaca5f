import type { Actor } from '#audit/audited.ts';
import { noteInAudit } from '#audit/note-in-audit.ts';
import { startOfDay } from '#calendar/calendar.ts';
import { moveClock } from '#commerces/clock.ts';
import { commerceIdOf, readCommerce, type Commerce } from '#commerces/commerce.ts';
import { readDuration } from '#calendar/duration.ts';
import type { Database } from '#db/database.ts';
import { Refusal } from '../refusal.ts';
import type { JobFailure } from './failures.ts';
import { nextDueDays } from './next-due-days.ts';
import { jobNames, runDueJobs, type JobName } from './run-jobs.ts';

/** The result of moving a clock. */
export interface Advanced {
  readonly from: Date;
  readonly to: Date;
  /** How many members each job changed on the way. */
  readonly jobs: Readonly<Record<JobName, number>>;
  /** The members for whom a job failed on the way. The jobs were done for all others. */
  readonly failures: readonly (JobFailure & { readonly job: JobName })[];
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
  const to = laterBy(commerce, duration);
  if (actor !== null)
    await noteInAudit(database, actor, {
      action: 'clock.advance',
      before: { now: commerce.now },
      after: { now: to },
    });

  const counts = Object.fromEntries(jobNames.map((name) => [name, 0])) as Record<JobName, number>;
  const failures = new Map<string, JobFailure & { job: JobName }>();
  const run = async (names?: readonly JobName[]) => {
    const done = await runDueJobs(database, commerce.id, names);
    for (const name of jobNames) {
      counts[name] += done[name]?.members ?? 0;
      for (const failure of done[name]?.failures ?? [])
        failures.set(`${name}/${failure.memberId}`, { ...failure, job: name });
    }
  };
  await run();
  for (;;) {
    const next = await nextInstant(database, commerce.id);
    if (next === null || next.at >= to) break;
    await moveClock(database, commerce.id, next.at);
    await run(next.names);
  }
  await moveClock(database, commerce.id, to);
  await run();
  return { from: commerce.now, to, jobs: counts, failures: [...failures.values()] };
}

function laterBy({ now, rules }: Commerce, text: string): Date {
  const duration = readDuration(text);
  if (duration === null && /^\s*-/.test(text)) throw new ClockRefused('A clock cannot be moved backwards.');
  if (duration === null || duration.blank) {
    throw new ClockRefused(
      `"${text}" is not a valid duration. Write for example 36h, 400d, 2 weeks, 13 months or 1 year.`,
    );
  }
  const start = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(rules.timeZone);
  const end = start.add(duration);
  if (end.year > 9000)
    throw new ClockRefused('The date would be after the year 9000, which is not supported.');
  return new Date(end.epochMilliseconds);
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
