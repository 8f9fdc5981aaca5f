import type { Day } from '#calendar/calendar.ts';
import { sql } from '#db/database.ts';
import { coverStanding } from './cover-standing.ts';

/** A person at a commerce, as one row says it. */
export interface Member {
  readonly commerceId: number;
  readonly id: number;
  readonly state: MemberState;
  /** Null once the person is erased. */
  readonly email: string | null;
  readonly userId: number | null;
  /** Null while the person is invited: points wait for an address. */
  readonly code: number | null;
  readonly username: string | null;
  readonly phone: string | null;
  readonly birthDate: Day | null;
  readonly enrolledAt: Date | null;
  readonly leftAt: Date | null;
  readonly blockedAt: Date | null;
  readonly invitedAt: Date | null;
  readonly figures: Figures;
  readonly purchases: number;
  /** Local day of the last purchase or exchange. */
  readonly movedOn: Day | null;
  readonly standing: Standing;
  /** The money of purchases that waits for the next one; null if none ever has. */
  readonly remainder: Remainder | null;
}

export interface Remainder {
  /** Thousandths of the currency unit. Below zero after some returns. */
  readonly thousandths: number;
  /** The first version of the program since which it is carried. */
  readonly since: number;
}

export type MemberState = 'invited' | 'member' | 'left';

/** Lifetime figures: what tiers are measured in. Spending points lowers neither. */
export interface Figures {
  readonly points: number;
  readonly amount: number;
}

/** Where a member stands on the ladder of tiers. */
export interface Standing {
  /** The tier's `id` in the program; null with no tier. */
  readonly tierId: string | null;
  readonly reachedAt: Date | null;
  /** First day of the tier's periods, from which their ends are counted; null is the day on which it was reached. */
  readonly periodFrom: Day | null;
  /** Last local day of the tier's period; null where it does not end. */
  readonly expiresOn: Day | null;
  /** Its period ended and no tier was earned in it: the name stays, the multiplier counts no more. */
  readonly expired: boolean;
  /** Lifetime figures right after the tier was reached: the period's own figure counts from here. */
  readonly periodBase: Figures;
  /** Lifetime figures at the last move down or expiry, zero before: climbing counts from here. */
  readonly climbBase: Figures;
  /** When that was; null where there was none. */
  readonly climbFrom: Date | null;
  /** The standing by the rules, which goes on beneath a tier that staff have pinned. Null without a pin. */
  readonly beneath: Standing | null;
}

/** The columns of `members m` in the shape of `MemberRow`. */
export const memberColumns = sql.raw(`
  m.commerce_id as "commerceId", m.id, m.state, m.email, m.user_id as "userId", m.code, m.username, m.phone,
  m.birth_date as "birthDate", m.enrolled_at as "enrolledAt", m.left_at as "leftAt", m.blocked_at as "blockedAt",
  m.invited_at as "invitedAt",
  m.points_earned as "pointsEarned", m.amount_spent as "amountSpent", m.purchases, m.moved_on as "movedOn",
  m.tier_id as "tierId", m.tier_reached_at as "tierReachedAt", m.tier_period_from as "tierPeriodFrom",
  m.tier_expires_on as "tierExpiresOn", m.tier_expired as "tierExpired", m.tier_pinned as "tierPinned",
  m.tier_pinned_at as "tierPinnedAt", m.tier_beneath as "tierBeneath",
  m.tier_period_base_points as "periodBasePoints", m.tier_period_base_amount as "periodBaseAmount",
  m.tier_climb_base_points as "climbBasePoints", m.tier_climb_base_amount as "climbBaseAmount",
  m.tier_climb_from as "tierClimbFrom", m.remainder as "remainderThousandths", m.remainder_since as "remainderSince"`);

export interface MemberRow extends Omit<Member, 'figures' | 'standing' | 'remainder'> {
  readonly pointsEarned: number;
  readonly amountSpent: number;
  readonly tierId: string | null;
  readonly tierReachedAt: Date | null;
  readonly tierPeriodFrom: Day | null;
  readonly tierExpiresOn: Day | null;
  readonly tierExpired: boolean;
  readonly tierPinned: boolean;
  readonly tierPinnedAt: Date | null;
  readonly tierBeneath: string | null;
  readonly periodBasePoints: number;
  readonly periodBaseAmount: number;
  readonly climbBasePoints: number;
  readonly climbBaseAmount: number;
  readonly tierClimbFrom: Date | null;
  readonly remainderThousandths: number | null;
  readonly remainderSince: number | null;
}

/** The row as the rules take it. */
export function memberOf(row: MemberRow): Member {
  return {
    commerceId: row.commerceId,
    id: row.id,
    state: row.state,
    email: row.email,
    userId: row.userId,
    code: row.code,
    username: row.username,
    phone: row.phone,
    birthDate: row.birthDate,
    enrolledAt: row.enrolledAt,
    leftAt: row.leftAt,
    blockedAt: row.blockedAt,
    invitedAt: row.invitedAt,
    figures: { points: row.pointsEarned, amount: row.amountSpent },
    purchases: row.purchases,
    movedOn: row.movedOn,
    standing: standingOf(row),
    remainder: remainderOf(row),
  };
}

function remainderOf({
  remainderThousandths: thousandths,
  remainderSince: since,
}: MemberRow): Remainder | null {
  return thousandths === null || since === null ? null : { thousandths, since };
}

/**
 * Older releases know only `tier_pinned`, and leave the other columns of a pin as they are. A tier that they pinned was held by the rules.
 */
function standingOf(row: MemberRow): Standing {
  const isPinned = row.tierPinned && row.tierPinnedAt !== null;
  const byTheRules: Standing = {
    tierId: isPinned ? row.tierBeneath : row.tierId,
    reachedAt: row.tierReachedAt,
    periodFrom: row.tierPeriodFrom,
    expiresOn: row.tierExpiresOn,
    expired: row.tierExpired,
    periodBase: { points: row.periodBasePoints, amount: row.periodBaseAmount },
    climbBase: { points: row.climbBasePoints, amount: row.climbBaseAmount },
    climbFrom: row.tierClimbFrom,
    beneath: null,
  };
  return row.tierPinned
    ? coverStanding(byTheRules, row.tierId, row.tierPinnedAt ?? row.tierReachedAt)
    : byTheRules;
}
