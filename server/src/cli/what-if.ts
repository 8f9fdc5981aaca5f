import { readDraft } from '#apply/check-draft.ts';
import { readWireIds } from '#batching/wire-ids.ts';
import { isDay } from '#calendar/calendar.ts';
import { whatIfToWire } from '#admin/what-if/wire.ts';
import type { Database } from '#db/database.ts';
import type { Program, ProgramProblem } from '#program/program.ts';
import { whyNoRange } from '#what-if/range.ts';
import { askWhatIf } from '#what-if/what-if.ts';
import { Refusal } from '#base/refusal.ts';
import { findOpenCommerce } from './find-commerce.ts';
import { createProgressBar } from './progress.ts';
import { formatTable, writeCount } from './terminal.ts';

export interface WhatIfOptions {
  readonly from?: string;
  readonly to?: string;
}

/** The program cannot take the place of the one in force. */
export class DraftRefused extends Refusal {
  readonly problems: readonly ProgramProblem[];

  constructor(problems: readonly ProgramProblem[]) {
    super(problems.map(({ message }) => message).join('\n'));
    this.problems = problems;
  }
}

export type ToldWhatIf = ReturnType<typeof whatIfToWire>;

/**
 * Answers what a program would have done over the ledger of the commerce with its slug. Nothing is changed.
 * @throws DraftRefused
 */
export async function tellWhatIf(
  database: Database,
  file: Program,
  { from, to }: WhatIfOptions,
): Promise<ToldWhatIf> {
  checkDay('--from', from);
  checkDay('--to', to);
  const commerce = await findOpenCommerce(database, file.slug);
  const range = { from, to };
  const wrong = whyNoRange(range, commerce.today);
  if (wrong !== null) throw new Refusal(`--${wrong.reason}: ${wrong.next}.`);
  const draft = readDraft(commerce.program, file);
  if (!draft.ok) throw new DraftRefused(draft.problems);

  const bar = createProgressBar();
  try {
    const question = { commerceId: commerce.id, program: draft.program, ...range };
    const whatIf = await askWhatIf(database, question, ({ done, purchases }) =>
      bar.show(done, writeCount(purchases, 'purchase')),
    );
    return whatIfToWire(whatIf, await readWireIds(database, commerce.id, 'member'));
  } finally {
    bar.end();
  }
}

function checkDay(option: string, day: string | undefined): void {
  if (day !== undefined && !isDay(day))
    throw new Refusal(`${option} must be a day such as 2026-11-01, not ${String(day)}.`);
}

/** Writes the figures as tables. */
export function describeWhatIf(slug: string, told: ToldWhatIf): string {
  const { points, months, levels, stamps, liability, impossible, members, publishing } = told;
  const headings = (first: string) => [first, 'then', 'now'];
  const parts = [
    `${slug}, ${told.from} to ${told.to}: ${writeCount(told.purchases, 'purchase')} of ${told.amount} by ${writeCount(told.buyers, 'person')}. Nothing was changed.`,
    formatTable(headings('points'), [
      ...Object.entries(points).map(([name, { then, now }]) => [name.replace('_', ' '), then, now]),
      ['can still be spent', liability.points.then, liability.points.now],
    ]),
    formatTable(
      headings('earned in'),
      months.map(({ month, earned }) => [month, earned.then, earned.now]),
    ),
    formatTable(
      headings('members in'),
      levels.map(({ name, level_id, members }) => [
        name ?? level_id ?? 'no level',
        members.then,
        members.now,
      ]),
    ),
    ...(stamps.length === 0
      ? []
      : [
          formatTable(
            headings('stamps and full cards'),
            stamps.flatMap(({ stamp_id: id, title, given, full }) => [
              [title ?? id, given.then, given.now],
              [`full: ${title ?? id}`, full.then, full.now],
            ]),
          ),
        ]),
    formatTable(
      headings('points end in'),
      liability.ends.map(({ month, points }) => [month ?? 'never', points.then, points.now]),
    ),
    formatTable(
      headings(`of ${writeCount(told.members_changed, 'member')} who change, most`),
      members.map(({ client_code, member_id, then, now }) => [
        String(client_code ?? member_id),
        then.points,
        now.points,
      ]),
    ),
    ...Object.entries(impossible).flatMap(([kind, { count, ...size }]) =>
      count === 0
        ? []
        : [`Impossible now: ${kind} ${count} (${Object.entries(size).join(' ').replace(',', ' ')})`],
    ),
    ['Publishing it now:', ...describePublishing(publishing)].join('\n  '),
  ];
  return parts.join('\n\n');
}

function describePublishing({ changes, redated }: ToldWhatIf['publishing']): string[] {
  const dates =
    redated.members === 0
      ? []
      : [`members whose points end on another day: ${redated.members} (${redated.points} points)`];
  const lines = [...changes, ...dates];
  return lines.length === 0 ? ['moves nobody'] : lines;
}
