import { readFile, writeFile } from 'node:fs/promises';
import type { Books } from './books.ts';
import type { Loaded } from './load-members.ts';
import type { Machine } from './machine.ts';
import type { Measured } from './measure.ts';
import type { Paced, Round } from './round.ts';
import type { Row } from './rows.ts';
import { percentile } from './statistics.ts';

const FILE = new URL('./results/service.json', import.meta.url);

/** Everything that one run measured. A list of figures has one for each round. */
export interface Results {
  readonly form: string;
  readonly members: number;
  readonly seconds: number;
  /** Movements of the member with the long history. */
  readonly long: number;
  /** The peer that W10 divides by; null if it was not installed. */
  readonly peer: string | null;
  /** By how much the fastest hello of a round was faster than the slowest; 0 is equal. */
  readonly drift: number;
  /** The rounds that do not count, because the machine was faster or slower then. Earlier results do not say. */
  readonly repeated?: number;
  readonly hotShare: number;
  /** Of the Node process, in bytes. */
  readonly memory: { readonly afterRounds: number; readonly afterCrowd: number };
  readonly machine: Machine;
  readonly books: Books;
  readonly loading: readonly Omit<Loaded, 'shops'>[];
  readonly rows: readonly Row[];
  readonly loads: Readonly<Record<string, Partial<Series<Measured>>>>;
  readonly growth: Readonly<Record<string, Readonly<Record<number, readonly number[]>>>>;
  readonly small: Readonly<Record<'alone' | 'beside', Series<Pick<Paced, 'p50Ms' | 'p99Ms'>>>>;
  /** Earlier results do not say how late the sender was, nor what the thin service did. */
  readonly paced: readonly (Omit<Series<Paced>, 'lateP99Ms' | 'thinP99Ms'> & Partial<Series<Paced>>)[];
}

/** The same fields, with a value for each round. */
export type Series<T> = { readonly [field in keyof T]-?: readonly number[] };

/** Turns what the rounds measured into lists with one figure a round. */
export function seriesOfRounds(
  rounds: readonly Round[],
  once: Readonly<Record<string, Measured>>,
): Pick<Results, 'loads' | 'growth' | 'small' | 'paced'> {
  const [{ loads, growth, paced }] = rounds as [Round];
  const byName = <T, U>(first: Readonly<Record<string, T>>, of: (name: string) => U) =>
    Object.fromEntries(Object.keys(first).map((name) => [name, of(name)]));
  const times = (took: readonly number[]) => ({
    p50Ms: percentile(took, 0.5),
    p99Ms: percentile(took, 0.99),
  });
  return {
    loads: {
      ...byName(loads, (name) => seriesOf(rounds.map((round) => round.loads[name]!))),
      ...byName(once, (name) => seriesOf([once[name]!])),
    },
    growth: byName(growth, (name) => seriesOf(rounds.map((round) => round.growth[name]!))),
    small: {
      alone: seriesOf(rounds.map(({ small }) => times(small.alone))),
      beside: seriesOf(rounds.map(({ small }) => times(small.beside))),
    },
    paced: paced.map((_, i) => seriesOf(rounds.map((round) => round.paced[i]!))),
  };
}

function seriesOf<T extends object>(rounds: readonly T[]): Series<T> {
  const fields = Object.keys(rounds[0]!) as (keyof T)[];
  const series = fields.map((field) => [field, rounds.map((round) => round[field])]);
  return Object.fromEntries(series) as Series<T>;
}

/** Writes them with one line for each load, row or other entry. */
export async function writeResults(results: Results): Promise<void> {
  const lines = Object.entries(results).map(([name, value]) => `  "${name}": ${linesOf(value)}`);
  await writeFile(FILE, `{\n${lines.join(',\n')}\n}\n`);
}

export async function readResults(): Promise<Results> {
  return JSON.parse(await readFile(FILE, 'utf8')) as Results;
}

function linesOf(value: unknown): string {
  const line = (value: unknown) => JSON.stringify(value, fiveDigits);
  const block = (open: string, lines: readonly string[], close: string) =>
    `${open}\n    ${lines.join(',\n    ')}\n  ${close}`;
  if (Array.isArray(value)) return block('[', value.map(line), ']');
  if (typeof value !== 'object' || value === null) return line(value);
  const entries = Object.entries(value).map(([key, value]) => `${line(key)}: ${line(value)}`);
  return block('{', entries, '}');
}

/** Figures of noisy machines do not deserve sixteen digits. */
function fiveDigits(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}
