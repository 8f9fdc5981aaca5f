import type { EventTypeName } from '@loyalty/sdk/admin';

/** All types of events. A list of another length, or with another name, does not compile. */
const ALL: Readonly<Record<EventTypeName, true>> = {
  'purchase.recorded': true,
  'purchase.corrected': true,
  'purchase.reversed': true,
  'points.available': true,
  'points.cancelled': true,
  'stamp.given': true,
  'stamp.taken': true,
  'points.expired': true,
  'points.expiring': true,
  'points.adjusted': true,
  'points.dates_changed': true,
  'voucher.issued': true,
  'voucher.held': true,
  'voucher.released': true,
  'voucher.used': true,
  'voucher.restored': true,
  'voucher.given_back': true,
  'voucher.voided': true,
  'voucher.expiring': true,
  'member.invited': true,
  'member.joined': true,
  'member.left': true,
  'member.updated': true,
  'member.blocked': true,
  'member.unblocked': true,
  'member.erased': true,
  'tier.reached': true,
  'tier.lost': true,
  'reward.given': true,
  'program.published': true,
  'order.changed': true,
};

export const EVENT_TYPES = Object.keys(ALL) as EventTypeName[];
