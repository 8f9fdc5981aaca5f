import type { FastifyBaseLogger } from 'fastify';
import { sql, type Database } from '#db/database.ts';
import { jobNames, runJob, type JobName } from './run-jobs.ts';

// Readers never wait for a job, so minutes are soon enough; a day of any zone ends on a quarter of an hour.
const EVERY_MS = 5 * 60 * 1000;
const LEASE_MINUTES = 15;

export interface RunningJobs {
  /** Ends the job that runs after the transaction that is under way. */
  stop(): Promise<void>;
}

/**
 * Runs the jobs again and again until it is stopped. Of several processes one at a time runs each job, by a lease in
 * the database; two that run it all the same do no harm. A job that fails is logged and tried again.
 */
export function startJobs(
  database: Database,
  log: Pick<FastifyBaseLogger, 'info' | 'error'>,
  everyMs: number = EVERY_MS,
): RunningJobs {
  const stopping = new AbortController();
  let running = Promise.resolve();
  const runAll = async () => {
    for (const name of jobNames) {
      if (!stopping.signal.aborted) await runLeased(database, name, log, everyMs, stopping.signal);
    }
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
  log: Pick<FastifyBaseLogger, 'info' | 'error'>,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (!(await lease(database, name, everyMs))) return;
    const count = await runJob(database, name, undefined, signal);
    await release(database, name, null);
    if (count > 0) log.info({ job: name, count }, 'job done');
  } catch (error) {
    log.error({ err: error, job: name }, 'job failed');
    await release(database, name, String(error)).catch(() => {}); // the lease ends by itself
  }
}

/** Takes a job for this process; false where another runs it, or has run it within half an interval. */
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

async function release(database: Database, name: JobName, error: string | null): Promise<void> {
  await sql`-- release-job
    update jobs
       set leased_until = null, last_error = ${error},
           finished_at = case when ${error}::text is null then now() else finished_at end
     where name = ${name}`.execute(database);
}
