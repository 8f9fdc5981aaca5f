import type { Static } from 'typebox';
import { expiringOf } from '#accounts/my-account.ts';
import type { WireIds } from '#calls/wire-ids.ts';
import type { Commerce } from '#commerces/commerce.ts';
import type { Member } from '#members/member.ts';
import type { LockedMember } from '#points/locked-member.ts';
import { balanceOn } from '#points/lots.ts';
import { figureOf, nextTier, tierThatCounts } from '#tiers/ladder.ts';
import { standingAt } from '#tiers/standing.ts';
import type { Voucher } from '#vouchers/voucher.ts';
import type { FoundMemberWire, TillMemberSchema } from './wire.ts';
import { tillVoucherToWire } from './voucher-to-wire.ts';

/** A member with their points, for display. */
export interface Shown {
  readonly member: LockedMember;
  readonly commerce: Commerce;
}

/** How an answer names things, and whether whoever gets it may see e-mail addresses. */
export interface View {
  readonly memberIds: WireIds;
  readonly serviceUrl: string;
  readonly seesEmails: boolean;
}

/** Returns a member as a list or the till shows one. */
export function foundMemberToWire({ member, commerce }: Shown, view: View): FoundMemberWire {
  const { rules, now, today } = commerce;
  const { standing } = standingAt(member, rules, now);
  return {
    member_id: view.memberIds.toWire(member.id),
    client_code: member.code,
    username: member.username,
    email: member.email === null || view.seesEmails ? member.email : maskEmail(member.email),
    state: stateOfMember(member),
    level_name: tierThatCounts(standing, rules.tiers)?.name ?? null,
    points: balanceOn(member.lots, today),
  };
}

/** Returns a member with what helps at the till: the tier, what expires next, and the codes that can be used. */
export function tillMemberToWire(
  shown: Shown,
  vouchers: readonly Voucher[],
  view: View,
): Static<typeof TillMemberSchema> {
  const { member, commerce } = shown;
  const { rules, now } = commerce;
  const { standing } = standingAt(member, rules, now);
  const tier = tierThatCounts(standing, rules.tiers);
  const next = nextTier(standing, rules.tiers);
  const [expiring] = expiringOf(shown);
  return {
    ...foundMemberToWire(shown, view),
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
    vouchers: vouchers.map((voucher) => tillVoucherToWire(voucher, { username: member.username, now }, view)),
  };
}

/** An erased person has no address. Whether somebody blocked a member matters more than whether the member left. */
export function stateOfMember({
  state,
  blockedAt,
  email,
}: Pick<Member, 'state' | 'blockedAt' | 'email'>): FoundMemberWire['state'] {
  if (email === null) return 'erased';
  return blockedAt === null ? state : 'blocked';
}

/** Shows enough of an address to compare it with what a customer says: `e…@example.com`. */
export function maskEmail(email: string): string {
  const [first = ''] = email;
  return `${first}…${email.slice(email.lastIndexOf('@'))}`;
}
