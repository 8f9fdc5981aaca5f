import type { Program } from '#program/program.ts';
import type { FirstBenefit, SetUpAnswers } from './answers.ts';

type Benefit = Program['benefits'][number];

/** A benefit that a shop could begin with. `spend` is what a member has to spend for it. */
export interface SuggestedBenefit {
  readonly kind: Exclude<FirstBenefit, 'none'>;
  readonly title: string;
  readonly cost: number;
  /** The percentage or the amount. */
  readonly value: number | null;
  readonly spend: number;
}

/**
 * Suggests three first benefits in the members' language. They are worth about a twentieth of what is spent on them, which is what most
 * shops give. The person's own changes to the chosen one count.
 */
export function suggestBenefits(answers: SetUpAnswers): SuggestedBenefit[] {
  const { money_per_point: moneyPerPoint, benefit, title, cost } = answers;
  if (moneyPerPoint === null) return [];
  const words = wordsFor(answers.locale);
  const suggested = [
    { kind: 'product', title: words.product, cost: 50, value: null },
    { kind: 'percentage', title: words.percentage, cost: 100, value: 10 },
    { kind: 'amount', title: words.amount, cost: 100, value: thousandths(5 * moneyPerPoint) },
  ] as const;
  return suggested.map((one) => {
    const own = one.kind === benefit ? { title: title ?? one.title, cost: cost ?? one.cost } : {};
    const known = { ...one, ...own };
    return { ...known, spend: thousandths(known.cost * moneyPerPoint) };
  });
}

/** Returns the chosen benefit as a program file says it; none if none was chosen. */
export function firstBenefits(answers: SetUpAnswers): Partial<Benefit>[] {
  const chosen = suggestBenefits(answers).find(({ kind }) => kind === answers.benefit);
  if (chosen === undefined) return [];
  const { kind, title, cost, value } = chosen;
  const common = { title, cost, description: wordsFor(answers.locale).description[kind], valid_days: 30 };
  if (kind === 'product')
    return [
      {
        ...common,
        id: 'first-gift',
        type: 'free_product',
        product: { id: null, name: title, external_id: null },
      },
    ];
  const type = kind === 'percentage' ? 'percentage' : 'absolute';
  const coupon = {
    type,
    value: value!,
    category: null,
    category_name: null,
    end_date: null,
    product: null,
  } as const;
  return [{ ...common, id: 'first-discount', type: `${type}_discount`, value, shop_coupon: coupon }];
}

const ENGLISH = {
  product: 'A coffee on us',
  percentage: '10% off',
  amount: 'A thank-you',
  description: {
    product: 'Ask for it at the counter',
    percentage: 'On one purchase',
    amount: 'Off one purchase',
  },
};

const SPANISH: typeof ENGLISH = {
  product: 'Un café de regalo',
  percentage: '10 % de descuento',
  amount: 'Un gracias',
  description: {
    product: 'Pídelo en la caja',
    percentage: 'En una compra',
    amount: 'De descuento en una compra',
  },
};

function wordsFor(locale: string | null): typeof ENGLISH {
  return /^es\b/i.test(locale ?? '') ? SPANISH : ENGLISH;
}

/** Removes what binary fractions add: 5 × 0.1 is 0.5. */
function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}
