import { type Database } from '#db/database.ts';
import { birthdays } from './birthdays.ts';
import { expirePoints } from './expire-points.ts';
import { expireTiers } from './expire-tiers.ts';
import type { Job } from './job.ts';
import { monthlyTop } from './monthly-top.ts';
import { reminders } from './reminders.ts';

/** In the order in which they run: what has ended is settled before anything new is given. */
export const jobs = {
  'expire-points': expirePoints,
  'expire-tiers': expireTiers,
  birthdays,
  'monthly-top': monthlyTop,
  reminders,
} as const satisfies Record<string, Job>;

export type JobName = keyof typeof jobs;

export const jobNames = Object.keys(jobs) as JobName[];

/** Runs one job, at one commerce or at every open one; gives how many members it touched. */
export async function runJob(
  database: Database,
  name: JobName,
  commerceId?: number,
  signal?: AbortSignal,
): Promise<number> {
  const job: Job = jobs[name];
  const commerceIds = commerceId === undefined ? await job.due(database) : [commerceId];
  let count = 0;
  for (const id of commerceIds) {
    if (signal?.aborted === true) break;
    count += await job.run(database, id, { signal });
  }
  return count;
}

/** Runs jobs in their order, all of them unless some are named, at one commerce or at every open one. */
export async function runDueJobs(
  database: Database,
  commerceId?: number,
  names: readonly JobName[] = jobNames,
): Promise<Partial<Record<JobName, number>>> {
  const counts: Partial<Record<JobName, number>> = {};
  for (const name of names) counts[name] = await runJob(database, name, commerceId);
  return counts;
}
