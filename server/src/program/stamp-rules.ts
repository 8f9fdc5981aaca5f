import { conditionsOf, type EarningConditions } from './earning-rules.ts';
import type { Program } from './program.ts';

/** A kind of card that purchases stamp. A full one gives a code. */
export interface StampRule {
  readonly id: string;
  readonly title: string;
  /** Whether purchases stamp nothing for now. */
  readonly paused: boolean;
  readonly when: EarningConditions;
  /** What is stamped: each purchase once, or each unit of its lines. */
  readonly per: 'purchase' | 'unit';
  /** Stamps of a full card. */
  readonly need: number;
  /** For how many months a card counts, from its first stamp; null if for ever. */
  readonly withinMonths: number | null;
  /** The pause between two purchases that stamp; 0 for none. */
  readonly minMinutesBetween: number;
  readonly benefitId: string;
}

export function stampRuleOf(stamps: Program['stamps'][number]): StampRule {
  const { id, title, paused, when, per, need } = stamps;
  return {
    id,
    title,
    paused,
    when: conditionsOf(when),
    per,
    need,
    withinMonths: stamps.within_months,
    minMinutesBetween: stamps.min_minutes_between ?? 0,
    benefitId: stamps.then.benefit,
  };
}
