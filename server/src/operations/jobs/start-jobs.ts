import type { FastifyBaseLogger } from 'fastify';
import { sql, type Database } from '#db/database.ts';
import { takeUnlogged } from '#rewards/withheld-rewards.ts';
import { describeJobFailure, shortened, type JobFailure } from './failures.ts';
import { DEFAULT_SETTINGS, type JobSettings } from './job.ts';
import { jobNames, runJob, type JobName } from './run-jobs.ts';

// Readers never wait for a job, so a few minutes are soon enough. In every time zone, a day ends on a quarter of an
// hour.
const EVERY_MS = 5 * 60 * 1000;
const LEASE_MINUTES = 15;

type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;

export interface RunningJobs {
  /** Ends the running job after its current transaction. */
  stop(): Promise<void>;
}

/**
 * Runs the jobs again and again until it is stopped. If there are several processes, a lease in the database lets one
 * at a time run each job. Two runs at once would do no harm. Failed work is tried again in every round. A failure is
 * logged once, and again only if it goes away and comes back, or its error changes.
 */
export function startJobs(
  database: Database,
  log: Log,
  { everyMs = EVERY_MS, ...settings }: Partial<JobSettings> & { everyMs?: number } = {},
): RunningJobs {
  const stopping = new AbortController();
  const logged = new Map<string, string>();
  let running = Promise.resolve();
  const runAll = async () => {
    for (const name of jobNames) {
      if (!stopping.signal.aborted)
        await runLeased(database, name, { log, logged }, everyMs, {
          signal: stopping.signal,
          settings: { ...DEFAULT_SETTINGS, ...settings },
        });
    }
    await logWithheld(database, log);
  };
  const round = () => {
    running = running.then(runAll);
  };
  const timer = setInterval(round, everyMs);
  round();
  return {
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await running;
    },
  };
}

async function runLeased(
  database: Database,
  name: JobName,
  { log, logged }: { log: Log; logged: Map<string, string> },
  everyMs: number,
  options: { readonly signal: AbortSignal; readonly settings: JobSettings },
): Promise<void> {
  const began = performance.now();
  const end = (error: string | null, finished: boolean) =>
    release(database, name, { error, finished, seconds: (performance.now() - began) / 1000 });
  try {
    if (!(await lease(database, name, everyMs))) return;
    const { members, failures } = await runJob(database, name, undefined, options);
    await end(failures.length === 0 ? null : shortened(failures.map(describeJobFailure)), true);
    logFailures(name, failures, log, logged);
    if (members > 0) log.info({ job: name, count: members }, 'job done');
  } catch (error) {
    if (!database.trouble.note(error)) log.error({ err: error, job: name }, 'job failed');
    await end(String(error), false).catch(() => {}); // the lease expires on its own
  }
}

/** Logs the failures that were not logged before. Failures that are over can be logged again. */
function logFailures(name: JobName, failures: readonly JobFailure[], log: Log, logged: Map<string, string>) {
  const keyOf = ({ commerceId, memberId }: JobFailure) => `${name}/${commerceId}/${memberId}`;
  const current = new Set(failures.map(keyOf));
  for (const key of logged.keys()) if (key.startsWith(`${name}/`) && !current.has(key)) logged.delete(key);
  for (const failure of failures) {
    const { commerceId, commerce, memberId, error } = failure;
    if (logged.get(keyOf(failure)) === describeJobFailure(failure)) continue;
    logged.set(keyOf(failure), describeJobFailure(failure));
    log.error({ err: error, job: name, commerceId, commerce, memberId }, 'job failed for a commerce');
  }
}

/** Logs each withheld reward once, whether a job or a request withheld it. */
async function logWithheld(database: Database, log: Log): Promise<void> {
  try {
    for (const withheld of await takeUnlogged(database)) {
      const { event, benefit, reason } = withheld;
      log.warn(withheld, `the ${event} reward gave nothing: its benefit ${benefit} is ${reason}`);
    }
  } catch (error) {
    if (!database.trouble.note(error)) log.error({ err: error }, 'could not log withheld rewards');
  }
}

/**
 * Takes a job for this process. Returns false if another process is running it, or ran it within the last half
 * interval.
 */
async function lease(database: Database, name: JobName, everyMs: number): Promise<boolean> {
  const { rows } = await sql`-- lease-job
    insert into jobs as j (name, leased_until, started_at)
    values (${name}, now() + make_interval(mins => ${LEASE_MINUTES}), now())
        on conflict (name) do update
       set leased_until = excluded.leased_until, started_at = excluded.started_at
     where (j.leased_until is null or j.leased_until < now())
       and (j.started_at is null or j.started_at < now() - make_interval(secs => ${everyMs / 2000}))
    returning 1`.execute(database);
  return rows.length === 1;
}

interface Round {
  /** Null if it did all its work. */
  readonly error: string | null;
  /** False if it was cut short, so that the next round takes up all of its work. */
  readonly finished: boolean;
  readonly seconds: number;
}

async function release(
  database: Database,
  name: JobName,
  { error, finished, seconds }: Round,
): Promise<void> {
  await sql`-- release-job
    update jobs
       set leased_until = null, last_error = ${error}, ran_seconds = ${seconds},
           finished_at = case when ${finished} then now() else finished_at end,
           failing_since = case when ${error !== null} then coalesce(failing_since, now()) end
     where name = ${name}`.execute(database);
}
