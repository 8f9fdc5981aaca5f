import { writeFile } from 'node:fs/promises';
import type { Books } from './books.ts';
import { growthChart } from './growth-chart.ts';
import { ratesChart } from './rates-chart.ts';
import { figure, megabytes, seconds, table, whole } from './figures.ts';
import type { Flood } from './flood.ts';
import type { Loaded } from './load-members.ts';
import type { Machine } from './machine.ts';
import type { Measured } from './measure.ts';
import { median } from './median.ts';
import type { Round, Row, Took } from './rows.ts';
import { writeResults } from './write-results.ts';

/** Everything of one run. */
export interface Results {
  readonly form: string;
  readonly members: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly long: number;
  readonly machine: Machine;
  /** How long it took to fill each database, and what it then took on disk. */
  readonly loading: readonly Omit<Loaded, 'shops'>[];
  /** What W10 divides by; null where it is not installed. */
  readonly peer: string | null;
  /** How far hello of the first and of the last round lie apart; 0 is not at all. */
  readonly drift: number;
  readonly noisy: boolean;
  readonly start: {
    readonly firstMs: number;
    readonly laterMs: number;
    readonly memoryAtRest: number;
    readonly memoryAfter: number;
  };
  readonly bytesPerPurchase: number;
  readonly hotShare: number;
  readonly flood: Flood;
  readonly books: Books;
  readonly rows: readonly Row[];
  readonly measured: readonly (Omit<Round, 'small'> & {
    readonly small: { readonly alone: Took; readonly beside: Took };
  })[];
}

const PAGE = new URL('../docs/benchmarks.md', import.meta.url);
const RATES = new URL('../docs/benchmarks.svg', import.meta.url);
const GROWTH = new URL('../docs/benchmarks-growth.svg', import.meta.url);

/** Writes the results, and the page and the charts that tell them. */
export async function writeReport(results: Results): Promise<void> {
  await writeResults('service', results);
  await writeFile(PAGE, pageOf(results));
  await writeFile(RATES, ratesChart(results.measured));
  if (sizesOf(results).length > 0)
    await writeFile(GROWTH, growthChart(results.measured.map(({ growth }) => growth)));
}

function pageOf(results: Results): string {
  const { machine, start, books } = results;
  const postgres = Object.entries(machine.postgres).map(([name, value]) => `${name} ${value}`);
  const loads = Object.keys(results.measured[0]!.loads);
  return `# Benchmarks

\`npm run bench\` measures this and writes this page in about three quarters of an hour; \`npm run bench -- --quick\`
five minutes, \`-- --large\`, with a million members, over an hour. It needs \`wrk\` and \`pgbench\`.

Every load runs in every round, only figures of one round are divided by each other, and the median of the rounds is
shown: on shared machines rates move twofold within an hour. \`pgbench\` runs the service's own transactions, taken from
the running code, one at a time on 16 connections with prepared statements. An answer that is no 2xx spoils the run, and
so do books that do not agree with what was answered.

This is the ${results.form} form: ${results.members.toLocaleString('en')} members of 50 commerces with ten movements each, ${results.rounds} rounds of ${results.seconds} s a load.
${machine.processors} processors (${machine.processor}), ${machine.memoryGb} GB, Node ${machine.node}, PostgreSQL with ${postgres.join(', ')}.
The hello of the first and of the last round lie ${(results.drift * 100).toFixed(0)} % apart${results.noisy ? ': **this run is noisy**, and a ratio of it may be off by as much' : ''}.

## What is to be reached

${table(
  ['', 'work', 'divided by', 'measured', 'rounds', 'to reach', ''],
  [
    ...results.rows.map((row) => [
      row.id,
      row.work,
      row.dividedBy,
      figure(row.value),
      row.spread === null ? '' : `${figure(row.spread[0])} to ${figure(row.spread[1])}`,
      `${row.better === 'more' ? 'at least' : 'at most'} ${row.target}`,
      row.reached ? 'reached' : '**not reached**',
    ]),
    ...weights(results),
  ],
)}

W3 puts the calls of all rounds together; the big commerce, the load generator and PostgreSQL share the processors with
it. W5 counts an exchange of \`pgbench\` for a redemption too. W7 is of one commerce that all members are of; the
long past of W8 has ${results.long.toLocaleString('en')} movements. Cost, in W7, W8 and W9, is
the processor time of Node and PostgreSQL for one request. ${growthOf(results)}
${peerOf(results)}
Exchanges: ${books.exchanges.toLocaleString('en')}, double charges: ${books.doubleCharges}; ${books.movements.toLocaleString('en')} movements verified.

![Requests a second beside pgbench](benchmarks.svg)

## Loads

Rates and latencies of a closed loop: each connection asks again as soon as it is answered.

${table(
  [
    'load',
    'a second',
    'p50 ms',
    'p99 ms',
    'p99.9 ms',
    'Node µs',
    'PostgreSQL µs',
    'log bytes',
    'per transaction',
  ],
  loads.map((name) => {
    const of = (field: keyof Measured) => median(results.measured.map(({ loads }) => loads[name]![field]));
    return [
      name,
      whole(of('perSecond')),
      figure(of('p50Ms')),
      figure(of('p99Ms')),
      figure(of('p999Ms')),
      whole(of('nodeMicros')),
      whole(of('postgresMicros')),
      whole(of('walBytes')),
      figure(of('batch')),
    ];
  }),
)}

Updates of members that touch no index (HOT): ${(results.hotShare * 100).toFixed(2)} %.

## Purchases at a fixed rate

Calls leave when they are due, whether or not the answers keep up; time counts from when each was due.

${table(
  ['of the most', 'a second', 'p50 ms', 'p99 ms', 'p99.9 ms'],
  results.measured[0]!.paced.map(({ share }, i) => {
    const of = (read: (one: Round['paced'][number]) => number) =>
      median(results.measured.map(({ paced }) => read(paced[i]!)));
    return [
      `${share * 100} %`,
      whole(of((one) => one.perSecond)),
      figure(of((one) => one.tookMs.p50)),
      figure(of((one) => one.tookMs.p99)),
      figure(of((one) => one.tookMs.p999)),
    ];
  }),
)}

## A thousand callers at once

${floodOf(results.flood)}

## Loading

What everything above was measured on: filled set by set, with indexes made at the end, before the first round.

${table(
  ['members', 'commerces', 'movements', 'seconds', 'MB on disk'],
  results.loading.map(({ members, commerces, movements, seconds, bytes }) => [
    whole(members),
    whole(commerces),
    whole(movements),
    seconds.toFixed(1),
    whole(bytes / 1e6),
  ]),
)}

## Start and memory

The first start makes its database; memory is the Node process, after its start and after all rounds
(${megabytes(start.memoryAfter)} MB).
`;
}

