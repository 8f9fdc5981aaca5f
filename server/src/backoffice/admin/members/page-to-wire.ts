import type { Static } from 'typebox';
import { expiringOf } from '#accounts/my-account.ts';
import type { WireIds } from '#batching/wire-ids.ts';
import { balanceOn } from '#points/lots.ts';
import { pendingAt } from '#points/pending.ts';
import { personState } from '#search/found-person.ts';
import { figureOf, nextTier, tierHeld } from '#tiers/ladder.ts';
import { standingAt } from '#tiers/standing.ts';
import { nextDecision } from '#tiers/wire.ts';
import type { MemberFacts } from './read-member-page.ts';
import type { MemberPageSchema } from './wire.ts';

type Page = Static<typeof MemberPageSchema>;

/** The most days on which points end that a page lists one by one. */
const MOST_DAYS = 40;

/** Returns a member's page. Its figures are those that the member sees. */
export function memberPageToWire(
  facts: MemberFacts,
  { memberIds, purchaseIds }: { readonly memberIds: WireIds; readonly purchaseIds: WireIds },
): Page {
  const { member, commerce } = facts;
  return {
    member_id: memberIds.toWire(member.id),
    client_code: member.code,
    username: member.username,
    email: member.email,
    phone: member.phone,
    birth_date: member.birthDate,
    state: personState(member),
    enrolled_at: member.enrolledAt,
    left_at: member.leftAt,
    invited_at: member.invitedAt,
    blocked_at: member.blockedAt,
    block_reason: facts.blockReason,
    points: balanceOn(member.lots, commerce.today),
    waiting: waitingToWire(facts),
    ...levelToWire(facts, purchaseIds),
    lifetime: {
      amount: member.figures.amount,
      purchases: member.purchases,
      points_earned: member.figures.points,
      points_spent: facts.pointsSpent,
    },
    expirations: expirationsToWire(facts),
    last_purchase_at: facts.lastPurchaseAt,
    mail: facts.mail,
  };
}

/** Returns what waits of the purchases; null if nothing does. */
function waitingToWire({ member, commerce }: MemberFacts): Page['waiting'] {
  const waiting = pendingAt(member.pending, commerce.now).filter(({ points }) => points > 0);
  if (waiting.length === 0) return null;
  const next = waiting.find(({ becomes }) => becomes === 'available');
  return {
    points: waiting.reduce((sum, { points }) => sum + points, 0),
    next_at: next?.dueAt ?? null,
  };
}

function levelToWire(
  { member, commerce, reachedBy }: MemberFacts,
  purchaseIds: WireIds,
): Pick<Page, 'level' | 'next_level'> {
  const { rules, now } = commerce;
  const { standing } = standingAt(member, rules, now);
  const tier = tierHeld(standing, rules.tiers);
  const next = nextTier(standing, rules.tiers);
  return {
    level: tier && {
      id: tier.id,
      name: tier.name,
      rank: tier.rank,
      points_multiplier: tier.multiplierThousandths / 1000,
      reached_at: standing.reachedAt,
      expiration_date: nextDecision(member, standing, rules, commerce),
      is_expired: standing.expired,
      is_pinned: standing.beneath !== null,
      reached_by: reachedBy === null ? null : purchaseIds.toWire(reachedBy),
    },
    next_level: next && {
      id: next.id,
      name: next.name,
      missing: next.threshold - figureOf(member.figures, rules.tiers),
      threshold: next.threshold,
      threshold_type: rules.tiers.thresholdType,
    },
  };
}

function expirationsToWire(facts: MemberFacts): Page['expirations'] {
  const days = expiringOf(facts).map(({ points, expiresAt }) => ({ points, expiration_date: expiresAt }));
  if (days.length <= MOST_DAYS) return days;
  const rest = days.slice(MOST_DAYS).reduce((sum, { points }) => sum + points, 0);
  return [...days.slice(0, MOST_DAYS), { points: rest, expiration_date: null }];
}
