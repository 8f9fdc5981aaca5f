/** `npm run report -w bench`: writes docs/benchmarks.md and its chart again, from the results of the last run. */
import { readFile, writeFile } from 'node:fs/promises';
import { figure, megabytes, table, whole } from './figures.ts';
import { withCapacityFigures, withSpeed } from './figures-in-pages.ts';
import type { Measured } from './measure.ts';
import { readResults, type Results } from './results.ts';
import { median } from './statistics.ts';

/** How far two hellos may be apart before a run counts as noisy. */
export const MOST_DRIFT = 0.15;

const PAGE = new URL('../docs/benchmarks.md', import.meta.url);
const CHART = new URL('../docs/benchmarks.svg', import.meta.url);
const CAPACITY = new URL('../docs/capacity.md', import.meta.url);
const README = new URL('../README.md', import.meta.url);

/** Writes the page, its chart, the figures of docs/capacity.md and the sentence of the README. */
export async function writeReport(results: Results): Promise<void> {
  await writeFile(PAGE, pageOf(results));
  await writeFile(CHART, chartOf(results));
  await writeFile(CAPACITY, withCapacityFigures(await readFile(CAPACITY, 'utf8'), results));
  await writeFile(README, withSpeed(await readFile(README, 'utf8'), results));
}

function pageOf(results: Results): string {
  return `# Benchmarks

\`${commandOf(results)}\` measured all of this and wrote this page. That takes three quarters of an hour, and up to twice as long on a
machine that is not equally fast all the time; \`npm run bench -- --quick\` takes five minutes, and \`-- --large\`, with a million
members, more than an hour. You need \`wrk\` and \`pgbench\`.
[The results](../bench/results/service.json) have the figures of each round.

- Every round sends every load. Rates are divided only by rates of the same round, and the table shows the median of the
  rounds, because rates on a shared machine can double within an hour.
- \`pgbench\` runs the service's own transactions, recorded from the running code, one at a time on each of 16 connections,
  with prepared statements.
- Any answer other than 2xx stops the run. So does a load whose answers are not all in the books. After the last round
  \`ledger verify\` must find no difference.

${conditionsOf(results)}

## Targets

${targetsOf(results)}

![Requests a second beside pgbench](benchmarks.svg)

## Growth

${growthOf(results)}

## Loads

${loadsOf(results)}

## Purchases at a fixed rate

Calls are sent when they are due, whether or not the answers keep up, by a process that does nothing else. Times count from the moment
each call was due, so they include how late the sender was itself, which is in the last column.

${table(
  [
    'of the maximum',
    'a second',
    'p50 ms',
    'p99 ms',
    'p99.9 ms',
    'thin service, p99 ms',
    'sender late, p99 ms',
  ],
  results.paced.map(({ share, perSecond, p50Ms, p99Ms, p999Ms, lateP99Ms, thinP99Ms }) => [
    `${share[0]! * 100} %`,
    whole(median(perSecond)),
    ...[p50Ms, p99Ms, p999Ms].map((series) => figure(median(series))),
    ...[thinP99Ms, lateP99Ms].map((series) => (series === undefined ? '' : figure(median(series)))),
  ]),
)}

## Data

All of this was measured on the following databases. They are filled in bulk before the first round.

${table(
  ['members', 'commerces', 'movements', 'seconds to load', 'MB on disk'],
  results.loading.map(({ members, commerces, movements, seconds, bytes }) => [
    ...[members, commerces, movements].map(whole),
    seconds.toFixed(1),
    megabytes(bytes),
  ]),
)}
`;
}

function commandOf({ form, seconds, peer }: Results): string {
  const options = [
    ...(form === 'full' ? [] : [`--${form}`]),
    `--seconds ${seconds}`,
    ...(peer === null ? [] : ['--peer FOLDER']),
  ];
  return `npm run bench -- ${options.join(' ')}`;
}

function conditionsOf({ form, members, seconds, machine, loads, drift, repeated = 0 }: Results): string {
  const rounds = loads['balance']!.perSecond!.length;
  const { server_version: version, shared_buffers: buffers, ...settings } = machine.postgres;
  const others = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  const noise = drift > MOST_DRIFT ? ' **This run is noisy**: a ratio may be off by as much.' : '';
  return `This is the ${form} form: ${whole(members)} members of 50 commerces with ten movements each, and ${rounds} rounds of ${seconds} s a load.
The machine has ${machine.processors} processors (${machine.processor}) and ${machine.memoryGb} GB, Node ${machine.node}, and PostgreSQL ${version} with ${whole(Number(buffers) / 128)} MB of shared buffers, ${others.join(', ')}.
Between rounds, the rate of a server that only says hello differed by up to ${(drift * 100).toFixed(0)} %.${noise}${
    repeated > 0 ? ` ${whole(repeated)} more rounds do not count, because it differed more.` : ''
  }`;
}

