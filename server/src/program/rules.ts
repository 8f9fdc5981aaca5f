/** The rules of one commerce at one version, in the form that the pure functions of the program take. */
export interface Rules {
  readonly version: number;
  /** IANA zone; every local day of the program is a day of this zone. */
  readonly timeZone: string;
  readonly earning: EarningRules;
  readonly expiration: ExpirationRules;
  readonly tiers: TierRules;
  readonly rewards: RewardRules;
}

export interface EarningRules {
  /** Currency units for one point, in thousandths. */
  readonly moneyPerPointThousandths: number;
  /** Ceiling of one purchase, in whole currency units. */
  readonly maxAmount: number;
  /** What a return does where the points are already spent. */
  readonly returns: 'negative' | 'clamp' | 'refuse';
  /** Windows of double points: from inclusive, to exclusive. */
  readonly doublePoints: readonly { readonly from: Date; readonly to: Date }[];
}

/** `months` is 0 where nothing expires. */
export interface ExpirationRules {
  readonly mode: 'none' | 'rolling' | 'accumulated';
  readonly months: number;
}

export interface TierRules {
  readonly thresholdType: 'points' | 'amount';
  /** How long a tier is held once reached; null holds it for ever. */
  readonly validMonths: number | null;
  /** By rank, ascending; ranks count from 1. */
  readonly ladder: readonly Tier[];
}

export interface Tier {
  /** Names the tier for good, whatever its name or place. */
  readonly id: string;
  /** Its place in this ladder. */
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

/** A reward hands out points or a benefit, never both. */
export type Reward = { readonly points: number } | { readonly benefitId: string };
