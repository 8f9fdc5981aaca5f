import { InvalidArgumentError, type Command } from 'commander';
import { jobNames, runJob, type JobName } from '../jobs/run-jobs.ts';
import { findOpenCommerce } from './find-commerce.ts';
import { answer, examples, jsonOption, type Json } from './terminal.ts';
import { withDatabase } from './with-database.ts';

interface Options extends Json {
  readonly commerce?: string;
}

export function addJobs(program: Command): void {
  const jobs = program.command('jobs').description('Runs what happens because time passes.');
  jobs
    .command('run')
    .summary('run one job now')
    .description(
      'Runs one job now, at every commerce or at one. Running it again does nothing that was done before.',
    )
    .argument('<name>', jobNames.join(', '), readName)
    .option('--commerce <commerce>', 'slug or id; without it every open commerce')
    .option(...jsonOption)
    .addHelpText('after', examples('jobs run expire-points', 'jobs run birthdays --commerce cafe-luna'))
    .action(run);
}

function readName(text: string): JobName {
  const name = jobNames.find((name) => name === text);
  if (name === undefined) throw new InvalidArgumentError(`It is one of ${jobNames.join(', ')}.`);
  return name;
}

async function run(job: JobName, options: Options): Promise<void> {
  const members = await withDatabase(async (database) => {
    const commerce =
      options.commerce === undefined ? undefined : await findOpenCommerce(database, options.commerce);
    return runJob(database, job, commerce?.id);
  });
  answer(options, { job, members }, () => `${job}: ${members} ${members === 1 ? 'member' : 'members'}`);
}
