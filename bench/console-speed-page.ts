/** Writes docs/console-speed.md from what `console-speed` measured. */
import { readFile, writeFile } from 'node:fs/promises';
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
  readonly p99Ms: number;
}

export interface PurchaseCosts {
  readonly members: number;
  readonly with: Cost;
  readonly without: Cost;
  /** While so many people use the console. */
  readonly used: Cost;
  readonly people: number;
  /** How long those people waited for an answer. */
  readonly waited: readonly {
    readonly name: string;
    readonly calls: number;
    readonly p50Ms: number;
    readonly p95Ms: number;
  }[];
  readonly hotShare: number;
}

/** The parts may have been measured one after another. */
export interface ConsoleSpeed {
  readonly machine: Machine;
  readonly found: {
    readonly members: number;
    readonly sizes: Readonly<Record<string, number>>;
    readonly timed: readonly Timed[];
  };
  readonly lists: { readonly members: number; readonly timed: readonly Timed[] };
  readonly purchases: PurchaseCosts;
}

const PAGE = new URL('../docs/console-speed.md', import.meta.url);
const FILE = new URL('./results/console.json', import.meta.url);

/** Replaces the parts that were measured, and writes the page if all have been. */
export async function writeConsoleSpeed(measured: Partial<ConsoleSpeed>): Promise<void> {
  const before = JSON.parse(await readFile(FILE, 'utf8').catch(() => '{}')) as Partial<ConsoleSpeed>;
  const results = { ...before, ...measured };
  await writeFile(FILE, `${JSON.stringify(results, null, 2)}\n`);
  if (isWhole(results)) await writeFile(PAGE, pageOf(results));
}

function isWhole(results: Partial<ConsoleSpeed>): results is ConsoleSpeed {
  return results.found !== undefined && results.lists !== undefined && results.purchases !== undefined;
}

function pageOf({ machine, found, lists, purchases }: ConsoleSpeed): string {
  const [texts, textsInLists] = [false, true].map((inList) =>
    found.timed.filter(({ name }) => name.includes('in a list') === inList),
  ) as [Timed[], Timed[]];
  return `# How fast the console's pages are

Written by \`npm run console-speed -w bench\` on ${machine.processors} processors (${machine.processor}), Node ${machine.node},
PostgreSQL ${machine.postgres['server_version']}, beside other work: the times are longer than on a quiet machine. They are those
of the use case with all its statements, without HTTP, in milliseconds.
[The decision](decisions/0041-people-are-found-by-words.md) says why people are found in this way.

## Finding people

One commerce with ${count(found.members)} members. For each member it takes ${Object.entries(found.sizes)
    .filter(([name]) => name !== 'members')
    .map(([name, bytes]) => `${bytes} bytes of \`${name}\``)
    .join(', ')}; the row of the member itself takes ${found.sizes['members']}.

${tableOf(texts)}

The same texts in the list of members, 50 people on a page with the total:

${tableOf(textsInLists)}

## Listing people

One commerce with ${count(lists.members)} members and ${count(10 * lists.members)} movements, 50 people on a page with the
total. A call that finds too few people in half a second ends there, and the next page goes on from that place.

${tableOf(lists.timed)}

## The slowest query of each page

Of all questions above, the statement that took longest, with its plan. Rows are those that a step looked at, pages are those
of 8 kB that it and the steps below it read.

${slowestOf('Search', texts)}

${slowestOf('List of members, with a text', textsInLists)}

${slowestOf('List of members', lists.timed)}

## What it costs a purchase

${count(purchases.members)} members of 50 commerces, purchases on 32 connections as fast as they go, in turns: as it is; without
the index of addresses and the triggers; and while ${purchases.people} people use the console of the largest commerce, each
with a call a second.

| | purchases a second | ratio | processor time of a purchase | ratio | p99 |
|---|---|---|---|---|---|
${(['without', 'with', 'used'] as const).map((kind) => costLine(kind, purchases)).join('\n')}

${(100 * purchases.hotShare).toFixed(1)} % of the updates of members stayed on their page and touched no index (HOT).
The last two lines are the same site, so they should differ by the work of the console only. If they differ by more, the machine was
too busy for this comparison, and it has to be repeated on a quiet one.

What those people waited for over HTTP, on the processors that the purchases kept busy:

| | calls | p50 | p95 |
|---|---|---|---|
${purchases.waited.map(({ name, calls, p50Ms, p95Ms }) => `| ${name} | ${calls} | ${p50Ms.toFixed(1)} | ${p95Ms.toFixed(1)} |`).join('\n')}
`;
}

const KINDS = { without: 'without', with: 'as it is', used: 'with the console in use' } as const;

/** The indexes are compared with none, and the console in use with one that nobody uses. */
function costLine(kind: keyof typeof KINDS, purchases: PurchaseCosts): string {
  const { perSecond, micros, p99Ms } = purchases[kind];
  const base = kind === 'used' ? purchases.with : purchases.without;
  const ratios =
    kind === 'without'
      ? ['', '']
      : [perSecond / base.perSecond, base.micros / micros].map((r) => r.toFixed(3));
  return `| ${KINDS[kind]} | ${count(Math.round(perSecond))} | ${ratios[0]} | ${Math.round(micros)} µs | ${ratios[1]} | ${p99Ms.toFixed(0)} ms |`;
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
