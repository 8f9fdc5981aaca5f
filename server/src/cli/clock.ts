import type { Command } from 'commander';
import { advanceClock } from '#jobs/advance-clock.ts';
import { describeJobFailure } from '#jobs/failures.ts';
import { commandLineActor } from './command-line-actor.ts';
import { findOpenCommerce } from './find-commerce.ts';
import { failureAsJson } from './jobs.ts';
import { jsonOption, printError, printResult, writeExamples, type JsonOption } from './terminal.ts';
import { withDatabase } from './with-database.ts';

export function addClock(program: Command): void {
  const clock = program
    .command('clock')
    .summary('show a clock and move it in a sandbox')
    .description("Show a commerce's clock, and move the clock of a sandbox.")
    .addHelpText('after', writeExamples('clock show cafe-luna', 'clock advance cafe-luna 400d'));
  clock
    .command('show')
    .summary('show the current time of a commerce')
    .description('Show the current time of a commerce.')
    .argument('<commerce>', 'slug or id')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('clock show cafe-luna'))
    .action(runShow);
  clock
    .command('advance')
    .summary("move a sandbox's clock forward")
    .description(
      'Move the clock of a sandbox commerce forward. Everything that falls due on the way happens in order, as if the time had passed. All processes see the new time at once.',
    )
    .argument('<commerce>', 'slug or id')
    .argument('<duration...>', '36h, 400d, 2 weeks, 13 months, 1 year')
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples('clock advance cafe-luna 400d', 'clock advance cafe-luna "13 months"'),
    )
    .action(runAdvance);
}

async function runShow(name: string, options: JsonOption): Promise<void> {
  const { slug, now, today, sandbox, rules } = await withDatabase((database) =>
    findOpenCommerce(database, name),
  );
  printResult(
    options,
    { slug, now, today, time_zone: rules.timeZone, sandbox },
    () =>
      `${slug}: ${writeLocalTime(now, rules.timeZone)}${sandbox ? '' : ' (not a sandbox, so its clock cannot be moved)'}`,
  );
}

async function runAdvance(name: string, duration: string[], options: JsonOption): Promise<void> {
  const { slug, zone, advanced } = await withDatabase(async (database) => {
    const { id, slug, rules } = await findOpenCommerce(database, name);
    return {
      slug,
      zone: rules.timeZone,
      advanced: await advanceClock(database, slug, duration.join(' '), commandLineActor(id)),
    };
  });
  const failures = advanced.failures.map((failure) => ({ job: failure.job, ...failureAsJson(failure) }));
  printResult(options, { slug, ...advanced, failures }, () =>
    [
      `${slug}: ${writeLocalTime(advanced.from, zone)} → ${writeLocalTime(advanced.to, zone)}`,
      ...Object.entries(advanced.jobs).map(([job, members]) => `  ${job.padEnd(14)} ${members}`),
    ].join('\n'),
  );
  if (failures.length > 0) process.exitCode = 1;
  for (const failure of advanced.failures)
    printError(`${failure.job} failed for ${describeJobFailure(failure)}`);
}

function writeLocalTime(at: Date, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toString({ smallestUnit: 'second' });
}
