import { pointsForPurchase } from '#points/points-for-purchase.ts';
import { NEWCOMER, NOWHERE } from '#points/purchase-facts.ts';
import { InvalidRequest, type Issue } from '#problems/invalid-request.ts';
import { checkProgram } from '#program/check-program.ts';
import { rulesOf } from '#program/compile-rules.ts';
import { firstMaxAmount } from '#program/first-max-amount.ts';
import type { Program } from '#program/program.ts';
import type { SetUpAnswers } from './answers.ts';
import { firstBenefits } from './suggest-benefits.ts';

/**
 * Returns the program that the answers make, checked like a program file.
 * @throws InvalidRequest which names every answer that is missing or wrong
 */
export function firstProgram(answers: SetUpAnswers, slug: string | null): Program {
  const { name, color, currency, time_zone, locale, money_per_point } = answers;
  const checked = checkProgram({
    slug,
    name,
    color,
    currency,
    time_zone,
    locale,
    earning: {
      money_per_point,
      ...(money_per_point !== null && { max_amount: firstMaxAmount(money_per_point) }),
    },
    benefits: firstBenefits(answers),
  });
  if (checked.ok) return checked.program;
  const issues = checked.problems.map(({ path, message }): Issue => ({
    loc: ['body', answerOf(path)],
    msg: `Value error, ${message}`,
    type: 'value_error',
  }));
  throw new InvalidRequest(issues);
}

/** Returns the answer that a part of the program comes from. */
function answerOf([first, second]: readonly (string | number)[]): string {
  if (first === 'earning') return String(second ?? first);
  return first === 'benefits' ? 'benefit' : String(first);
}

/** A purchase and what it earns. */
export interface Example {
  readonly amount: number;
  readonly points: number;
}

/**
 * Returns what a small, a usual and a large purchase would earn, by the rule that records purchases. The usual one leaves
 * something over, so that one sees the rounding. Returns none as long as an answer is missing that they need.
 */
export function exampleEarnings(answers: SetUpAnswers, now: Date): Example[] {
  const { money_per_point: moneyPerPoint, currency, time_zone: timeZone } = answers;
  if (moneyPerPoint === null || currency === null || timeZone === null) return [];
  const rules = rulesOf(firstProgram({ ...answers, name: 'A shop', benefit: null }, 'a-shop'), 1);
  return [3.5, 17.5, 60].flatMap((times) => {
    const amount = Math.max(1, Math.floor(times * moneyPerPoint));
    const earned = pointsForPurchase({ amount, at: now, ...NOWHERE, tier: null, rules, buyer: NEWCOMER });
    return earned === null ? [] : [{ amount, points: earned.points }];
  });
}
