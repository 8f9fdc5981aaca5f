import type { MovementType } from '#points/locked-member.ts';

/** The content of a type of events. */
interface EventType {
  /** One sentence for the documents. */
  readonly about: string;
  /** The fields of its `data` besides `member_id`. */
  readonly fields: readonly string[];
  /** The movement of the ledger that is this event. Without it, the event is a row of `happenings`. Some types can be both. */
  readonly movement?: MovementType;
}

/** Fields of every event that is a movement. */
const OF_MOVEMENT = ['movement_id', 'points', 'dates'] as const;

/**
 * All types of events, in the order of the documents. A new type is a line here, and a movement of that type or a call of
 * `storeHappenings`. A type that was released is never renamed, and keeps its meaning.
 */
export const EVENT_TYPES = {
  'purchase.recorded': {
    about: 'A purchase was recorded.',
    fields: [...OF_MOVEMENT, 'amount', 'points_earned', 'counter_id', 'id_suc', 'external_id'],
    movement: 'purchase',
  },
  'purchase.corrected': {
    about: 'More was paid for a purchase than was recorded. `reverses_id` is the purchase.',
    fields: [...OF_MOVEMENT, 'amount', 'points_earned', 'reverses_id'],
    movement: 'correction',
  },
  'points.available': {
    about:
      'Points of a purchase have stopped waiting. A job writes it within the hour; `program_at` is the instant from which they could be spent. `reverses_id` is the purchase.',
    fields: [...OF_MOVEMENT, 'reverses_id'],
    movement: 'available',
  },
  'points.cancelled': {
    about:
      'Nobody has confirmed a purchase in time, and the points that waited for that are gone. A job writes it within the hour, after a `purchase.reversed` with the rest.',
    fields: ['points'],
  },
  'purchase.reversed': {
    about: 'A purchase or a part of it was taken back.',
    fields: [...OF_MOVEMENT, 'amount', 'points_earned', 'reverses_id'],
    movement: 'reversal',
  },
  'points.expired': {
    about:
      'Points expired. A job writes it within the hour; `program_at` is the instant from which they no longer counted.',
    fields: OF_MOVEMENT,
    movement: 'expiry',
  },
  'points.expiring': {
    about: 'A member was reminded that points expire soon.',
    fields: ['points', 'expires_on', 'days_before'],
  },
  'points.adjusted': {
    about: 'The shop added or took points, or an erasure ended them.',
    fields: [...OF_MOVEMENT, 'points_earned'],
    movement: 'adjustment',
  },
  'points.dates_changed': {
    about: 'Points expire on other days than before. Their number is the same.',
    fields: OF_MOVEMENT,
    movement: 'redate',
  },
  'voucher.issued': {
    about: 'A member bought a benefit with points, or got it as a reward.',
    fields: [...OF_MOVEMENT, 'voucher_id', 'benefit_id', 'source', 'due_date'],
    movement: 'exchange',
  },
  'voucher.held': {
    about:
      'A cart holds a code, or holds it for longer than before, or the order that it became takes it over. The hold ends by itself at `held_until`, in real time, without an event. So it does when the code is used, given back or void.',
    fields: ['voucher_id', 'benefit_id', 'external_id', 'held_until'],
  },
  'voucher.released': {
    about: 'A cart let go of a code before the hold ended by itself.',
    fields: ['voucher_id', 'benefit_id', 'external_id'],
  },
  'voucher.used': {
    about: 'A code was redeemed.',
    fields: [...OF_MOVEMENT, 'voucher_id', 'benefit_id', 'counter_id'],
    movement: 'usage',
  },
  'voucher.restored': {
    about:
      'The shop undid the use of a code. It ends at `due_date`, which may be later than before. If it cannot be used again, a `voucher.voided` follows.',
    fields: [...OF_MOVEMENT, 'voucher_id', 'benefit_id', 'due_date'],
    movement: 'undo',
  },
  'voucher.given_back': {
    about: 'The shop took back an unused code, and the member has the points again.',
    fields: [...OF_MOVEMENT, 'voucher_id', 'benefit_id'],
    movement: 'give_back',
  },
  'voucher.voided': {
    about: 'An unused code is void: what it came with was taken back, or its holder was erased.',
    fields: ['voucher_id', 'benefit_id'],
  },
  'voucher.expiring': {
    about:
      'An unused code ends on the seventh day from today or sooner, at `due_date`. Told once. A code that is issued with seven days or less has none, and one whose use is undone may have none, or a second one.',
    fields: ['voucher_id', 'benefit_id', 'due_date'],
  },
  'stamp.given': {
    about:
      'A purchase stamped a card, more of it is kept again, or the use of a code was undone, whose stamps pay a debt. `have` are the stamps on the card now, `full` the cards that this filled.',
    fields: ['stamp_id', 'stamps', 'have', 'full'],
  },
  'stamp.taken': {
    about:
      'A return took stamps from a card. `have` is below zero if the code of a full card had been used; other codes have a `voucher.voided` each.',
    fields: ['stamp_id', 'stamps', 'have', 'full'],
  },
  'member.invited': {
    about: 'Points or a card wait for an address that has not joined.',
    fields: [],
  },
  'member.joined': {
    about: 'Somebody joined the program, for the first time or again.',
    fields: ['again'],
  },
  'member.left': { about: 'A member left the program, and keeps points and codes.', fields: [] },
  'member.updated': {
    about: 'The profile of a member changed. `fields` names what changed, not to what.',
    fields: ['fields'],
  },
  'member.blocked': { about: 'The shop blocked a member.', fields: [] },
  'member.unblocked': { about: 'The shop let a blocked member take part again.', fields: [] },
  'member.erased': {
    about: 'A person was erased. Delete what you keep of them.',
    fields: [],
  },
  'tier.reached': {
    about: 'A member stands higher on the ladder than before.',
    fields: ['level_id', 'expired', 'previous_level_id'],
  },
  'tier.lost': {
    about: 'A member stands lower on the ladder than before, or the level has expired.',
    fields: ['level_id', 'expired', 'previous_level_id'],
  },
  'reward.given': {
    about: 'A member got a reward: points, or a code, for which there is a `voucher.issued` too.',
    fields: [...OF_MOVEMENT, 'points_earned', 'reward', 'period', 'benefit_id', 'voucher_id'],
    movement: 'reward',
  },
  'order.changed': {
    about: 'An order is in another state. What it earned and used has events of its own.',
    fields: ['external_id', 'status', 'version', 'paid', 'refunded'],
  },
  'program.published': { about: 'Another version of the program is in force.', fields: ['version'] },
} as const satisfies Record<string, EventType>;

export type EventTypeName = keyof typeof EVENT_TYPES;

export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as EventTypeName[];

const TYPE_OF_MOVEMENT: ReadonlyMap<MovementType, EventTypeName> = new Map(
  EVENT_TYPE_NAMES.flatMap((name) => {
    const { movement }: EventType = EVENT_TYPES[name];
    return movement === undefined ? [] : [[movement, name] as const];
  }),
);

/** Returns the type of the event that a movement is. */
export function eventTypeOf(movement: MovementType): EventTypeName {
  return TYPE_OF_MOVEMENT.get(movement)!;
}
