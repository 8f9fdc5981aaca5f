import type { EarningRules } from './earning-rules.ts';
import type { StampRule } from './stamp-rules.ts';

/** The rules of one version of a commerce's program, as the pure functions need them. */
export interface Rules {
  readonly version: number;
  /** IANA time zone. All local days of the program are days in this zone. */
  readonly timeZone: string;
  readonly earning: EarningRules;
  readonly stamps: readonly StampRule[];
  readonly expiration: ExpirationRules;
  readonly tiers: TierRules;
  /** How many unused codes a member can hold and still buy another. */
  readonly mostUnusedCodes: number;
  readonly codes: CodeRules;
  readonly rewards: RewardRules;
}

/** What online shops may do with codes. */
export interface CodeRules {
  /** For how long a cart can hold a code. */
  readonly holdMinutes: number;
  /** For how long the use of a code can be undone; 0 if it cannot. */
  readonly undoDays: number;
  /** Whether an order that is cancelled, or names a code no longer, restores it in that time. */
  readonly restoresWithReturn: boolean;
}

/** `months` is 0 if points never expire. */
export interface ExpirationRules {
  readonly mode: 'none' | 'rolling' | 'accumulated';
  readonly months: number;
}

export interface TierRules {
  readonly thresholdType: 'points' | 'amount';
  /** How long a member keeps a tier after reaching it; null means for ever. */
  readonly validMonths: number | null;
  /** Sorted by rank, lowest first. Ranks count from 1. */
  readonly ladder: readonly Tier[];
}

export interface Tier {
  /** Stays the same when the tier's name or place changes. */
  readonly id: string;
  /** The tier's place in this ladder. */
  readonly rank: number;
  readonly name: string;
  readonly threshold: number;
  readonly multiplierThousandths: number;
  readonly iconUrl: string | null;
  readonly benefitId: string | null;
}

export interface RewardRules {
  readonly welcome: Reward | null;
  readonly birthday: Reward | null;
  readonly monthlyTop: (Reward & { readonly settleDays: number }) | null;
}

/** A reward gives points or a benefit, never both. */
export type Reward = { readonly points: number } | { readonly benefitId: string };
