import { costOf } from './measure.ts';
import type { Round } from './round.ts';
import { logSlope, median, percentile } from './statistics.ts';

/** One line of the table: figures of one round are divided by each other, and the median of the rounds counts. */
export interface Row {
  readonly id: string;
  readonly work: string;
  readonly dividedBy: string;
  readonly value: number;
  /** The value of each round; empty if the row is measured once. */
  readonly rounds: readonly number[];
  readonly better: 'more' | 'less';
  readonly target: number;
  readonly reached: boolean;
}

/** Sizes that are measured once, at the start of a run. */
export interface Weights {
  readonly firstStartMs: number;
  readonly laterStartMs: number;
  readonly memoryAtRest: number;
  readonly bytesPerPurchase: number;
}

/** The table, W1 to W15. W9 and W10 are missing if the rounds did not measure growth or the peer. */
export function rowsOf(rounds: readonly Round[], weights: Weights): Row[] {
  const rate = (name: string) => (round: Round) => round.loads[name]!.perSecond;
  const cost = (name: string) => (round: Round) => costOf(round.loads[name]!);
  const row = (
    facts: Pick<Row, 'id' | 'work' | 'dividedBy' | 'better' | 'target'>,
    value: (round: Round) => number,
  ) => rowOf(facts, rounds.map(value));

  const rates = (id: string, work: string, dividedBy: string, target: number, base = rate(dividedBy)) =>
    row({ id, work, dividedBy, better: 'more', target }, (round) => rate(work)(round) / base(round));
  const costs = (id: string, load: string, base: string, target: number) =>
    row(
      { id, work: `cost of ${load}`, dividedBy: base, better: 'less', target },
      (round) => cost(load)(round) / cost(base)(round),
    );
  const slope = (name: string) =>
    row({ id: 'W9', work: `growth of ${name}`, dividedBy: '', better: 'less', target: 0.05 }, ({ growth }) =>
      logSlope(growth[name]!),
    );

  const latency = (part: 'p50' | 'p99', step: 0 | 1, target: number) =>
    row(
      {
        id: 'W15',
        work: `${part} ms of purchases at ${rounds[0]!.paced[step]!.share * 100} % of the most`,
        dividedBy: '',
        better: 'less',
        target,
      },
      ({ paced }) => paced[step]![`${part}Ms`],
    );

  const smaller = (one: string, other: string) => (round: Round) =>
    Math.min(rate(one)(round), rate(other)(round));
  return [
    rates('W1', 'purchase, 32 connections', 'pgbench purchase', 2),
    rates('W1', 'purchase, 64 connections', 'pgbench purchase', 3),
    rates('W2', 'purchase, one hot member', 'pgbench hot member', 8),
    fairness(rounds),
    rates(
      'W4',
      'balance',
      'the smaller of Fastify hello and pgbench balance',
      1,
      smaller('hello, Fastify', 'pgbench balance'),
    ),
    rates('W5', 'mix', 'pgbench, harmonic mean', 1, mixOfPgbench),
    rates('W6', 'exchange, 32 connections', 'pgbench exchange', 2),
    costs('W7', 'list, middle page', 'list, first page', 1.2),
    costs('W7', 'list, last page', 'list, first page', 1.2),
    costs('W8', 'activity, long history', 'activity, short history', 1.3),
    costs('W8', 'activity, any depth', 'activity, short history', 1.3),
    ...Object.keys(rounds[0]!.growth).map(slope),
    ...(rounds[0]!.loads['Medusa, credit'] === undefined
      ? []
      : [
          rates('W10', 'purchase, 64 connections', 'Medusa, credit', 20),
          rates('W10', 'balance', 'Medusa, balance', 20),
          rates('W10', 'exchange, 32 connections', 'Medusa, debit', 20),
          rates('W10', 'exchange, 64 connections', 'Medusa, debit', 20),
        ]),
    weight('seconds until ready, first start', weights.firstStartMs / 1_000, 2),
    weight('seconds until ready, later start', weights.laterStartMs / 1_000, 0.7),
    weight('MB of memory at rest', weights.memoryAtRest / 1e6, 130),
    weight('bytes stored per purchase, with indexes', weights.bytesPerPurchase, 400),
    costs('W12', 'purchase, 64 connections', 'thin service, purchase', 2),
    costs('W12', 'balance', 'thin service, balance', 1.5),
    costs('W12', 'exchange, 64 connections', 'thin service, exchange', 3),
    latency('p50', 0, 4),
    latency('p99', 0, 12),
    latency('p50', 1, 6),
    latency('p99', 1, 30),
    row(
      {
        id: 'W15',
        work: 'p99 of purchases at half of the most',
        dividedBy: 'that of the thin service',
        better: 'less',
        target: 3,
      },
      ({ paced }) => paced[0]!.p99Ms / paced[0]!.thinP99Ms,
    ),
  ];
}

/** The rate of the mix if pgbench did all of it. It redeems nothing, so an exchange stands for a redemption. */
function mixOfPgbench({ loads }: Round): number {
  const seconds = (name: string) => 1 / loads[name]!.perSecond;
  return (
    1 /
    (0.7 * seconds('pgbench balance') +
      0.25 * seconds('pgbench purchase') +
      0.05 * seconds('pgbench exchange'))
  );
}

/** One round has too few calls of the small commerces for a percentile, so the calls of all rounds count together. */
function fairness(rounds: readonly Round[]): Row {
  const p99 = (of: keyof Round['small']) =>
    percentile(
      rounds.flatMap(({ small }) => small[of]),
      0.99,
    );
  const work = 'p99 of 49 small commerces beside a big one';
  const facts = { id: 'W3', work, dividedBy: 'their p99 alone', better: 'less', target: 2 } as const;
  return rowOf(facts, [p99('beside') / p99('alone')]);
}

function weight(work: string, value: number, target: number): Row {
  return rowOf({ id: 'W11', work, dividedBy: '', better: 'less', target }, [value]);
}

function rowOf(
  facts: Pick<Row, 'id' | 'work' | 'dividedBy' | 'better' | 'target'>,
  values: readonly number[],
): Row {
  const value = median(values);
  const reached = facts.better === 'more' ? value >= facts.target : value <= facts.target;
  return { ...facts, value, rounds: values.length > 1 ? values : [], reached };
}
