import type { Static } from 'typebox';
import { expiringOf } from '#accounts/my-account.ts';
import type { WireIds } from '#batching/wire-ids.ts';
import type { Commerce } from '#commerces/commerce.ts';
import type { FoundPerson } from '#search/found-person.ts';
import type { ShownCard } from '#stamps/shown-cards.ts';
import { tillStampsToWire } from '#stamps/wire.ts';
import { figureOf, nextTier, tierThatCounts } from '#tiers/ladder.ts';
import { standingAt } from '#tiers/standing.ts';
import type { Voucher } from '#vouchers/voucher.ts';
import type { FoundMemberWire, TillMemberSchema } from './wire.ts';
import { tillVoucherToWire } from './voucher-to-wire.ts';

/** How an answer names things, and whether whoever gets it may see e-mail addresses. */
export interface View {
  readonly memberIds: WireIds;
  readonly serviceUrl: string;
  readonly seesEmails: boolean;
}

/** Returns a member as a list or the till shows one. */
export function foundMemberToWire(
  { member, state, levelName, points }: FoundPerson,
  view: View,
): FoundMemberWire {
  return {
    member_id: view.memberIds.toWire(member.id),
    client_code: member.code,
    username: member.username,
    email: member.email === null || view.seesEmails ? member.email : maskEmail(member.email, member.username),
    state,
    level_name: levelName,
    points,
  };
}

/** Returns a member with what helps at the till: the tier, what expires next, and the codes that can be used. */
export function tillMemberToWire(
  person: FoundPerson,
  commerce: Commerce,
  vouchers: readonly Voucher[],
  cards: readonly ShownCard[],
  view: View,
): Static<typeof TillMemberSchema> {
  const { member } = person;
  const { rules, now } = commerce;
  const { standing } = standingAt(member, rules, now);
  const tier = tierThatCounts(standing, rules.tiers);
  const next = nextTier(standing, rules.tiers);
  const [expiring] = expiringOf({ member, commerce });
  return {
    ...foundMemberToWire(person, view),
    level: tier && { id: tier.id, name: tier.name, points_multiplier: tier.multiplierThousandths / 1000 },
    next_level: next && {
      name: next.name,
      missing: next.threshold - figureOf(member.figures, rules.tiers),
      threshold_type: rules.tiers.thresholdType,
    },
    expiring:
      expiring === undefined
        ? null
        : { points: expiring.points, expiration_date: expiring.expiresAt, days_left: expiring.daysLeft },
    stamps: tillStampsToWire(cards, commerce),
    vouchers: vouchers.map((voucher) => tillVoucherToWire(voucher, { username: member.username, now }, view)),
  };
}

/**
 * Shows enough of an address to compare it with what a customer says: `e…@example.com`. The name of a new member is the first
 * part of the address, and the domain beside it would tell the whole.
 */
function maskEmail(email: string, username: string | null): string {
  const at = email.lastIndexOf('@');
  const isTold = username?.toLowerCase() === email.slice(0, at);
  return `${email.slice(0, 1)}…${isTold ? '@…' : email.slice(at)}`;
}
