import type { Program } from '@loyalty/sdk/admin';
import type { Format } from '../../format.ts';
import { numberIn, sayConditions, type Piece } from '../rules/sentence.ts';
import type { RuleTexts } from '../rules/texts.ts';
import { titleOf } from '../value-text.tsx';
import type { StampTexts } from './texts.ts';

export type Card = Program['stamps'][number];

/** Says a card in one sentence: **10 stamps** give **a coffee**: one for each **purchase** of **coffee**. */
export function sayCard(
  { need, per, when, then, within_months: months, min_minutes_between: pause }: Card,
  program: Program,
  t: StampTexts['said'],
  ofRules: RuleTexts['said'],
  f: Format,
): readonly Piece[] {
  const number = numberIn(f);
  const isPerUnit = per === 'unit';
  const least = (money: string) => t.least(money, isPerUnit);
  return [
    t.need(number(need)),
    t.gift(titleOf(then.benefit, program)),
    t.each(isPerUnit),
    ...sayConditions(when, program, { ...ofRules, on: t.of, least, first: t.first }, f),
    pause === null ? null : t.pause(pause, number(pause)),
    months === null ? null : t.within(months, number(months)),
  ].filter((piece) => piece !== null);
}
