import type { FastifyBaseLogger } from 'fastify';
import { Refusal } from '#base/refusal.ts';
import { refuseUnnamedCluster } from '#db/cluster/refuse-unnamed-cluster.ts';
import { sql, type Database } from '#db/database.ts';
import { takeUnlogged } from '#rewards/withheld-rewards.ts';
import { describeJobFailure, shortened, type JobFailure } from './failures.ts';
import { DEFAULT_SETTINGS, HELD_UP, type JobSettings } from './job.ts';
import { jobNames, runJob, type JobName } from './run-jobs.ts';

// Readers never wait for a job, so a few minutes are soon enough. In every time zone, a day ends on a quarter of an
// hour.
const EVERY_MS = 5 * 60 * 1000;
/** These run one after the other. The check of large books takes hours, so no other job waits for it. */
const CHAINS: readonly (readonly JobName[])[] = [jobNames.filter((name) => name !== 'verify'), ['verify']];
/** So long after a process has died, another runs its job. */
const LEASE_MS = 15 * 60 * 1000;

type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;

export interface RunningJobs {
  /** Ends the running job after its current transaction. */
  stop(): Promise<void>;
}

/**
 * Runs the jobs again and again until it is stopped. If there are several processes, a lease in the database lets one
 * at a time run each job, however long it takes. Two runs at once would do no harm, but all the work twice. Failed work is tried again in every round. A failure is
 * logged once, and again only if it goes away and comes back, or its error changes.
 */
export function startJobs(
  database: Database,
  log: Log,
  {
    everyMs = EVERY_MS,
    leaseMs = LEASE_MS,
    ...settings
  }: Partial<JobSettings> & { everyMs?: number; leaseMs?: number } = {},
): RunningJobs {
  const stopping = new AbortController();
  const logged = new Map<string, string>();
  const running = CHAINS.map(() => Promise.resolve());
  const runAll = async (names: readonly JobName[], mayRun: Promise<boolean>) => {
    if (!(await mayRun)) return;
    for (const name of names) {
      if (!stopping.signal.aborted)
        await runLeased(
          database,
          name,
          { log, logged },
          { everyMs, leaseMs },
          {
            signal: stopping.signal,
            settings: { ...DEFAULT_SETTINGS, ...settings },
          },
        );
    }
    await logWithheld(database, log);
  };
  const round = () => {
    const mayRun = isNamedRight(database, log);
    for (const [i, names] of CHAINS.entries()) running[i] = running[i]!.then(() => runAll(names, mayRun));
  };
  const timer = setInterval(round, everyMs);
  round();
  return {
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}

/** The database may have been made a cluster since the start. Jobs that do not know would leave out what is prepared there. */
async function isNamedRight(database: Database, log: Log): Promise<boolean> {
  try {
    await refuseUnnamedCluster(database);
  } catch (error) {
    // Whatever else it is, the jobs find it, too.
    if (!(error instanceof Refusal)) return true;
    log.error({ err: error }, 'no job runs');
    return false;
  }
  return true;
}

async function runLeased(
  database: Database,
  name: JobName,
  { log, logged }: { log: Log; logged: Map<string, string> },
  { everyMs, leaseMs }: { everyMs: number; leaseMs: number },
  options: { readonly signal: AbortSignal; readonly settings: JobSettings },
): Promise<void> {
  const began = performance.now();
  let lease: Lease | null = null;
  const end = async (round: Omit<Round, 'seconds'>) => {
    const seconds = (performance.now() - began) / 1000;
    if (lease !== null) await release(database, lease, { ...round, seconds });
  };
  // One that fails leaves time for the next.
  const renewing = setInterval(() => {
    if (lease !== null) void renew(database, lease, leaseMs).catch(() => {});
  }, leaseMs / 5);
  try {
    lease = await take(database, name, { everyMs, leaseMs });
    if (lease === null) return;
    const { members, failures, isHeldUp = false } = await runJob(database, name, undefined, options);
    const problems = [...(isHeldUp ? [HELD_UP] : []), ...failures.map(describeJobFailure)];
    await end({
      problem: problems.length === 0 ? null : shortened(problems),
      failed: failures.length > 0,
      finished: !isHeldUp && !options.signal.aborted,
    });
    logFailures(name, failures, log, logged);
    if (members > 0) log.info({ job: name, count: members }, 'job done');
  } catch (error) {
    const failed = !options.signal.aborted;
    if (failed && !database.trouble.note(error)) log.error({ err: error, job: name }, 'job failed');
    // If this fails too, the lease expires on its own.
    await end({ problem: failed ? String(error) : null, failed, finished: false }).catch(() => {});
  } finally {
    clearInterval(renewing);
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

/** A job that one process runs. */
interface Lease {
  readonly name: JobName;
  /** Told apart by its start from that of a process that took the job over. In microseconds, as text. */
  readonly startedAt: string;
}

/** Takes a job for this process. Returns null if another process is running it, or ran it within the last half interval. */
async function take(
  database: Database,
  name: JobName,
  { everyMs, leaseMs }: { everyMs: number; leaseMs: number },
): Promise<Lease | null> {
  const { rows } = await sql<Lease>`-- lease-job
    insert into jobs as j (name, leased_until, started_at)
    values (${name}, now() + make_interval(secs => ${leaseMs / 1000}), now())
        on conflict (name) do update
       set leased_until = excluded.leased_until, started_at = excluded.started_at
     where (j.leased_until is null or j.leased_until < now())
       and (j.started_at is null or j.started_at < now() - make_interval(secs => ${everyMs / 2000}))
    returning name, started_at::text as "startedAt"`.execute(database);
  return rows[0] ?? null;
}

/** A round over very many commerces takes longer than a process that has died may hold up its job. */
async function renew(database: Database, { name, startedAt }: Lease, leaseMs: number): Promise<void> {
  await sql`-- renew-lease-of-job
    update jobs
       set leased_until = now() + make_interval(secs => ${leaseMs / 1000})
     where name = ${name} and started_at = ${startedAt}::timestamptz and leased_until is not null`.execute(
    database,
  );
}

interface Round {
  /** Where it failed or what held it up, in words. Null if neither happened. */
  readonly problem: string | null;
  readonly failed: boolean;
  /** True if it reached all commerces. The next round takes up what one that was held up or stopped has left. */
  readonly finished: boolean;
  readonly seconds: number;
}

/**
 * A round that did not reach all commerces leaves what is known about the others: a failure is not over because nobody looked. Changes
 * nothing if another process has taken the job over meanwhile.
 */
async function release(
  database: Database,
  { name, startedAt }: Lease,
  { problem, failed, finished, seconds }: Round,
): Promise<void> {
  await sql`-- release-job
    update jobs
       set leased_until = null, ran_seconds = ${seconds},
           last_error = case when ${finished || problem !== null} then ${problem} else last_error end,
           finished_at = case when ${finished} then now() else finished_at end,
           failing_since = case when ${failed} then coalesce(failing_since, now())
                                when ${!finished} then failing_since end
     where name = ${name} and started_at = ${startedAt}::timestamptz`.execute(database);
}