function targetsOf({ rows, members, long, peer, books, memory }: Results): string {
  const lines = rows.map(({ id, work, dividedBy, value, rounds, better, target, reached }) => [
    id,
    work,
    dividedBy,
    figure(value),
    rounds.length === 0 ? '' : `${figure(Math.min(...rounds))} to ${figure(Math.max(...rounds))}`,
    `${better === 'more' ? 'at least' : 'at most'} ${target}`,
    reached ? 'reached' : '**not reached**',
  ]);
  const w10 =
    peer === null
      ? 'W10 is not measured, because the peer is not installed.'
      : `W10 gives the same work to ${peer} and takes its best of 16, 32 and 64 connections.`;
  return `${table(['', 'work', 'divided by', 'median', 'rounds', 'target', ''], lines)}

- Cost (W7, W8, W9, W12) is the processor time of Node and PostgreSQL for one request.
- W3 takes the calls of all rounds together. Each small commerce sends one purchase a second. They share the processors
  with the big commerce, PostgreSQL and the load generator.
- W5 is 70 % reads, 25 % purchases, 3 % exchanges and 2 % redemptions. In its divisor an exchange stands for a redemption.
- In W6, a tenth of the exchanges are repeats, and half are of a benefit with a limit. The run made ${whole(books.exchanges)} exchanges and
  charged none of them twice. \`ledger verify\` checked ${whole(books.movements)} movements.
- W7 lists ${whole(members)} clients of one commerce. In W8 the long history has ${whole(long)} movements, the short one about 20.
- ${w10} [How it is set up](../bench/peer/README.md).
- In W11, the first start also creates the database. Memory is that of the Node process, read before the first round, after its jobs
  have sealed and checked what was loaded in bulk; it was ${megabytes(memory.afterRounds)} MB after all rounds.
- W12 divides by a thin service: node:http, the driver and the leanest correct statement for all calls that wait, on tables of its own, without
  credentials, checks, programs or rules (\`bench/thin-service.ts\`). The limit below it is Node's time for a hello and PostgreSQL's for
  that statement with 64 calls in it (\`bench/limit.ts\`).
- W15 is of the purchases at a fixed rate below.`;
}

/** W9: how it was measured, and the costs. */
function growthOf({ growth }: Results): string {
  const names = Object.keys(growth);
  if (names.length === 0) return 'W9 is not measured in this form.';
  const sizes = Object.keys(growth[names[0]!]!).map(Number);
  const head = ['µs a request', ...sizes.map((size) => `${whole(size)} members`)];
  const costs = names.map((name) => [name, ...sizes.map((size) => whole(median(growth[name]![size]!)))]);
  return `W9 is the slope of log cost over log members. If the cost doubles from a thousand members to a million, the slope is 0.1.
Each load goes to databases of all sizes, one right after another, there and back. The processes do nothing else.

${table(head, costs)}`;
}

function loadsOf({ loads, memory, hotShare }: Results): string {
  const head = [
    'load',
    'a second',
    'p50 ms',
    'p99 ms',
    'p99.9 ms',
    'Node µs',
    'PostgreSQL µs',
    'log bytes',
    'batch',
  ];
  const lines = Object.entries(loads).map(([name, series]) => {
    const of = (field: keyof Measured) => median(series[field] ?? []);
    return [
      name,
      whole(of('perSecond')),
      ...(['p50Ms', 'p99Ms', 'p999Ms'] as const).map((field) => figure(of(field))),
      ...(['nodeMicros', 'postgresMicros', 'walBytes'] as const).map((field) => whole(of(field))),
      figure(of('batch')),
    ];
  });
  const refused = loads['purchase, 1,024 connections']!.refused![0]!;
  return `Each connection sends its next request as soon as the last is answered. Processor time and log are those of one request.
"Batch" is the number of requests that shared a transaction.

${table(head, lines)}

- \`purchase, 1,024 connections\` runs once, after the last round. The service may refuse purchases with 503 and
  \`Retry-After\`; it refused ${whole(refused)}. Afterwards the process had ${megabytes(memory.afterCrowd)} MB.
- ${(hotShare * 100).toFixed(2)} % of the updates of members touched no index (HOT).`;
}

/** Pairs of bars: the rate of pgbench and that of the service. */
function chartOf({ loads }: Results): string {
  const rate = (name: string) => median(loads[name]!.perSecond!);
  const pairs = [
    ['purchase', rate('pgbench purchase'), rate('purchase, 64 connections')],
    ['one hot member', rate('pgbench hot member'), rate('purchase, one hot member')],
    ['exchange', rate('pgbench exchange'), rate('exchange, 64 connections')],
    ['balance', rate('pgbench balance'), rate('balance')],
  ] as const;
  const most = Math.max(...pairs.flatMap(([, base, service]) => [base, service]));
  const bar = (value: number, y: number, color: string, label: string) => {
    const length = Math.ceil((value / most) * 420);
    const text = `<text x="${length + 126}" y="${y + 12}" fill="#777">${whole(value)} ${label}</text>`;
    return `<rect x="120" y="${y}" width="${length}" height="15" rx="2" fill="${color}"/>${text}`;
  };
  const rows = pairs.map(([work, base, service], i) => {
    const name = `<text x="112" y="${i * 46 + 30}" text-anchor="end" fill="#777">${work}</text>`;
    return (
      name +
      bar(base, i * 46 + 10, '#9aa5b1', 'pgbench') +
      bar(service, i * 46 + 27, '#7a3e9d', 'the service')
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="690" height="198" font-family="sans-serif" font-size="12" role="img"><title>Requests a second: the service over HTTP, and pgbench running the same transactions one at a time</title>${rows.join('')}</svg>\n`;
}

if (import.meta.main) await writeReport(await readResults());
