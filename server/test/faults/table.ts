/** Writes the table of `npm run faults`, and docs/reliability.md from the pieces of full runs. */
import { FAULTS, type Fault } from './plan.ts';
import { readPieces, sumPieces, type Row } from './results.ts';

const COLUMNS = [
  'fault',
  'times',
  'calls',
  'acknowledged',
  'lost',
  'twice',
  'repeated calls that had taken effect',
  'no answer',
  'recovery, ms: median, longest',
  'longest call, ms',
  'result',
];

export const HEAD = `| ${COLUMNS.join(' | ')} |\n|${'---|'.repeat(COLUMNS.length)}\n`;

export function writeRow({ name }: Fault, row: Row): string {
  const { books, recoveriesMs, failed } = row;
  const cells = [
    `\`${name}\``,
    inThousands(row.rounds),
    inThousands(row.calls),
    inThousands(books.acknowledged),
    books.lost,
    books.doubled,
    inThousands(books.settled),
    inThousands(books.unknown),
    recoveriesMs.length === 0
      ? '–'
      : `${inThousands(medianOf(recoveriesMs))}, ${inThousands(recoveriesMs.at(-1)!)}`,
    inThousands(row.longestMs),
    failed.length === 0 ? 'holds' : failed.join('; '),
  ];
  return `| ${cells.join(' | ')} |`;
}

export function writeReliabilityPage(folder: string): string {
  const rows = FAULTS.flatMap((fault) => {
    const pieces = readPieces(folder, fault.name);
    return pieces.length === 0 ? [] : [{ fault, row: sumPieces(pieces), pieces }];
  });
  return `${HEAD}${rows.map(({ fault, row }) => writeRow(fault, row)).join('\n')}\n`;
}

function medianOf(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)]!;
}

function inThousands(number: number): string {
  return number.toLocaleString('en-US');
}
