/**
 * How many points a purchase earns, and why: a list of factors, applied in order. Recording, previewing,
 * explaining and returning a purchase all use this list.
 */
import { addedPoints } from './factors/added-points.ts';
import { cap } from './factors/cap.ts';
import { doublePoints } from './factors/double-points.ts';
import type { Earning, Factor, ToldStep } from './factors/factor.ts';
import { multipliedLines, remainderBy } from './factors/lines.ts';
import { moneyPerPoint } from './factors/money-per-point.ts';
import { tierMultiplier } from './factors/tier-multiplier.ts';
import { wholeOf, type Kept } from './line.ts';
import type { RemainderChange } from './remainder.ts';
import { rulesOn } from './rules-on-purchase.ts';

/**
 * In the order of the API contract: points for the money alone, doubled, multiplied by the tier. The money counts by its lines where a rule
 * is about them, what rules add comes after all multipliers, and the cap of a period cuts the rest.
 */
const factors = [moneyPerPoint, multipliedLines, doublePoints, tierMultiplier, addedPoints, cap] as const;

/** A factor that applied, as kept in the purchase's snapshot: its kind, the figure after it, and its values. */
export type Step = StepOf<(typeof factors)[number]>;
type StepOf<F> =
  F extends Factor<infer Kind, infer Said> ? readonly [kind: Kind, points: number, ...said: Said] : never;

/** The kinds of factor, in order. */
export const factorKinds: readonly Step[0][] = factors.map(({ kind }) => kind);

export interface PointsForPurchase {
  /** The points that the member gets. */
  readonly points: number;
  readonly factors: readonly Step[];
  /** The ids of the rules with a limit that gave something. None did if the cap left no room. */
  readonly used: readonly string[];
}

/** Returns the points for a purchase; null if a figure exceeds the safe integers. */
export function pointsForPurchase(purchase: Earning): PointsForPurchase | null {
  const ruled = rulesOn(purchase);
  const applied: AppliedFactor[] = [];
  for (const factor of factors) {
    const said = factor.says(purchase, ruled);
    if (said !== null) applied.push([factor, said]);
  }
  const steps = fold(wholeOf(purchase), applied);
  if (steps === null) return null;
  const hasNoRoom = stepOf(steps, 'cap')?.[2] === 0;
  return { points: steps.at(-1)?.[1] ?? 0, factors: steps, used: hasNoRoom ? [] : (ruled?.used ?? []) };
}

/** Returns the points for a part of a purchase by its factors. A return uses these, never today's factors. */
export function pointsByFactors(kept: Kept, steps: readonly Step[]): number {
  return pointsOfMore(kept, steps)!; // safe: no part of the amount earns more than the whole
}

/** Does the same for an amount that may be larger. Returns null if it would earn more points than can be counted. */
export function pointsOfMore(kept: Kept, steps: readonly Step[]): number | null {
  const applied = steps.map(([kind, , ...said]): AppliedFactor => [factorOf(kind), said]);
  return fold(kept, applied)?.at(-1)?.[1] ?? null;
}

/** Returns the points for the money alone, before what multiplies the whole. */
export function basePointsOf(steps: readonly Step[]): number {
  return (stepOf(steps, 'money') ?? stepOf(steps, 'lines'))![1];
}

/**
 * Returns by how much what waits of the member's money changes when of a purchase `after` is kept and no longer `before`, which is null for a
 * new purchase. Null if its program carried nothing.
 */
export function remainderChange(
  before: Kept | null,
  after: Kept,
  steps: readonly Step[],
): RemainderChange | null {
  const step = stepOf(steps, 'lines');
  if (step === undefined) return null;
  const [, , ...said] = step;
  const carried = said[3];
  if (carried === undefined) return null;
  const change = remainderBy(after, ...said) - (before === null ? 0n : remainderBy(before, ...said));
  return { since: carried[2], thousandths: Number(change) };
}

/** Returns the step of one factor; undefined if it did not apply. */
export function stepOf<Kind extends Step[0]>(steps: readonly Step[], kind: Kind) {
  return steps.find((step): step is Extract<Step, readonly [Kind, ...unknown[]]> => step[0] === kind);
}

/** Returns a step in words; null if it changed nothing. */
export function tellStep([kind, after, ...said]: Step, told: Omit<ToldStep, 'after'>): string | null {
  return factorOf(kind).tell({ ...told, after }, ...said);
}

/** Returns a step as a line of a printed calculation. */
export function lineOfStep([kind, , ...said]: Step, told: Omit<ToldStep, 'after' | 'points'>) {
  return factorOf(kind).line(told, ...said);
}

/** Returns the name of a step in a few words; null if it goes without saying. */
export function nameStep(
  [kind, , ...said]: Step,
  told: Pick<ToldStep, 'language' | 'number' | 'kept'>,
): string | null {
  return factorOf(kind).name(told, ...said);
}

type AnyFactor = Factor<string, readonly unknown[]>;
type AppliedFactor = readonly [factor: AnyFactor, said: readonly unknown[]];

function fold(kept: Kept, applied: readonly AppliedFactor[]): Step[] | null {
  // BigInt, because the largest amount in thousandths exceeds the safe integers, and a product of numbers would round.
  let figure = BigInt(kept.amount);
  const steps: Step[] = [];
  for (const [factor, said] of applied) {
    figure = factor.after(figure, kept, ...said);
    if (figure > largest) return null;
    steps.push([factor.kind, Number(figure), ...said] as unknown as Step);
  }
  return steps;
}

function factorOf(kind: string): AnyFactor {
  const factor = factors.find((factor) => factor.kind === kind);
  if (factor === undefined) throw new Error(`no factor is called ${kind}`);
  return factor;
}

const largest = BigInt(Number.MAX_SAFE_INTEGER);
