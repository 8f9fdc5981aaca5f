/**
 * Computes a purchase a second time, to check the books. This code is written from the contract and the stored program.
 * It shares no code with the rule, so that it cannot share its mistakes. Each factor has a check here.
 */
import type { Step } from '#points/points-for-purchase.ts';
import type { PurchaseFacts } from '#points/purchase-facts.ts';
import type { Program } from '#program/program.ts';

/** A purchase as a check sees it. */
export interface CheckedPurchase extends PurchaseFacts {
  /** The member's tier before the purchase, as in the program; undefined for none. */
  readonly tier: Program['levels']['ladder'][number] | undefined;
}

interface FactorCheck<Seen extends Sight> {
  /** Reads the program once, for all its purchases. */
  follows(program: Program): FollowedBy<Seen>;
  /** Returns the figure after the factor. */
  after(figure: bigint, said: Said): bigint;
}

/**
 * A check in two steps, so that equal purchases are checked once: the second step sees nothing of the purchase but what the first
 * returns.
 */
interface FollowedBy<Seen extends Sight> {
  /** Returns what decides whether a purchase has the factor. */
  sees(purchase: CheckedPurchase): Seen;
  /** Returns true if the program gives such a purchase this factor. `said` is null if it has no such factor. */
  agrees(said: Said | null, seen: Seen): boolean;
}

type Sight = string | number | boolean | null;
type Said = readonly unknown[];

const money: FactorCheck<null> = {
  follows: ({ earning }) => {
    const perPoint = thousandths(earning.money_per_point);
    return { sees: () => null, agrees: (said) => says(said, perPoint) };
  },
  after: (amount, [perPoint]) => wholePart(amount * 1000n, perPoint),
};

const double: FactorCheck<boolean> = {
  follows: ({ earning }) => {
    const windows = earning.double_points.map(({ from, to }) => [Date.parse(from), Date.parse(to)] as const);
    return {
      sees: ({ at }) => windows.some(([from, to]) => from <= at.getTime() && at.getTime() < to),
      agrees: (said, isOpen) => (isOpen ? says(said) : said === null),
    };
  },
  after: (points) => points + points,
};

const tier: FactorCheck<string | null> = {
  // The multiplier of an expired tier does not count, so the factor may always be missing.
  follows: ({ levels }) => {
    const tiers = new Map(levels.ladder.map((tier) => [tier.id, tier]));
    return {
      sees: ({ tier }) => tier?.id ?? null,
      agrees(said, id) {
        const tier = tiers.get(id ?? '');
        return (
          said === null || (tier !== undefined && says(said, thousandths(tier.points_multiplier), tier.name))
        );
      },
    };
  },
  after: (points, [multiplier]) => wholePart(points * integer(multiplier), 1000),
};

/** In the order of the contract. */
const checks: { readonly [Kind in Step[0]]: FactorCheck<Sight> } = { money, double, tier };

/** Applies the factors of a purchase to an amount. Returns the figure after each. */
export function figuresBy(factors: readonly Step[], amount: bigint): bigint[] {
  let figure = amount;
  return factors.map(([kind, , ...said]) => {
    if (!Object.hasOwn(checks, kind)) throw new TypeError(`no factor is called ${kind}`);
    return (figure = checks[kind].after(figure, said));
  });
}

/** A program as the checks of factors read it. */
export interface CheckedFactors {
  /** Returns what the checks see of a purchase. Purchases of which they see the same have the same factors. */
  see(purchase: CheckedPurchase): readonly Sight[];
  /** Returns the factors in which such a purchase differs from the program, and `order` if they are in the wrong order. */
  off(factors: readonly Step[], seen: readonly Sight[]): string[];
}

export function checkedFactors(program: Program): CheckedFactors {
  const followed = Object.entries(checks).map(([kind, check]) => [kind, check.follows(program)] as const);
  return {
    see: (purchase) => followed.map(([, check]) => check.sees(purchase)),
    off(factors, seen) {
      const off: string[] = [];
      let place = 0;
      for (const [i, [kind, check]] of followed.entries()) {
        const step = factors.find((step) => step[0] === kind);
        if (step === factors[place]) place += 1;
        if (!check.agrees(step === undefined ? null : step.slice(2), seen[i]!)) off.push(kind);
      }
      return place < factors.length ? [...off, 'order'] : off;
    },
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
