/**
 * Computes a purchase a second time, to check the books. This code is written from the contract and the stored program.
 * It shares no code with the rule, so that it cannot share its mistakes. Each factor has a check here.
 */
import type { Step } from '#points/points-for-purchase.ts';
import type { PurchaseFacts } from '#points/purchase-facts.ts';
import type { Program } from '#program/program.ts';
import {
  addedTo,
  carriedBy,
  expectedRules,
  figureOfLines,
  hasRules,
  keepsExpected,
  roomFor,
  type CheckedPart,
  type ExpectedRules,
  type RuledPurchase,
} from './check-rules.ts';

/** A purchase as a check sees it. */
export interface CheckedPurchase extends PurchaseFacts {
  /** The member's tier before the purchase, as in the program; undefined for none. */
  readonly tier: Program['levels']['ladder'][number] | undefined;
  /** What rules of the program may ask beyond this. */
  readonly ruled: RuledPurchase;
}

interface FactorCheck<Seen extends Sight> {
  /** Reads the program once, for all its purchases. */
  follows(program: Program, carriesSince: number | null): FollowedBy<Seen>;
  /** Returns the figure after the factor. */
  after(figure: bigint, said: Said, part: CheckedPart): bigint;
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
    // The check of the lines knows whether they take its place.
    return { sees: () => null, agrees: (said) => said === null || says(said, perPoint) };
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

const lines: FactorCheck<string> = {
  follows: (program, carriesSince) => {
    const perPoint = thousandths(program.earning.money_per_point);
    const mayHave = hasRules(program) || carriesSince !== null;
    return {
      sees: ({ ruled }) =>
        mayHave
          ? JSON.stringify([expectedRules(program, ruled), carriedBy(program, carriesSince, ruled)])
          : '',
      agrees(said, expected) {
        if (expected === '') return said === null;
        const [rules, carried] = JSON.parse(expected) as [ExpectedRules, readonly number[] | null];
        if (said === null) return carried === null && keepsExpected([], rules, true, []);
        const [price, multiplied, excluded, ...more] = said as [
          unknown,
          (readonly unknown[])[],
          unknown[],
          ...unknown[],
        ];
        return (
          price === perPoint &&
          JSON.stringify(more) === JSON.stringify(carried === null ? [] : [carried]) &&
          (carried !== null || multiplied.length + excluded.length > 0) &&
          keepsExpected(multiplied, rules, true, excluded)
        );
      },
    };
  },
  after: (_, said, part) => figureOfLines(part, said),
};

const added: FactorCheck<string> = {
  follows: (program) => ({
    sees: hasRules(program) ? ({ ruled }) => JSON.stringify(expectedRules(program, ruled)) : () => '',
    agrees(said, expected) {
      if (expected === '') return said === null;
      const { excluded: _, ...rules } = JSON.parse(expected) as ExpectedRules;
      const those = (said?.[0] ?? []) as (readonly unknown[])[];
      return (said === null || those.length > 0) && keepsExpected(those, { ...rules, excluded: null }, false);
    },
  }),
  after: (points, said, part) => points + addedTo(part, said),
};

const cap: FactorCheck<string> = {
  follows: (program) => ({
    sees: ({ ruled }) => roomFor(program, ruled),
    agrees: (said, expected) => (said === null ? expected === '' : JSON.stringify(said) === expected),
  }),
  after: (points, [room]) => (points > integer(room) ? integer(room) : points),
};

/** In the order of the contract. */
const checks: { readonly [Kind in Step[0]]: FactorCheck<Sight> } = { money, lines, double, tier, added, cap };

/** Applies the factors of a purchase to a part of it. Returns the figure after each. */
export function figuresBy(factors: readonly Step[], part: CheckedPart): bigint[] {
  let figure = part.amount;
  return factors.map(([kind, , ...said]) => {
    if (!Object.hasOwn(checks, kind)) throw new TypeError(`no factor is called ${kind}`);
    return (figure = checks[kind].after(figure, said, part));
  });
}

/** A program as the checks of factors read it. */
export interface CheckedFactors {
  /** Returns what the checks see of a purchase. Purchases of which they see the same have the same factors. */
  see(purchase: CheckedPurchase): readonly Sight[];
  /** Returns the factors in which such a purchase differs from the program, and `order` if they are in the wrong order. */
  off(factors: readonly Step[], seen: readonly Sight[]): string[];
}

/** @param carriesSince the first version of those up to this one that all carry remainders; null if this one does not */
export function checkedFactors(program: Program, carriesSince: number | null): CheckedFactors {
  const followed = Object.entries(checks).map(
    ([kind, check]) => [kind, check.follows(program, carriesSince)] as const,
  );
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
      if (factors.filter(([kind]) => kind === 'money' || kind === 'lines').length !== 1) off.push('money');
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
