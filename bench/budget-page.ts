import { readFile, writeFile } from 'node:fs/promises';
import type { Machine } from './machine.ts';
import type { StatementCost } from './statement-costs.ts';

/** Where the time of one kind of request goes. All figures are those of one request. */
export interface Sheet {
  readonly name: string;
  /** Processor time, in microseconds. */
  readonly nodeMicros: number;
  readonly postgresMicros: number;
  /** The parts of Node's time. */
  readonly parts: Readonly<Record<string, number>>;
  readonly statements: readonly StatementUse[];
}

/** One statement's part in a request. */
export interface StatementUse extends StatementCost {
  readonly name: string;
  /** Below one if requests share it. */
  readonly calls: number;
  /** Calls that waited for an answer of their own, and were not sent together with the statement before. */
  readonly roundTrips: number;
  /** Bytes to PostgreSQL and back. */
  readonly sent: number;
  readonly received: number;
}

export interface Sheets {
  readonly members: number;
  readonly seconds: number;
  readonly machine: Machine;
  readonly sheets: readonly Sheet[];
}

const PAGE = new URL('../docs/profile.md', import.meta.url);

/** Prints the sheets, keeps their figures in `results/`, and writes them into their section of the page. */
export async function writeSheets(sheets: Sheets, section: 'before' | 'now'): Promise<void> {
  const text = textOf(sheets);
  console.log(text);
  const file = new URL(`./results/budget-${section}.json`, import.meta.url);
  await writeFile(file, `${JSON.stringify(sheets, rounded, 2)}\n`);
  await writeFile(PAGE, withSection(await readFile(PAGE, 'utf8'), section, text));
}

/** The page with another text between the two comments of a section. */
export function withSection(page: string, section: string, text: string): string {
  const [start, end] = [`<!-- ${section} -->\n`, `\n<!-- end of ${section} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no section "${section}"`);
  return page.slice(0, from) + start + text + page.slice(to);
}

function textOf({ members, seconds, machine, sheets }: Sheets): string {
  const { processors, processor = 'unknown', node, postgres } = machine;
  return `${members.toLocaleString('en')} members, ${seconds} s a load, on ${processors} processors (${processor}), Node ${node.slice(1)}, PostgreSQL ${postgres['server_version']!.split(' ')[0]!}.

Node, in microseconds of processor time of a request:

${partsTable(sheets)}

${sheets.map(statementsOf).join('\n\n')}`;
}

function partsTable(sheets: readonly Sheet[]): string {
  const names = Object.keys(sheets[0]!.parts);
  return table(
    ['part', ...sheets.map(({ name }) => name)],
    [
      ...names.map((part) => [part, ...sheets.map(({ parts }) => figure(parts[part]!))]),
      ['**all of Node**', ...sheets.map(({ nodeMicros }) => `**${figure(nodeMicros)}**`)],
      ['all of PostgreSQL', ...sheets.map(({ postgresMicros }) => figure(postgresMicros))],
    ],
  );
}

function statementsOf({ name, statements, postgresMicros }: Sheet): string {
  const sum = (field: Exclude<keyof StatementUse, 'name'>) =>
    statements.reduce((total, statement) => total + statement[field], 0);
  const line = (name: string, calls: string, use: (field: Exclude<keyof StatementUse, 'name'>) => number) => [
    name,
    calls,
    ...(['roundTrips', 'rows', 'pages', 'micros', 'sent', 'received', 'walBytes'] as const).map((field) =>
      figure(use(field)),
    ),
  ];
  return `PostgreSQL, ${name}:

${table(
  [
    'statement',
    'requests a call',
    'round trips',
    'rows',
    'pages',
    'µs',
    'bytes sent',
    'bytes back',
    'log bytes',
  ],
  [
    ...statements.map((statement) =>
      line(`\`${statement.name}\``, figure(1 / statement.calls), (field) => statement[field]),
    ),
    ['the rest', '', '', '', '', figure(postgresMicros - sum('micros')), '', '', ''],
    line('**all**', '', (field) => (field === 'micros' ? postgresMicros : sum(field))),
  ],
)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function figure(value: number): string {
  const size = Math.abs(value);
  return size >= 10 ? Math.round(value).toLocaleString('en') : value.toFixed(size >= 1 || size === 0 ? 1 : 2);
}

function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}
