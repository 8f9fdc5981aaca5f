import { type Database } from '#db/database.ts';
import { birthdays } from './birthdays.ts';
import { expirePoints } from './expire-points.ts';
import { expireTiers } from './expire-tiers.ts';
import { expiringCodes } from './expiring-codes.ts';
import { noteFailure, noteRecovery, readFailing, type JobFailure } from './failures.ts';
import { HeldUp, PartlyFailed, type Job, type JobSettings } from './job.ts';
import { monthlyTop } from './monthly-top.ts';
import { pendingPoints } from './pending-points.ts';
import { reminders } from './reminders.ts';
import { reports } from './reports.ts';
import { retention } from './retention.ts';
import { verify } from './verify.ts';
import { seal } from './seal.ts';

/** In the order in which they run: what became available can expire, and expiries come before anything new is given. */
export const jobs = {
  'pending-points': pendingPoints,
  'expire-points': expirePoints,
  'expire-tiers': expireTiers,
  birthdays,
  'monthly-top': monthlyTop,
  reminders,
  'expiring-codes': expiringCodes,
  reports,
  retention,
  seal,
  verify,
} as const satisfies Record<string, Job>;

export type JobName = keyof typeof jobs;

export const jobNames = Object.keys(jobs) as JobName[];

/** The result of running a job. */
export interface JobRun {
  /** How many members it changed. */
  readonly members: number;
  readonly failures: readonly JobFailure[];
  /** Its other results, in words. */
  readonly done?: readonly { readonly commerceId: number; readonly what: string }[];
  /** True if an open transaction has ended it before it came to all commerces. */
  readonly isHeldUp?: boolean;
}

/**
 * Runs one job at one commerce, or at every open one. A failure at one commerce does not stop the others. A failed job is due again in the
 * next run.
 * @throws if no commerce can be served because the database is unavailable
 */
export async function runJob(
  database: Database,
  name: JobName,
  commerceId?: number,
  { signal, settings }: { signal?: AbortSignal | undefined; settings?: JobSettings | undefined } = {},
): Promise<JobRun> {
  const job: Job = jobs[name];
  // Its failure must not keep the job from the commerces.
  const ofEverywhere =
    commerceId === undefined ? await errorOf(job.everywhere?.(database, settings, signal)) : null;
  const commerceIds = commerceId === undefined ? await job.due(database, settings) : [commerceId];
  const failing = await readFailing(database, name);
  const failures: JobFailure[] = [];
  const done: { commerceId: number; what: string }[] = [];
  const isStopped = () => signal?.aborted === true;
  let members = 0;
  let isHeldUp = false;
  for (const id of commerceIds) {
    if (isStopped()) break;
    const tell = (what: string) => void done.push({ commerceId: id, what });
    const failingSince = failing.get(id) ?? null;
    try {
      members += await job.run(database, id, { signal, failingSince, settings, tell });
      if (!isStopped() && failing.delete(id)) await noteRecovery(database, name, id);
    } catch (error) {
      // A stop cancels statements and waits for nothing. The next round tries again.
      if (isStopped()) break;
      if (error instanceof HeldUp) {
        isHeldUp = true;
        break;
      }
      if (error instanceof PartlyFailed) members += error.done;
      const noted = await noteFailure(database, name, id, error).catch(() => null);
      if (noted === null) throw error;
      failing.delete(id);
      failures.push(...noted);
    }
  }
  // The job failed here before, and now nothing is due any more.
  if (commerceId === undefined && !isStopped() && !isHeldUp)
    for (const id of failing.keys()) await noteRecovery(database, name, id);
  if (ofEverywhere !== null) throw ofEverywhere;
  return { members, failures, ...(done.length > 0 && { done }), ...(isHeldUp && { isHeldUp }) };
}

async function errorOf(work: Promise<void> | undefined): Promise<Error | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Runs jobs in order, all of them unless some are named, at one commerce or at every open one. */
export async function runDueJobs(
  database: Database,
  commerceId?: number,
  names: readonly JobName[] = jobNames,
): Promise<Partial<Record<JobName, JobRun>>> {
  const runs: Partial<Record<JobName, JobRun>> = {};
  for (const name of names) runs[name] = await runJob(database, name, commerceId);
  return runs;
}
