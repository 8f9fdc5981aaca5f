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
      failed.length === 0
        ? 'holds'
        : `**fails** in ${row.failedPieces} of ${row.pieces}: ${writeFailures(failed)}`,
      late.length > 0 && 'late on a busy machine',
    ]
      .filter(Boolean)
      .join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** A row of a fault of which there are no figures. */
export function writeMissingRow({ name }: Fault, why: string): string {
  return `| \`${name}\` | ${escape(why)} |${'  |'.repeat(COLUMNS.length - 2)}`;
}

const MOST_SENTENCES = 5;

/** The first pieces kept lines of nginx's log among the sentences. */
const LOG_LINE = /^\d{4}\/\d\d\/\d\d \d\d:/;

function writeFailures(failed: readonly string[]): string {
  const sentences = failed.filter((sentence) => !LOG_LINE.test(sentence));
  const more = sentences.length - MOST_SENTENCES;
  return [...sentences.slice(0, MOST_SENTENCES).map(escape), ...(more > 0 ? [`and ${more} more`] : [])].join(
    '; ',
  );
}

/** Output of a program must not become a part of the table or of the page. */
function escape(text: string): string {
  const [line = ''] = text.split('\n');
  const short = line.length > 160 ? `${line.slice(0, 160)}…` : line;
  return short.replaceAll(/[\\|`*_<>[\]]/g, (character) => `\\${character}`);
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
  const failing = shown
    .filter(({ row }) => row.failed.length > 0)
    .map(({ fault: { name } }) => `\`${name}\``);
  const missing = FAULTS.filter(({ name }) => !names.has(name)).map(({ name }) => `\`${name}\``);
  return `# Reliability

What the service promises while something breaks, and the runs that show it. \`npm run faults -- --full\` has written this page.

Every run starts a PostgreSQL and services as an operator would, lets shops and members use them, and breaks something. The
callers note every acknowledgement outside the service. Afterwards the database is compared with their notes, and the books with
themselves (\`loyalty ledger verify\`). What must never be had twice is counted by statements of its own.

## In one table

${writeHeadline(shown)}${failing.length === 0 ? '' : `\n**Something did not hold in ${failing.join(', ')}**: [each fault](#each-fault) says what.\n`}${missing.length === 0 ? '' : `\nNot run at full size yet, so nothing here speaks of them: ${missing.join(', ')}.\n`}
## What is broken, and what must hold

Besides what a row says, the same must hold in all of them: nothing that was acknowledged is lost, nothing is stored twice, a call
that is told that it was not stored is not stored, calls get their answer or a 503 within 5 s unless a row says otherwise, no process
exits but those that are killed, and the books agree.

${FAULTS.map(({ name, says }) => `- \`${name}\`: ${says}.`).join('\n')}

## Each fault

${HEAD}${FAULTS.map((fault) => {
    const row = shown.find(({ fault: { name } }) => name === fault.name)?.row;
    return row === undefined
      ? writeMissingRow(fault, 'not run yet')
      : writeRow(fault, row, fault.rounds.full);
  }).join('\n')}

- *Settled by a repeat*: calls with an idempotency key that had no answer, were sent again, and got the answer of the first attempt.
- *Without an answer*: purchases without a key whose callers cannot know whether they count. They should look, or use a key.
- *Recovery*: until the killed process is ready again, or from the end of the fault to the next acknowledgement.
- *Late on a busy machine*: a bound on a time did not hold while others took more than half of the machine, measured before and
  after a piece (in older pieces: while more than two processes wanted each core). Otherwise it counts as a failure.
- A piece that broke off counts as a failure, and says why.

## The runs

A run is made in pieces. Each has a seed, which repeats the choices of what is broken and when, but not the order in
which calls are answered: \`npm run faults -- --only NAME --rounds ROUNDS --seed SEED\`. All pieces, with what logs said, are in
\`trials/faults/results/\`.

| fault | command | pieces | first seed | commits | processes that wanted a core |
|---|---|---|---|---|---|
${shown.map(writeRun).join('\n')}
`;
}

function writeHeadline(shown: readonly Shown[]): string {
  const rows = shown.map(({ row }) => row);
  const sum = (value: (row: Row) => number) => rows.reduce((total, row) => total + value(row), 0);
  /** A line of a figure that some run has, because a 0 must not stand for what was never tried. */
  const figure = (title: string, name: string): [string, string][] =>
    rows.some(({ figures }) => name in figures)
      ? [[title, write(sum(({ figures }) => figures[name] ?? 0))]]
      : [];
  const kills = shown.find(({ fault }) => fault.name === 'kills')?.row.recoveriesMs ?? [];
  const lines: readonly (readonly [string, string | number])[] = [
    ['calls under faults', write(sum(({ calls }) => calls))],
    ['acknowledged writes', write(sum(({ books }) => books.acknowledged))],
    ['lost', sum(({ books }) => books.lost)],
    ['stored twice', sum(({ books }) => books.doubled)],
    ['refused but stored', sum(({ books }) => books.refusedButStored)],
    ...figure('kill -9 of a service', 'service kills'),
    ...figure('stops and kills of PostgreSQL', 'stops of PostgreSQL'),
    ...figure('connections cut at a message', 'connections cut'),
    ...figure('failovers', 'failovers'),
    ...figure('rolling restarts behind a proxy', 'rolling restarts'),
    ...figure('failed calls during rolling restarts', 'failed calls during restarts'),
    ...figure('mails asked for while the mail server fails', 'mails asked for'),
    ...figure('of these refused for good by the mail server', 'mails refused for good'),
    ...(kills.length === 0
      ? []
      : [
          [
            'ready after a kill, ms: median, longest',
            `${write(medianOf(kills))}, ${write(kills.at(-1)!)}`,
          ] as const,
        ]),
    ['exchanges that left fewer than 0 points', sum(({ books }) => books.overdrafts)],
    ['benefits sold past their limit', sum(({ books }) => books.overLimit)],
    ['codes burned twice', sum(({ books }) => books.burnedTwice)],
    ['differences in the books', sum(({ books }) => books.differences)],
    ...figure('panics of PostgreSQL survived', 'panics'),
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
