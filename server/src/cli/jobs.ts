import { InvalidArgumentError, type Command } from 'commander';
import { describeJobFailure, type JobFailure } from '#jobs/failures.ts';
import { sql, type Db } from '#db/database.ts';
import { HELD_UP } from '#jobs/job.ts';
import { jobNames, runJob, type JobName, type JobRun } from '#jobs/run-jobs.ts';
import { findOpenCommerce } from './find-commerce.ts';
import {
  jsonOption,
  printError,
  printMessage,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { withDatabase } from './with-database.ts';

interface Options extends JsonOption {
  readonly commerce?: string;
}

export function addJobs(program: Command): void {
  const jobs = program
    .command('jobs')
    .summary('run scheduled jobs')
    .description('Run scheduled jobs.')
    .addHelpText('after', writeExamples('jobs run expire-points'));
  jobs
    .command('run')
    .summary('run one job now')
    .description(
      'Run one job now, for every commerce or for one. Running it again does not repeat anything. If the job fails for a commerce or a member, it still runs for all the others, then names the failures and exits with 1.',
    )
    .argument('<name>', jobNames.join(', '), readJobName)
    .option('--commerce <commerce>', 'slug or id (default: every open commerce)')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('jobs run expire-points', 'jobs run birthdays --commerce cafe-luna'))
    .action(runOneJob);
}

function readJobName(text: string): JobName {
  const name = jobNames.find((name) => name === text);
  if (name === undefined) throw new InvalidArgumentError(`It must be one of ${jobNames.join(', ')}.`);
  return name;
}

async function runOneJob(job: JobName, options: Options): Promise<void> {
  const {
    members,
    failures,
    done,
    isHeldUp = false,
  } = await withDatabase(async (database, { unclaimedMonths, orderLinesMonths }) => {
    const commerce =
      options.commerce === undefined ? undefined : await findOpenCommerce(database, options.commerce);
    const run = await runJob(database, job, commerce?.id, {
      settings: { unclaimedMonths, orderLinesMonths },
    });
    return { ...run, done: await withSlugs(database, run.done ?? []) };
  });
  const result = {
    job,
    members,
    ...(done.length > 0 && { done }),
    ...(isHeldUp && { held_up: true }),
    failures: failures.map(failureAsJson),
  };
  printResult(options, result, () =>
    [
      `${job}: ${writeCount(members, 'member')}`,
      ...done.map(({ commerce, what }) => `${commerce}: ${what}`),
    ].join('\n'),
  );
  if (isHeldUp) printMessage(`${HELD_UP} ${job} goes on once it has ended.`);
  if (failures.length > 0) process.exitCode = 1;
  for (const failure of failures) printError(`${job} failed for ${describeJobFailure(failure)}`);
}

async function withSlugs(
  db: Db,
  done: NonNullable<JobRun['done']>,
): Promise<{ commerce: string; what: string }[]> {
  const { rows } = await sql<{ id: number; slug: string }>`
    select id, slug from commerces where id = any(${done.map(({ commerceId }) => commerceId)}::bigint[])`.execute(
    db,
  );
  const slugs = new Map(rows.map(({ id, slug }) => [id, slug]));
  return done.map(({ commerceId, what }) => ({ commerce: slugs.get(commerceId)!, what }));
}

/** Returns a job's failure as commands print it. */
export function failureAsJson({ commerce, memberId, error }: JobFailure) {
  return { commerce, member_id: memberId, error: error instanceof Error ? error.message : String(error) };
}