function floodOf(flood: Flood): string {
  const { statuses, unanswered, withoutRetryAfter, memory, singleMs } = flood;
  const answers = Object.entries(statuses).map(([status, count]) => `${whole(count)} of ${status}`);
  return `${whole(flood.connections)} connections send purchases for ${flood.seconds} s after the last round, each again as soon as it is answered.
What cannot be taken is to be refused with 503 and a time to come back; any other refusal spoils the run.

${table(
  ['', ''],
  [
    ['answers', answers.join(', ')],
    ['503 without `Retry-After`', whole(withoutRetryAfter)],
    ['connections that broke, and answers that took longer than 10 s', whole(unanswered)],
    ['purchases recorded a second', whole(flood.recordedPerSecond)],
    ['p50 and p99 of all answers', `${figure(flood.p50Ms)} and ${figure(flood.p99Ms)} ms`],
    ['until the next purchase is recorded', `${figure(flood.recoveredMs)} ms`],
    [
      'a purchase alone, before and right after',
      `${figure(singleMs.before)} and ${figure(singleMs.after)} ms`,
    ],
    ['memory before and after', `${megabytes(memory.before)} and ${megabytes(memory.after)} MB`],
    [
      'memory in the first and in the second half, and at most',
      `${megabytes(memory.firstHalf)}, ${megabytes(memory.secondHalf)} and ${megabytes(memory.most)} MB`,
    ],
  ],
)}`;
}

/** W9: how it was measured. */
function growthOf(results: Results): string {
  const sizes = sizesOf(results).map((members) => members.toLocaleString('en'));
  if (sizes.length === 0) return 'W9, growth, is not measured in this form.';
  return `W9 sends each load to ${sizes.join(', ')}
members, one right after the other and back again, and asks processes that do nothing else; a cost that doubles from a
thousand members to a million has a slope of 0.1.

![Processor time of a request over the number of members](benchmarks-growth.svg)
`;
}

/** The numbers of members that W9 compares. */
function sizesOf({ measured }: Results): number[] {
  const [first = {}] = Object.values(measured[0]!.growth);
  return Object.keys(first).map(Number);
}

/** W10: what it was measured beside. */
function peerOf({ peer }: Results): string {
  if (peer === null) return 'W10, the peer beside it, is not measured.';
  return `The peer of W10 is ${peer}, asked for the same work at its best of 16, 32
and 64 connections ([how](../bench/peer/README.md)).`;
}

/** W11: what the service weighs. */
function weights({ start, bytesPerPurchase }: Results): string[][] {
  const row = (work: string, value: string, reached: boolean, target: string) => [
    'W11',
    work,
    '',
    value,
    '',
    target,
    reached ? 'reached' : '**not reached**',
  ];
  return [
    row('first start to ready', seconds(start.firstMs), start.firstMs <= 3_000, 'at most 3 s'),
    row('later start to ready', seconds(start.laterMs), start.laterMs <= 1_000, 'at most 1 s'),
    row(
      'memory at rest',
      `${megabytes(start.memoryAtRest)} MB`,
      start.memoryAtRest <= 150e6,
      'at most 150 MB',
    ),
    row(
      'bytes stored per purchase',
      String(bytesPerPurchase),
      bytesPerPurchase <= 400,
      'at most 400 with indexes',
    ),
  ];
}
