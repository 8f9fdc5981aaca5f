/** Writes the table of `npm run faults`, and docs/reliability.md from the pieces of full runs. */
import { FAULTS, type Fault } from './plan.ts';
import { readPieces, sumPieces, type Piece, type Row } from './results.ts';

const COLUMNS = [
  'fault',
  'times',
  'calls',
  'acknowledged writes',
  'lost',
  'twice',
  'settled by a repeat',
  'without an answer',
  'recovery, ms: median, longest',
  'longest call, ms',
  'result',
];

export const HEAD = `| ${COLUMNS.join(' | ')} |\n|${'---|'.repeat(COLUMNS.length)}\n`;

/** Writes a row. `of` is how often the plan wants the fault, and not said if it was injected as often as that. */
export function writeRow({ name }: Fault, row: Row, of = row.rounds): string {
  const { books, recoveriesMs, failed, late } = row;
  const cells = [
    `\`${name}\``,
    row.rounds < of ? `${write(row.rounds)} of ${write(of)}` : write(row.rounds),
    write(row.calls),
    write(books.acknowledged),
    books.lost,
    books.doubled,
    write(books.settled),
    write(books.unknown),
    recoveriesMs.length === 0 ? '–' : `${write(medianOf(recoveriesMs))}, ${write(recoveriesMs.at(-1)!)}`,
    write(row.longestMs),
    [
      failed.length === 0 ? 'holds' : failed.map((sentence) => sentence.slice(0, 100)).join('; '),
      late.length > 0 && 'late on a busy machine',
    ]
      .filter(Boolean)
      .join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

interface Shown {
  readonly fault: Fault;
  readonly row: Row;
  readonly pieces: readonly Piece[];
}

export function writeReliabilityPage(folder: string): string {
  const shown = FAULTS.flatMap((fault) => {
    const pieces = readPieces(folder, fault.name);
    return pieces.length === 0 ? [] : [{ fault, pieces, row: sumPieces(pieces) }];
  });
  const names = new Set(shown.map(({ fault }) => fault.name));
  const missing = FAULTS.filter(({ name }) => !names.has(name)).map(({ name }) => `\`${name}\``);
  return `# Reliability

What the service promises while something breaks, and the runs that show it. \`npm run faults -- --full\` has written this page.

Every run starts a PostgreSQL and services as an operator would, lets shops and members use them, and breaks something. The
callers note every acknowledgement outside the service. Afterwards the database is compared with their notes, and the books with
themselves (\`loyalty ledger verify\`). What must never be had twice is counted by statements of its own.

## In one table

${writeHeadline(shown)}
## What is broken, and what must hold

Besides what a row says, the same must hold in all of them: nothing that was acknowledged is lost, nothing is stored twice, a call
that is told that it was not stored is not stored, calls get their answer or a 503 within 5 s, no process exits, and the books agree.

${shown.map(({ fault }) => `- \`${fault.name}\`: ${fault.says}.`).join('\n')}
${missing.length === 0 ? '' : `\nNot run at full size yet: ${missing.join(', ')}.\n`}
## Each fault

${HEAD}${shown.map(({ fault, row }) => writeRow(fault, row, fault.rounds.full)).join('\n')}

- *Settled by a repeat*: calls with an idempotency key that had no answer, were sent again, and got the answer of the first attempt.
- *Without an answer*: purchases without a key whose callers cannot know whether they count. They should look, or use a key.
- *Recovery*: until the killed process is ready again, or from the end of the fault to the next acknowledgement.
- *Late on a busy machine*: a bound on a time did not hold in a run during which more than two processes wanted each core. On a
  machine that has time for the service, it counts as a failure.

## The runs

A run is made in pieces. Each has a seed, which repeats its choices: \`npm run faults -- --only NAME --seed SEED\`. All pieces are in
\`server/test/faults/results/\`.

| fault | command | pieces | first seed | commits | processes that wanted a core |
|---|---|---|---|---|---|
${shown.map(writeRun).join('\n')}
`;
}

function writeHeadline(shown: readonly Shown[]): string {
  const rows = shown.map(({ row }) => row);
  const sum = (value: (row: Row) => number) => rows.reduce((total, row) => total + value(row), 0);
  const figure = (name: string) => sum(({ figures }) => figures[name] ?? 0);
  const kills = shown.find(({ fault }) => fault.name === 'kills')?.row.recoveriesMs ?? [];
  const lines: readonly (readonly [string, string | number])[] = [
    ['calls under faults', write(sum(({ calls }) => calls))],
    ['acknowledged writes', write(sum(({ books }) => books.acknowledged))],
    ['lost', sum(({ books }) => books.lost)],
    ['stored twice', sum(({ books }) => books.doubled)],
    ['refused but stored', sum(({ books }) => books.refusedButStored)],
    ['kill -9 of a service', write(figure('service kills'))],
    ['stops and kills of PostgreSQL', write(figure('stops of PostgreSQL'))],
    ['connections cut at a message', write(figure('connections cut'))],
    ['failovers', write(figure('failovers'))],
    ['rolling restarts behind a proxy', write(figure('rolling restarts'))],
    ['failed calls during rolling restarts', figure('failed calls during restarts')],
    [
      'ready after a kill, ms: median, longest',
      kills.length === 0 ? '–' : `${write(medianOf(kills))}, ${write(kills.at(-1)!)}`,
    ],
    ['exchanges that left fewer than 0 points', sum(({ books }) => books.overdrafts)],
    ['benefits sold past their limit', sum(({ books }) => books.overLimit)],
    ['codes burned twice', sum(({ books }) => books.burnedTwice)],
    ['differences in the books', sum(({ books }) => books.differences)],
    ['panics of PostgreSQL survived', write(figure('panics'))],
  ];
  return `| | |\n|---|---|\n${lines.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}\n`;
}

function writeRun({ fault: { name }, pieces }: Shown): string {
  const commits = [...new Set(pieces.map(({ commit }) => `\`${commit}\``))].join(', ');
  const loads = pieces.map(({ machineLoad }) => machineLoad);
  return `| \`${name}\` | \`npm run faults -- --full --only ${name}\` | ${pieces.length} | ${pieces[0]!.seed} | ${commits} | ${Math.min(...loads)} to ${Math.max(...loads)} |`;
}

function medianOf(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)]!;
}

function write(number: number): string {
  return number.toLocaleString('en-US');
}
