import { sql, type Database, type Db } from '#db/database.ts';
import { PartlyFailed } from './job.ts';
import type { JobName } from './run-jobs.ts';

/** The failure of a job at a commerce, for one of its members or as a whole. */
export interface JobFailure {
  readonly commerceId: number;
  readonly commerce: string;
  /** Null if the job failed before it reached a member. */
  readonly memberId: number | null;
  readonly error: unknown;
}

/** Describes a failure in one sentence, for logs and terminals. */
export function describeJobFailure({ commerce, memberId, error }: JobFailure): string {
  return `${commerce}${memberId === null ? '' : `, member ${memberId}`}: ${wordsOf(error)}`;
}

/**
 * Returns the commerces at which the last run of a job failed, and since when it has been failing, each by its own
 * clock.
 */
export async function readFailing(db: Db, job: JobName): Promise<Map<number, Date>> {
  const { rows } = await sql<{ commerceId: number; since: Date }>`-- read-failing
    select commerce_id as "commerceId", failing_since as since
      from commerce_jobs
     where job = ${job} and failing_since is not null`.execute(db);
  return new Map(rows.map(({ commerceId, since }) => [commerceId, since]));
}

/** Records that a job failed at a commerce. Of several failures in a row, the first one keeps its time. */
export async function noteFailure(
  database: Database,
  job: JobName,
  commerceId: number,
  error: unknown,
): Promise<JobFailure[]> {
  const broken = error instanceof PartlyFailed ? error.broken : [{ memberId: null, error }];
  const { rows } = await sql<{ slug: string }>`-- note-failure
    with noted as (
      insert into commerce_jobs as j (commerce_id, job, failing_since, last_error)
      select c.id, ${job}, program_now(c.clock_offset), ${shortened(broken.map((one) => wordsOf(one.error)))}
        from commerces c
       where c.id = ${commerceId}
          on conflict (commerce_id, job) do update
         set failing_since = coalesce(j.failing_since, excluded.failing_since), last_error = excluded.last_error
    )
    select slug from commerces where id = ${commerceId}`.execute(database);
  const commerce = rows[0]?.slug ?? String(commerceId);
  return broken.map((one) => ({ commerceId, commerce, ...one }));
}

/** Records that a job succeeded at a commerce again. */
export async function noteRecovery(database: Database, job: JobName, commerceId: number): Promise<void> {
  await sql`-- note-recovery
    update commerce_jobs
       set failing_since = null, last_error = null
     where commerce_id = ${commerceId} and job = ${job}`.execute(database);
}

const MOST_TOLD = 10;

/** Returns the first failures, and how many more there are. */
export function shortened(sentences: readonly string[]): string {
  const more = sentences.length - MOST_TOLD;
  return [...sentences.slice(0, MOST_TOLD), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function wordsOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
