import { megabytes, table, whole } from './figures.ts';
import type { Results } from './results.ts';
import { median } from './statistics.ts';

/** Returns docs/capacity.md with the figures of these results in the place of its own. */
export function withCapacityFigures(page: string, results: Results): string {
  return withFigures(page, 'the benchmarks', figuresOf(results));
}

/** Returns the README with one sentence about these results in the place of its own. */
export function withSpeed(readme: string, { loads, machine }: Results): string {
  const rate = (load: string) => whole(median(loads[load]!.perSecond!));
  const balances = rate('balance');
  const purchases = rate('purchase, 64 connections');
  return withFigures(
    readme,
    'the benchmarks',
    `On ${machine.processors} processors shared with PostgreSQL and the callers, one process answers ${purchases} purchases or ${balances}
balances a second ([benchmarks](docs/benchmarks.md)).`,
  );
}

/** Returns docs/scaling.md with these tables in the place of those of up to ten million members. */
export function withManyMembers(page: string, tables: readonly string[]): string {
  return withFigures(page, 'many members', tables.join('\n\n'));
}

function withFigures(page: string, source: string, figures: string): string {
  const begin = `<!-- from ${source} -->\n`;
  const [before, rest] = page.split(begin) as [string, string];
  const after = rest.slice(rest.indexOf(`<!-- end of ${source} -->`));
  return `${before}${begin}\n${figures}\n\n${after}`;
}

function figuresOf({ loads, rows, paced, memory, machine }: Results): string {
  const of = (load: string, field: 'perSecond' | 'nodeMicros' | 'postgresMicros' | 'walBytes') =>
    median(loads[load]![field]!);
  const row = (work: string) => rows.find((one) => one.work === work)!.value;
  const [half] = paced;
  const purchases = ['purchase, 32 connections', 'purchase, 64 connections'];
  const both = (field: 'perSecond' | 'nodeMicros' | 'postgresMicros') =>
    purchases.map((load) => whole(of(load, field))).join(' and ');
  const lines = [
    ['purchases a second, 32 and 64 callers', both('perSecond')],
    ['of these, at half the maximum: 99 of 100 answered within', `${whole(median(half!.p99Ms))} ms`],
    ['balances a second', whole(of('balance', 'perSecond'))],
    [
      'a mix of 70 % reads, 25 % purchases, 3 % exchanges and 2 % redemptions',
      `${whole(of('mix', 'perSecond'))} a second`,
    ],
    ['processor time of a purchase in Node, with 32 and 64 callers', `${both('nodeMicros')} µs`],
    ['the same in PostgreSQL', `${both('postgresMicros')} µs`],
    ['memory of a process at rest', `${whole(row('MB of memory at rest'))} MB`],
    [
      'the most that it took in the whole run',
      `${megabytes(Math.max(memory.afterRounds, memory.afterCrowd))} MB`,
    ],
    [
      'disk for a purchase, for good, with its indexes',
      `${whole(row('bytes stored per purchase, with indexes'))} bytes`,
    ],
    [
      'write-ahead log of a purchase that shares a transaction',
      `${whole(of('purchase, 64 connections', 'walBytes'))} bytes`,
    ],
  ] as const;
  return `On ${machine.processors} processors that the service, PostgreSQL and the load generator share:\n\n${table(['', ''], lines)}`;
}
