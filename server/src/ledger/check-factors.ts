/**
 * Computes a purchase a second time, to check the books. This code is written from the contract and the stored program.
 * It shares no code with the rule, so that it cannot share its mistakes. Each factor has a check here.
 */
import type { Step } from '#points/points-for-purchase.ts';
import type { Program } from '#program/program.ts';

/** A purchase as a check sees it. */
export interface CheckedPurchase {
  readonly at: Date;
  /** The member's tier before the purchase, as in the program; undefined for none. */
  readonly tier: Program['levels']['ladder'][number] | undefined;
}

interface FactorCheck {
  /** Returns true if the program gives the purchase this factor. `said` is null if the purchase has no such factor. */
  follows(program: Program): (said: Said | null, purchase: CheckedPurchase) => boolean;
  /** Returns the figure after the factor. */
  after(figure: bigint, said: Said): bigint;
}

type Said = readonly unknown[];

/** In the order of the contract. */
const checks: Readonly<Record<Step[0], FactorCheck>> = {
  money: {
    follows({ earning }) {
      const perPoint = thousandths(earning.money_per_point);
      return (said) => says(said, perPoint);
    },
    after: (amount, [perPoint]) => wholePart(amount * 1000n, perPoint),
  },
  double: {
    follows({ earning }) {
      const windows = earning.double_points.map(
        ({ from, to }) => [Date.parse(from), Date.parse(to)] as const,
      );
      return (said, { at }) => {
        const isOpen = windows.some(([from, to]) => from <= at.getTime() && at.getTime() < to);
        return isOpen ? says(said) : said === null;
      };
    },
    after: (points) => points + points,
  },
  tier: {
    // The multiplier of an expired tier does not count, so the factor may always be missing.
    follows:
      () =>
      (said, { tier }) =>
        said === null || (tier !== undefined && says(said, thousandths(tier.points_multiplier), tier.name)),
    after: (points, [multiplier]) => wholePart(points * integer(multiplier), 1000),
  },
};

/** Applies the factors of a purchase to an amount. Returns the figure after each. */
export function figuresBy(factors: readonly Step[], amount: bigint): bigint[] {
  let figure = amount;
  return factors.map(([kind, , ...said]) => {
    if (!Object.hasOwn(checks, kind)) throw new TypeError(`no factor is called ${kind}`);
    return (figure = checks[kind].after(figure, said));
  });
}

/** Returns the factors in which a purchase differs from the program, and `order` if they are in the wrong order. */
export function factorsOff(program: Program) {
  const follows = Object.entries(checks).map(([kind, check]) => [kind, check.follows(program)] as const);
  return (factors: readonly Step[], purchase: CheckedPurchase): string[] => {
    const off: string[] = [];
    let place = 0;
    for (const [kind, isRight] of follows) {
      const step = factors.find((step) => step[0] === kind);
      if (step === factors[place]) place += 1;
      if (!isRight(step === undefined ? null : step.slice(2), purchase)) off.push(kind);
    }
    return place < factors.length ? [...off, 'order'] : off;
  };
}

function says(said: Said | null, ...expected: Said): boolean {
  return said?.length === expected.length && expected.every((value, i) => said[i] === value);
}

/** Returns a decimal of the program in thousandths, read digit by digit. */
function thousandths(decimal: number): number {
  const [whole = '', fraction = ''] = String(decimal).split('.');
  return Number(`${whole}${fraction.padEnd(3, '0')}`);
}

function wholePart(dividend: bigint, divisor: unknown): bigint {
  const by = integer(divisor);
  return (dividend - (dividend % by)) / by;
}

function integer(value: unknown): bigint {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${String(value)} is not an integer`);
  return BigInt(value as number);
}
