import { slopeOf, type Growth } from './growth.ts';
import { costOf, type Measured } from './measure.ts';
import { median, percentile } from './median.ts';

/** All loads of one round, by name. */
export interface Round {
  readonly loads: Readonly<Record<string, Measured>>;
  /** The loads that were measured on each number of members. */
  readonly growth: Growth;
  /** How long each purchase of the small commerces took, in milliseconds: alone, and beside a big one. */
  readonly small: { readonly alone: readonly number[]; readonly beside: readonly number[] };
  /** How long purchases at a fixed rate took. */
  readonly paced: readonly { readonly share: number; readonly perSecond: number; readonly tookMs: Took }[];
}

export interface Took {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/** One line of the table: figures of one round are divided, and the median of the rounds is shown. */
export interface Row {
  readonly id: string;
  readonly work: string;
  readonly dividedBy: string;
  readonly value: number | null;
  /** Smallest and largest of the rounds. */
  readonly spread: readonly [number, number] | null;
  readonly target: number;
  readonly better: 'more' | 'less';
  readonly reached: boolean;
}

export function rowsOf(rounds: readonly Round[], members: number): Row[] {
  const rate = (name: string) => (round: Round) => round.loads[name]?.perSecond ?? NaN;
  const over = (name: string, base: (round: Round) => number) => (round: Round) =>
    rate(name)(round) / base(round);
  const smaller = (one: string, other: string) => (round: Round) =>
    Math.min(rate(one)(round), rate(other)(round));
  const row = (
    id: string,
    work: string,
    dividedBy: string,
    value: (round: Round) => number,
    better: Row['better'],
    target: number,
  ) => rowOf({ id, work, dividedBy, better, target }, rounds.map(value));

  const cost = (name: string, base: string) => (round: Round) =>
    costOf(round.loads[name]!) / costOf(round.loads[base]!);
  const purchase = rate('pgbench purchase');
  const first = 'list at 0';
  const listed = `${members.toLocaleString('en')} clients`;
  const short = 'activity of a short past';
  return [
    row(
      'W1',
      'purchase, 32 connections',
      'pgbench, same transaction',
      over('purchase, 32 connections', purchase),
      'more',
      1.2,
    ),
    row(
      'W1',
      'purchase, 64 connections',
      'pgbench, same transaction',
      over('purchase, 64 connections', purchase),
      'more',
      1.5,
    ),
    row(
      'W2',
      'purchase, one hot member',
      'pgbench, hot member',
      over('hot member', rate('pgbench hot member')),
      'more',
      5,
    ),
    fairness(rounds),
    row(
      'W4',
      'balance of a client',
      'the smaller of Fastify hello and pgbench',
      over('balance', smaller('hello, Fastify', 'pgbench balance')),
      'more',
      0.5,
    ),
    row(
      'W5',
      'mix: 70 % reads, 25 % purchases, 5 % exchange and redeem',
      'harmonic mean of pgbench',
      over('mix', mixOfPgbench),
      'more',
      0.6,
    ),
    row(
      'W6',
      'exchange, a tenth repeats, half limited',
      'pgbench exchange',
      over('exchange', rate('pgbench exchange')),
      'more',
      0.8,
    ),
    row('W7', `cost of a page at half of ${listed}`, 'at offset 0', cost('list at half', first), 'less', 1.2),
    row(
      'W7',
      `cost of the last page of ${listed}`,
      'at offset 0',
      cost('list at the end', first),
      'less',
      1.2,
    ),
    row(
      'W8',
      'cost of activity, first page of a long past',
      'of a past of 20',
      cost('activity of a long past', short),
      'less',
      1.3,
    ),
    row(
      'W8',
      'cost of activity, any depth of a long past',
      'of a past of 20',
      cost('activity at any depth', short),
      'less',
      1.3,
    ),
    ...Object.keys(rounds[0]!.growth).map((name) =>
      row(
        'W9',
        `growth of ${name}`,
        'slope of log cost over log members',
        ({ growth }) => slopeOf(growth[name]!),
        'less',
        0.05,
      ),
    ),
  ];
}

function mixOfPgbench({ loads }: Round): number {
  const rate = (name: string) => loads[name]!.perSecond;
  return (
    1 / (0.7 / rate('pgbench balance') + 0.25 / rate('pgbench purchase') + 0.05 / rate('pgbench exchange'))
  );
}

/** The small commerces send too little in one round for a percentile of it: their calls of all rounds go together. */
function fairness(rounds: readonly Round[]): Row {
  const [alone, beside] = [
    rounds.flatMap(({ small }) => small.alone),
    rounds.flatMap(({ small }) => small.beside),
  ];
  const dividedBy = 'their p99 alone';
  const facts = { id: 'W3', work: 'p99 of 49 small commerces beside a big one', dividedBy, target: 2 };
  return rowOf({ ...facts, better: 'less' }, [percentile(beside, 0.99) / percentile(alone, 0.99)]);
}

/** A line of the table from the value of each round. */
export function rowOf(
  row: Pick<Row, 'id' | 'work' | 'dividedBy' | 'better' | 'target'>,
  values: readonly number[],
): Row {
  const value = median(values);
  const reached = value !== null && (row.better === 'more' ? value >= row.target : value <= row.target);
  return {
    ...row,
    value,
    spread: values.length > 1 ? [Math.min(...values), Math.max(...values)] : null,
    reached,
  };
}

export function tookOf(took: readonly number[]): Took {
  return { p50: percentile(took, 0.5), p99: percentile(took, 0.99), p999: percentile(took, 0.999) };
}
