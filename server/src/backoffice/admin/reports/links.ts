/** Where each figure of a report can be followed to. Null if nothing but the report tells about it. */
import type { BenefitsFigures } from '#reports/benefits-report.ts';
import type { LevelsFigures } from '#reports/levels-report.ts';
import type { LiabilityFigures } from '#reports/liability-report.ts';
import type { FollowedFigure } from '#reports/list-movements.ts';
import type { CountedPeople } from '#reports/list-people.ts';
import type { MembersFigures } from '#reports/members-report.ts';
import type { HomeFigures } from '#reports/overview.ts';
import type { PointsFigures } from '#reports/points-report.ts';
import type { PurchasesFigures } from '#reports/purchases-report.ts';
import type { ReportLinkWire } from './wire.ts';

type Links<Figures> = { [Figure in keyof Figures]: ReportLinkWire | null };
type Search = Extract<ReportLinkWire, { list: 'members' }>['search'];

const movements = (kind: FollowedFigure): ReportLinkWire => ({ list: 'movements', kind });
const people = (kind: CountedPeople): ReportLinkWire => ({ list: 'people', kind });

/** Returns a link to a search of members, which can be sent as it stands. */
function members(search: Search): ReportLinkWire {
  return { list: 'members', search };
}

export const pointsLinks: Links<PointsFigures> = {
  earned: movements('earned'),
  from_purchases: movements('from_purchases'),
  from_rewards: movements('from_rewards'),
  added_by_hand: movements('added_by_hand'),
  spent: movements('spent'),
  given_back: movements('given_back'),
  returned: movements('returned'),
  taken_by_hand: movements('taken_by_hand'),
  expired: movements('expired'),
  erased: movements('erased'),
  change: null,
};

export const membersLinks: Links<MembersFigures> = {
  joined: people('joined'),
  left: people('left'),
  active: movements('active'),
  first_time: null,
  members: members({ state: 'member' }),
};

export const purchasesLinks: Links<PurchasesFigures> = {
  purchases: movements('from_purchases'),
  amount: movements('from_purchases'),
  returns: movements('returned'),
  returned_amount: movements('returned'),
  net_amount: null,
  average_amount: movements('from_purchases'),
};

export const liabilityLinks: Links<LiabilityFigures> = {
  outstanding: null,
  broken: movements('broken'),
  spent: movements('spent'),
  breakage_percent: null,
};

export const liabilityNowLinks = {
  points: members({ min_points: 1 }),
  debt: members({ max_points: -1 }),
  endings: people('ending'),
};

export const benefitsLinks: Links<BenefitsFigures> = {
  issued: people('issued'),
  bought: movements('spent'),
  given: people('given'),
  points: movements('spent'),
  used: movements('used'),
  given_back: people('codes_given_back'),
};

export const levelsLinks: Links<LevelsFigures> = { reached: people('reached') };

/** Returns the link to those who have a tier now, or to those without one. */
export function levelLink(levelId: string | null): ReportLinkWire {
  return members({ state: 'member', level_id: levelId });
}

export function overviewLinks(soonDays: number): Record<keyof HomeFigures | 'ending_soon', ReportLinkWire> {
  return {
    purchases: movements('from_purchases'),
    amount: movements('from_purchases'),
    earned: movements('earned'),
    spent: movements('spent'),
    used_codes: movements('used'),
    joined: people('joined'),
    ending_soon: members({ expiring_days: soonDays }),
  };
}
