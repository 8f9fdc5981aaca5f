import type { Earning } from '#points/factors/factor.ts';
import { NEWCOMER, NOWHERE } from '#points/purchase-facts.ts';
import { checkProgram } from '#program/check-program.ts';
import { rulesOf } from '#program/compile-rules.ts';

/** The ways in which points are earned; numbers in thousandths. */
export interface EarningBy {
  readonly moneyPerPoint: number;
  readonly double?: boolean;
  /** Of the tier Gold. */
  readonly multiplier?: number;
}

const least = { slug: 'a', name: 'A', currency: 'EUR', time_zone: 'UTC', earning: { money_per_point: 1 } };
const at = new Date('2026-11-28T12:00:00Z');

/** A purchase as its factors see it, by the rules of a program that says nothing else. */
export function earning(
  amount: number,
  { moneyPerPoint, double = false, multiplier = 1000 }: EarningBy,
): Earning {
  const checked = checkProgram(least);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  const rules = rulesOf(checked.program, 1);
  const day = 86_400_000;
  const doublePoints = double
    ? [{ from: new Date(at.getTime() - day), to: new Date(at.getTime() + day) }]
    : [];
  return {
    amount,
    at,
    ...NOWHERE,
    buyer: NEWCOMER,
    rules: {
      ...rules,
      earning: { ...rules.earning, moneyPerPointThousandths: moneyPerPoint, doublePoints },
    },
    tier: {
      id: 'gold',
      rank: 1,
      name: 'Gold',
      threshold: 0,
      multiplierThousandths: multiplier,
      iconUrl: null,
      benefitId: null,
    },
  };
}
