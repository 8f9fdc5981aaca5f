import type { Command } from 'commander';
import { advanceClock } from '../jobs/advance-clock.ts';
import { findOpenCommerce } from './find-commerce.ts';
import { answer, examples, jsonOption, type Json } from './terminal.ts';
import { withDatabase } from './with-database.ts';

export function addClock(program: Command): void {
  const clock = program.command('clock').description('Shows and moves the clock of a sandbox commerce.');
  clock
    .command('show')
    .description('Shows what time it is for the program of a commerce.')
    .argument('<commerce>', 'slug or id')
    .option(...jsonOption)
    .addHelpText('after', examples('clock show cafe-luna'))
    .action(show);
  clock
    .command('advance')
    .summary('move a sandbox on in time')
    .description(
      'Moves the clock of a sandbox commerce on. What falls due on the way happens in order, as if the time had passed; every process sees the new time at once.',
    )
    .argument('<commerce>', 'slug or id')
    .argument('<duration...>', '36h, 400d, 2 weeks, 13 months, 1 year')
    .option(...jsonOption)
    .addHelpText('after', examples('clock advance cafe-luna 400d', 'clock advance cafe-luna "13 months"'))
    .action(advance);
}

async function show(name: string, options: Json): Promise<void> {
  const { slug, now, today, sandbox, rules } = await withDatabase((database) =>
    findOpenCommerce(database, name),
  );
  answer(
    options,
    { slug, now, today, time_zone: rules.timeZone, sandbox },
    () => `${slug}: ${inZone(now, rules.timeZone)}${sandbox ? '' : '; no sandbox, so it cannot be moved'}`,
  );
}

async function advance(name: string, duration: string[], options: Json): Promise<void> {
  const { slug, zone, advanced } = await withDatabase(async (database) => {
    const { slug, rules } = await findOpenCommerce(database, name);
    return {
      slug,
      zone: rules.timeZone,
      advanced: await advanceClock(database, slug, duration.join(' ')),
    };
  });
  answer(options, { slug, ...advanced }, () =>
    [
      `${slug}: ${inZone(advanced.from, zone)} → ${inZone(advanced.to, zone)}`,
      ...Object.entries(advanced.jobs).map(([job, members]) => `  ${job.padEnd(14)} ${members}`),
    ].join('\n'),
  );
}

function inZone(at: Date, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toString({ smallestUnit: 'second' });
}
