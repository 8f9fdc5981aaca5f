import { Type, type Static } from 'typebox';
import type { Commerce } from '#commerces/commerce.ts';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { openRules } from '#points/open-rules.ts';
import { tellRule } from '#points/tell-rule.ts';
import { nameOfBranch, nameOfRegister } from '#program/branches.ts';
import { COUNTED_PERIODS } from '#program/earning-rules.ts';

const RuleSchema = Type.Object(
  {
    id: Type.String({ examples: ['morning-coffee'] }),
    title: Type.String({ description: 'Its name, as the shop wrote it.', examples: ['Double on coffee'] }),
    text: Type.Object(
      {
        en: Type.String({ examples: ['points × 2 on coffee, from 07:00 to 10:00'] }),
        es: Type.String({ examples: ['puntos × 2 en coffee, de 07:00 a 10:00'] }),
      },
      { description: 'What it gives and asks, in the languages of the pages.' },
    ),
    is_open: Type.Boolean({ description: 'True if it is in force now.', examples: [true] }),
    opens_at: Nullable(Instant({ description: 'When it is in force next. Null if it is now.' })),
    closes_at: Nullable(
      Instant({
        description: 'When it stops for the first time after that. Null if it does not in seven days.',
      }),
    ),
    give: Type.Object({
      multiply: Nullable(Type.Number({ examples: [2] })),
      points: Nullable(Int64({ examples: [25] })),
      per: Nullable(
        StrEnum(['purchase', 'unit'], { description: 'What the points are for. Null for a multiplier.' }),
      ),
    }),
    when: Type.Object(
      {
        products: Type.Array(Type.String({ examples: ['latte'] })),
        categories: Type.Array(Type.String({ examples: ['coffee'] })),
        channels: Type.Array(Type.String({ examples: ['web'] })),
        branches: Type.Array(Int64({ examples: [3] })),
        registers: Type.Array(Int64({ examples: [7] })),
        levels: Type.Array(Type.String({ examples: ['gold'] })),
        first_purchase: Type.Boolean({ examples: [false] }),
        min_amount: Nullable(Int64({ examples: [50] })),
        joined_days: Nullable(Int64({ examples: [30] })),
      },
      { description: 'What it asks besides the time. An empty list is no condition.' },
    ),
    limit: Nullable(Type.Object({ times: Int64({ examples: [1] }), per: StrEnum(COUNTED_PERIODS) })),
  },
  { title: 'PublicEarningRule' },
);

export const PublicEarningSchema = Type.Object(
  { rules: Type.Array(RuleSchema, { description: 'Those that are in force now first, then the earliest.' }) },
  { title: 'PublicEarning' },
);

/** Returns the public rules of now and the next seven days. */
export function publicEarningToWire({ rules, program, now }: Commerce): Static<typeof PublicEarningSchema> {
  const { timeZone, tiers } = rules;
  const told = {
    timeZone,
    currency: program.currency,
    nameOfLevel: (id: string) => tiers.ladder.find((tier) => tier.id === id)?.name ?? id,
    nameOfBranch: (id: number) => nameOfBranch(program.branches, id),
    nameOfRegister: (id: number) => nameOfRegister(program.branches, id, null),
  };
  return {
    rules: openRules(rules.earning, now, timeZone).map(({ rule, opensAt, closesAt }) => {
      const { when, gives, limit } = rule;
      return {
        id: rule.id,
        title: rule.title,
        text: {
          en: tellRule(rule, { ...told, language: 'en' }),
          es: tellRule(rule, { ...told, language: 'es' }),
        },
        is_open: opensAt === null,
        opens_at: opensAt,
        closes_at: closesAt,
        give:
          gives.kind === 'multiply'
            ? { multiply: gives.thousandths / 1000, points: null, per: null }
            : { multiply: null, points: gives.points, per: gives.per },
        when: {
          products: [...(when.products ?? [])],
          categories: [...(when.categories ?? [])],
          channels: [...(when.channels ?? [])],
          branches: [...(when.branches ?? [])],
          registers: [...(when.registers ?? [])],
          levels: [...(when.levels ?? [])],
          first_purchase: when.firstPurchase,
          min_amount: when.minAmount === 0 ? null : when.minAmount,
          joined_days: when.joinedDays,
        },
        limit: limit && { times: limit.times, per: limit.per },
      };
    }),
  };
}
