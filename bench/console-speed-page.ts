/** Writes docs/console-speed.md from what `console-speed` measured. */
import { writeFile } from 'node:fs/promises';
import type { Machine } from './machine.ts';
import type { Plan } from './plans.ts';

/** One question, and how long its answers took. */
export interface Timed {
  readonly name: string;
  /** People in the answer. */
  readonly rows: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly mostMs: number;
  readonly slowest: Plan;
}

export interface Cost {
  readonly perSecond: number;
  /** Processor time of a purchase, in microseconds. */
  readonly micros: number;
}

export interface ConsoleSpeed {
  readonly machine: Machine;
  readonly members: Readonly<Record<'found' | 'listed' | 'bought', number>>;
  readonly found: { readonly sizes: Readonly<Record<string, number>>; readonly timed: readonly Timed[] };
  readonly lists: { readonly timed: readonly Timed[] };
  readonly purchases: { readonly with: Cost; readonly without: Cost; readonly hotShare: number };
}

const PAGE = new URL('../docs/console-speed.md', import.meta.url);
const FILE = new URL('./results/console.json', import.meta.url);

export async function writeConsoleSpeed(results: ConsoleSpeed): Promise<void> {
  await writeFile(FILE, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(PAGE, pageOf(results));
}

function pageOf({ machine, members, found, lists, purchases }: ConsoleSpeed): string {
  const { with: withIndexes, without } = purchases;
  return `# How fast the console's pages are

Written by \`npm run console-speed -w bench\` on ${machine.processors} processors (${machine.processor}), Node ${machine.node},
PostgreSQL ${machine.postgres['server_version']}. Times are those of the use case with its statements, without HTTP, in
milliseconds, on a machine that was busy with other work. [The decision](decisions/0041-people-are-found-by-words.md)
says why people are found in this way.

## Finding people

One commerce with ${count(members.found)} members. For each member it takes ${Object.entries(found.sizes)
    .filter(([name]) => name !== 'members')
    .map(([name, bytes]) => `${bytes} bytes of \`${name}\``)
    .join(', ')}; the row of the member itself takes ${found.sizes['members']}.

${tableOf(found.timed.filter(({ name }) => !name.includes('in a list')))}

The same texts in the list of members, 50 people on a page with the total:

${tableOf(found.timed.filter(({ name }) => name.includes('in a list')))}

## Listing people

One commerce with ${count(members.listed)} members and ${count(10 * members.listed)} movements, 50 people on a page with the
total. A call that finds too few people in half a second ends there, and the next page goes on from that place.

${tableOf(lists.timed)}

## The slowest query of each page

Of all questions above, the statement that took longest, with its plan. Rows are those that a step looked at, pages are those
of 8 kB that it and the steps below it read.

${slowestOf(
  'Search',
  found.timed.filter(({ name }) => !name.includes('in a list')),
)}

${slowestOf(
  'List of members, with a text',
  found.timed.filter(({ name }) => name.includes('in a list')),
)}

${slowestOf('List of members', lists.timed)}

## What it costs a purchase

${count(members.bought)} members of 50 commerces, 32 connections, purchases in turns with the index of addresses and the triggers,
and without them.

| | purchases a second | processor time of a purchase |
|---|---|---|
| with | ${count(Math.round(withIndexes.perSecond))} | ${Math.round(withIndexes.micros)} µs |
| without | ${count(Math.round(without.perSecond))} | ${Math.round(without.micros)} µs |
| ratio | ${(withIndexes.perSecond / without.perSecond).toFixed(3)} | ${(without.micros / withIndexes.micros).toFixed(3)} |

${(100 * purchases.hotShare).toFixed(1)} % of the updates of members stayed on their page and touched no index (HOT).
`;
}

function tableOf(timed: readonly Timed[]): string {
  const lines = timed.map(
    ({ name, rows, p50Ms, p95Ms, mostMs }) =>
      `| ${name} | ${rows} | ${p50Ms.toFixed(1)} | ${p95Ms.toFixed(1)} | ${mostMs.toFixed(1)} |`,
  );
  return ['| | people | p50 | p95 | most |', '|---|---|---|---|---|', ...lines].join('\n');
}

function slowestOf(page: string, timed: readonly Timed[]): string {
  const [slowest] = timed.toSorted((a, b) => b.slowest.milliseconds - a.slowest.milliseconds);
  const { name, slowest: plan } = slowest!;
  return `**${page}**: \`${plan.statement}\` for “${name}”, ${plan.milliseconds.toFixed(1)} ms.

\`\`\`text
${plan.tree}
\`\`\``;
}

function count(number: number): string {
  return number.toLocaleString('en');
}
