import type { Static } from 'typebox';
import type { Commerce } from '#commerces/commerce.ts';
import type { StaffProgramSchema } from './wire.ts';

/** Returns the rules of a program as the till and a member's page need them. */
export function staffProgramToWire(
  { now, today, status, rules, program }: Commerce,
  unusualAmount: number,
): Static<typeof StaffProgramSchema> {
  const { earning, expiration, tiers } = rules;
  return {
    now,
    today,
    status: status === 'paused' ? 'paused' : 'active',
    money_per_point: earning.moneyPerPointThousandths / 1000,
    max_amount: earning.maxAmount,
    unusual_amount: unusualAmount,
    double_points: earning.doublePoints
      .filter(({ to }) => now < to)
      .toSorted((a, b) => a.from.getTime() - b.from.getTime())
      .map(({ from, to }) => ({ from, to, is_open: from <= now })),
    points_expiration: {
      mode: expiration.mode,
      months: expiration.mode === 'none' ? null : expiration.months,
    },
    levels: tiers.ladder.map(({ id, name, threshold, multiplierThousandths }) => ({
      id,
      name,
      threshold,
      points_multiplier: multiplierThousandths / 1000,
    })),
    branches: program.branches.map(({ id, name, registers }) => ({
      id,
      name,
      registers: registers.map((register) => ({ id: register.id, name: register.name })),
    })),
    sold: soldIn(rules.earning, now),
    threshold_type: tiers.ladder.length === 0 ? null : tiers.thresholdType,
  };
}

/** As many buttons as a till can show. */
const MOST_SOLD = 24;

/** Returns the categories and the products that rules name which have not ended. */
function soldIn({ rules, excluded }: Commerce['rules']['earning'], now: Date) {
  const running = rules.filter(({ to }) => to === null || now < to);
  const named = (of: 'categories' | 'products') => [
    ...new Set([...running.flatMap(({ when }) => [...(when[of] ?? [])]), ...(excluded?.[of] ?? [])]),
  ];
  return [
    ...named('categories').map((name) => ({ kind: 'category' as const, name })),
    ...named('products').map((name) => ({ kind: 'product' as const, name })),
  ].slice(0, MOST_SOLD);
}
