import { basename } from 'node:path';
import type { Command } from 'commander';
import { noteInAudit } from '#audit/note-in-audit.ts';
import { importMembers, type ImportedMembers, type TriedMembers } from '#enrolment/import-members.ts';
import { exportMembers } from '#exports/export-members.ts';
import { MEMBER_COLUMNS } from '#exports/wire.ts';
import { commandLineActor } from './command-line-actor.ts';
import { addExportCommand } from './export-command.ts';
import { findOpenCommerce } from './find-commerce.ts';
import {
  ignoreOption,
  printLines,
  setExitStatus,
  printWarning,
  writeSubject,
  writeTiers,
} from './import-report.ts';
import { openInput } from './open-input.ts';
import { addPeople } from './people.ts';
import { createProgressBar } from './progress.ts';
import { readCsv } from './read-csv.ts';
import {
  jsonOption,
  printMessage,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { withDatabase } from './with-database.ts';

interface Options extends JsonOption {
  readonly commerce: string;
  readonly welcome?: boolean;
  readonly dryRun?: boolean;
  readonly ignore: readonly string[];
}

export function addMembers(program: Command): void {
  const members = program
    .command('members')
    .summary('manage members')
    .description('Import and export members, and show, change, block or erase one of them.')
    .addHelpText(
      'after',
      writeExamples(
        'members import people.csv --commerce cafe-luna --dry-run',
        'members export --commerce cafe-luna > members.csv',
        'members show --commerce cafe-luna 482915374',
      ),
    );
  members
    .command('import')
    .summary('import members from a CSV file')
    .description('Import existing customers of the shop, with the points that they already have.')
    .argument('<file>', 'CSV file; - reads stdin')
    .requiredOption('--commerce <commerce>', 'slug or id of the commerce')
    .option('--welcome', 'give the welcome reward to new members')
    .option('--dry-run', 'check every line and show what would happen, but store nothing')
    .addOption(ignoreOption())
    .option(...jsonOption)
    .addHelpText('after', FILE_NOTES)
    .addHelpText(
      'after',
      writeExamples(
        'members import people.csv --commerce cafe-luna --dry-run',
        'members import people.csv --commerce cafe-luna',
      ),
    )
    .action(runImport);
  addExportCommand(members, {
    summary: 'write the members to stdout',
    description:
      'Write all members with their balances, in the order of enrolment, as they are at one moment.',
    notes: EXPORT_NOTES,
    examples: [
      'members export --commerce cafe-luna > members.csv',
      'members export --commerce cafe-luna --format jsonl',
    ],
    noun: 'member',
    columns: MEMBER_COLUMNS,
    read: exportMembers,
  });
  addPeople(members);
}

const EXPORT_NOTES = `
\`members import\` reads the columns email, username, birth_date, phone and
points, and ignores the others. The state of a row is member, left, blocked or
erased: leave out the rows of people who should not become members elsewhere.
Points that wait for someone without an account are not exported.

In CSV, a text that a spreadsheet would take for a formula has an apostrophe in
front, which \`members import\` takes away.`;

const FILE_NOTES = `
The first line of the file names its columns:
  email       required; also: email address, mail
  username    name of the person; by default, the part of the address before
              the @; also: name, full name
  birth_date  such as 1990-12-31; also: birthday, date of birth
  phone       with the country code, such as +5491122334455; also: phone
              number, telephone, mobile
  points      opening balance, which counts as earned points; also: points
              balance, balance
Case, blanks, hyphens and underscores in these names make no difference.

An unknown column is refused and nothing is imported, unless --ignore names it.
In a file of \`members export\`, the columns that are not listed above are left
out.

Existing members are not changed, so the same file can be imported again. The
import warns if the file has another balance for them. No mail is sent.

An invalid name, birth date or telephone number is left out with a warning, and
the member is imported without it. Any other bad line is reported by its number,
and the other lines are imported. The exit status is then 3. It is 1 if no line
could be imported or if the file could not be read to its end.

The file must be UTF-8, or nothing is imported. Stdin is checked as it is read,
so rows above a wrong byte may be imported already.`;

const COLUMNS = {
  required: ['email'],
  optional: ['username', 'birth_date', 'phone', 'points'],
  exported: MEMBER_COLUMNS,
  aliases: {
    'email address': 'email',
    'e-mail address': 'email',
    mail: 'email',
    name: 'username',
    'full name': 'username',
    birthday: 'birth_date',
    'date of birth': 'birth_date',
    'phone number': 'phone',
    telephone: 'phone',
    mobile: 'phone',
    'points balance': 'points',
    balance: 'points',
  },
} as const;

async function runImport(file: string, options: Options): Promise<void> {
  const { input, progress } = await openInput(file);
  const bar = createProgressBar();
  const result = await withDatabase(async (database) => {
    const commerce = await findOpenCommerce(database, options.commerce);
    const lines = readCsv(input, COLUMNS, options.ignore, (names) =>
      printMessage(`Ignored columns: ${names.join(', ')}.`),
    );
    if (options.dryRun !== true)
      await noteInAudit(database, commandLineActor(commerce.id), {
        action: 'members.import',
        subject: basename(file),
      });
    return importMembers(database, commerce.id, lines, {
      welcome: options.welcome ?? false,
      dryRun: options.dryRun ?? false,
      onProgress: (rows) => bar.show(progress(), writeCount(rows, 'row')),
    });
  }).finally(() => {
    bar.end();
    input.destroy();
  });
  printReport(result, options);
}

function printReport(result: ImportedMembers | TriedMembers, options: Options): void {
  const { rows, imported, existing, refused, warnings, unchanged, onTop } = result;
  const dryRun = options.dryRun === true;
  printLines(refused, warnings);
  warnOfUnchanged(unchanged);
  warnOfPointsOnTop(onTop, dryRun);
  printResult(options, toJson(result), () => {
    const counts = [
      `${imported} imported`,
      `${existing} already members`,
      `${refused.length} refused`,
      ...(warnings.length > 0 ? [`${writeCount(warnings.length, 'field')} left out`] : []),
    ];
    return [
      `${writeCount(rows, 'row')}: ${counts.join(', ')}`,
      ...writeTiers(result, dryRun),
      ...('points' in result
        ? [
            `${writeCount(result.points, 'point')} of opening balances. This was a dry run: nothing was stored`,
          ]
        : []),
    ].join('\n');
  });
  setExitStatus(refused, imported + existing);
}

function warnOfUnchanged({ members, lines }: ImportedMembers['unchanged']): void {
  if (members === 0) return;
  const subject = writeSubject(members, 'existing member', 'has', 'have');
  printWarning(
    `${subject} a different balance from the one in the file. Nothing was changed: an import does not correct balances. This includes anyone who has earned or spent points since the first import. See “Correct what went wrong” in docs/guides/moving.md.`,
    lines.map(({ line, balance, inFile }) => `line ${line}: has ${balance}, the file says ${inFile}`),
    members,
  );
}

function warnOfPointsOnTop({ members, points, lines }: ImportedMembers['onTop'], dryRun: boolean): void {
  if (members === 0) return;
  const subject = writeSubject(members, 'imported member', 'has', 'have');
  printWarning(
    `${subject} earlier purchases, with ${writeCount(points, 'point')} waiting. The points in the file ${dryRun ? 'would be' : 'were'} added to them. If they include those purchases, they count twice.`,
    lines.map(({ line, waiting, inFile }) => `line ${line}: ${waiting} waited, the file adds ${inFile}`),
    members,
  );
}

function toJson(result: ImportedMembers | TriedMembers): object {
  const { rows, imported, existing, refused, warnings, unchanged, onTop, tiers, tierCodes } = result;
  return {
    ...('points' in result && { dry_run: true }),
    rows,
    imported,
    existing,
    refused,
    warnings,
    unchanged: {
      members: unchanged.members,
      lines: unchanged.lines.map(({ line, balance, inFile }) => ({ line, balance, in_file: inFile })),
    },
    on_top: {
      members: onTop.members,
      points: onTop.points,
      lines: onTop.lines.map(({ line, waiting, inFile }) => ({ line, waiting, in_file: inFile })),
    },
    tiers,
    tier_codes: tierCodes,
    ...('points' in result && { points: result.points }),
  };
}
