/** Writes the tables of docs/scaling.md from the model: `npm run scaling -w bench`. A test fails if they are out of date. */
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import {
  COORDINATOR_CORES,
  coordinatorCoresOf,
  limitsOf,
  MOST_OF_WRITER,
  needsOf,
  type Traffic,
} from './scaling-model.ts';

const PAGE = new URL('../docs/scaling.md', import.meta.url);
const BEGIN = '<!-- from the model -->';
const END = '<!-- end of the model -->';

const WEEKLY = { membersOfShop: 100, purchasesInWeek: 1 };

/** The installations of the page: shops of a hundred members each of whom buys once a week, and the last ones seven times as often. */
export const INSTALLATIONS: readonly Traffic[] = [
  { shops: 1, ...WEEKLY },
  { shops: 100, ...WEEKLY },
  { shops: 1_000, ...WEEKLY },
  { shops: 10_000, ...WEEKLY },
  { shops: 100_000, ...WEEKLY },
  { shops: 1_000_000, ...WEEKLY },
  { shops: 100_000, membersOfShop: 1_000, purchasesInWeek: 1 },
  { shops: 1_000_000, membersOfShop: 100, purchasesInWeek: 7 },
];

/** Returns the page with its tables from the model. */
export function withModel(page: string): string {
  const [before, rest] = page.split(BEGIN) as [string, string];
  const [, after] = rest.split(END) as [string, string];
  return `${before}${BEGIN}\n\n${writeTables()}\n\n${END}${after}`;
}

function writeTables(): string {
  const needs = INSTALLATIONS.map((traffic) => ({ traffic, needs: needsOf(traffic) }));
  return [
    '| shops | members | purchases a week and member | purchases a day | a second, bursts of the busiest hour | purchases a transaction | cores for Node | cores for PostgreSQL | TB a year | log MB/s |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...needs.map(({ traffic, needs: it }) =>
      row([
        count(traffic.shops),
        count(traffic.shops * traffic.membersOfShop),
        traffic.purchasesInWeek,
        count(it.purchasesOfDay),
        count(it.burst),
        it.batch.toFixed(1),
        it.nodeCores.toFixed(1),
        it.postgresCores.toFixed(1),
        it.terabytesOfYear < 0.001 ? '< 0.001' : it.terabytesOfYear.toPrecision(2),
        it.logMegabytesOfSecond.toFixed(1),
      ]),
    ),
    '',
    'How much of each limit that uses, as a multiple; the largest one breaks first:',
    '',
    `| shops, members | ${limitsOf(needs[0]!.needs)
      .map(({ name }) => name)
      .join(' | ')} | breaks first |`,
    `|---|${limitsOf(needs[0]!.needs)
      .map(() => '---|')
      .join('')}---|`,
    ...needs.map(({ traffic, needs: it }) => {
      const limits = limitsOf(it);
      const first = limits.reduce((one, other) => (other.used > one.used ? other : one));
      return row([
        `${count(traffic.shops)}, ${count(traffic.shops * traffic.membersOfShop)}`,
        ...limits.map(({ used }) => (used < 0.01 ? '< 0.01' : used.toPrecision(2))),
        first.used < 1 ? 'nothing' : `${first.name}: ${first.answer}`,
      ]);
    }),
    '',
    `One writer takes at most ${count(MOST_OF_WRITER)} purchases a second. A coordinator of a cluster with ${COORDINATOR_CORES} cores takes ${count(1e6 / (coordinatorCoresOf(1e6) / COORDINATOR_CORES))} a second.`,
  ].join('\n');
}

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const count = (value: number) => Math.round(value).toLocaleString('en');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await writeFile(PAGE, withModel(await readFile(PAGE, 'utf8')));
