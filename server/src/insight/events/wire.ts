import { Type, type Static } from 'typebox';
import type { KeyScope } from '#http/key-scopes.ts';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import type { SplitText } from '#points/split-text.ts';
import type { EventIds } from './feed.ts';
import { EVENT_TYPE_NAMES, EVENT_TYPES } from './event-types.ts';
import type { EventPerson, StoredEvent } from './read-events.ts';

const dates = Type.Array(
  Type.Object(
    {
      points: Int64({ description: 'The change of the points of that day.', examples: [26] }),
      expires_on: Nullable(
        Type.String({
          format: 'date',
          description: 'The last day on which they are valid. Null if they do not expire.',
          examples: ['2027-02-28'],
        }),
      ),
    },
    { title: 'EventDate' },
  ),
  { description: 'The change of the points, by the day on which they expire.' },
);

/** The person of an event, for readers who may see people. */
export const EventPersonSchema = Type.Object(
  {
    client_code: Nullable(Int64({ examples: [482915374] })),
    email: Nullable(Type.String({ examples: ['eva@example.com'] })),
    username: Nullable(Type.String({ examples: ['Eva'] })),
  },
  { title: 'EventPerson', description: 'The person as they are now. All null once they are erased.' },
);

/** The fields of all types. Which type has which is in the list of types. */
export const EventDataSchema = Type.Object(
  {
    member_id: Type.Optional(
      Nullable(
        Int64({ description: 'The id of the member, the same in all events.', examples: [446165214474872] }),
      ),
    ),
    movement_id: Type.Optional(
      Int64({
        description: 'The id in exports of movements; of a purchase, its `X-Consumption-Id`.',
        examples: [446165214474872],
      }),
    ),
    points: Type.Optional(Int64({ description: 'The change of the balance.', examples: [26] })),
    dates: Type.Optional(dates),
    points_earned: Type.Optional(
      Int64({ description: 'The change of all points ever earned.', examples: [26] }),
    ),
    amount: Type.Optional(
      Nullable(Int64({ description: 'The change of all that was ever spent.', examples: [26] })),
    ),
    counter_id: Type.Optional(Nullable(Int64({ examples: [3] }))),
    id_suc: Type.Optional(Nullable(Int64({ examples: [12] }))),
    external_id: Type.Optional(
      Nullable(
        Type.String({
          description: 'The shop’s own id of a purchase, an order or a cart.',
          examples: ['order-2026-000123'],
        }),
      ),
    ),
    reverses_id: Type.Optional(
      Nullable(
        Int64({ description: 'The purchase that was taken back or corrected.', examples: [446165214474872] }),
      ),
    ),
    voucher_id: Type.Optional(
      Int64({
        description: 'Stands for the code, the same in all events. Nobody can redeem it.',
        examples: [446165214474872],
      }),
    ),
    client_benefit_code: Type.Optional(
      Int64({ description: 'The code, for keys that may redeem.', examples: [52840917364015] }),
    ),
    benefit_id: Type.Optional(Type.String({ examples: ['coffee'] })),
    source: Type.Optional(
      StrEnum(['exchange', 'welcome', 'birthday', 'monthly_top', 'level', 'stamps'], {
        description: '`exchange`: bought with points. Otherwise the reward that it came with.',
      }),
    ),
    due_date: Type.Optional(Nullable(Instant({ description: 'The last moment to redeem it.' }))),
    held_until: Type.Optional(
      Nullable(Instant({ description: 'When the hold of the cart ends by itself, in real time.' })),
    ),
    reward: Type.Optional(
      Nullable(
        StrEnum(['welcome', 'birthday', 'monthly_top', 'level'], { description: 'Why it was given.' }),
      ),
    ),
    period: Type.Optional(
      Type.String({
        description: 'The year, the month or the level that it was for.',
        examples: ['2026-11'],
      }),
    ),
    level_id: Type.Optional(
      Nullable(Type.String({ description: 'The level that the member has now.', examples: ['captain'] })),
    ),
    expired: Type.Optional(
      Type.Boolean({ description: 'True if the level has ended and its name is all that is left.' }),
    ),
    previous_level_id: Type.Optional(Nullable(Type.String({ examples: ['crew'] }))),
    stamp_id: Type.Optional(
      Type.String({ description: 'The kind of card, by its id in the program.', examples: ['coffee'] }),
    ),
    stamps: Type.Optional(Int64({ examples: [1] })),
    have: Type.Optional(Int64({ description: 'Stamps on the card.', examples: [7] })),
    full: Type.Optional(Int64({ examples: [0] })),
    again: Type.Optional(Type.Boolean({ description: 'True for somebody who had left.' })),
    fields: Type.Optional(Type.Array(Type.String({ examples: ['phone'] }))),
    expires_on: Type.Optional(Type.String({ format: 'date', examples: ['2027-02-28'] })),
    days_before: Type.Optional(Int64({ examples: [7] })),
    status: Type.Optional(
      Type.String({
        description: 'The state of an order: `open`, `paid` or `cancelled`.',
        examples: ['paid'],
      }),
    ),
    paid: Type.Optional(Int64({ description: 'What was paid for an order before refunds.', examples: [64] })),
    refunded: Type.Optional(Int64({ description: 'What of it went back.', examples: [0] })),
    version: Type.Optional(
      Int64({ description: 'The version of the program, or of an order.', examples: [4] }),
    ),
    person: Type.Optional(Nullable(EventPersonSchema)),
  },
  { title: 'EventData' },
);

export const EventSchema = Type.Object(
  {
    id: Type.String({
      description: 'Unique within the commerce. It says nothing about the order.',
      examples: ['evt_446165214474872'],
    }),
    type: StrEnum(EVENT_TYPE_NAMES, {
      description: `Expect more types later.\n\n${EVENT_TYPE_NAMES.map((name) => `- \`${name}\`: ${EVENT_TYPES[name].about}`).join('\n')}`,
    }),
    at: Instant({ description: 'When it was recorded, in real time.' }),
    program_at: Instant({
      description:
        'When it counts, by the clock of the commerce. The clock of a sandbox can be moved, and a purchase can arrive late.',
    }),
    commerce_id: Int64({ examples: [1] }),
    data: EventDataSchema,
    sealed: Nullable(
      Type.Object(
        {
          index: Int64({
            description: 'The place in the tree of the sealed history, from 0.',
            examples: [1081],
          }),
        },
        {
          title: 'EventSeal',
          description: 'Null for what is no movement, and for a movement of the last minutes.',
        },
      ),
    ),
  },
  { title: 'Event' },
);

export const EventPageSchema = Type.Object(
  {
    events: Type.Array(EventSchema),
    next: Type.String({
      description: 'The `after` of the next call, also when there is no event.',
      examples: ['kPZ0b3RhbGx5LW9wYXF1ZQ'],
    }),
    has_more: Type.Boolean({ description: 'True if more events are at hand: call again at once.' }),
  },
  { title: 'EventPage' },
);

/** The fields that a reader may see besides ids and numbers. */
export interface Sight {
  readonly people: boolean;
  readonly codes: boolean;
}

/** Returns what a reader with these scopes may see. */
export function sightOf(scopes: readonly KeyScope[]): Sight {
  return { people: scopes.includes('members'), codes: scopes.includes('redeem') };
}

export type WireEvent = Static<typeof EventSchema>;

/** Returns an event as a reader gets it. Ids count up over all shops, so they are hidden. */
export function eventToWire(event: StoredEvent, commerceId: number, ids: EventIds, sight: Sight): WireEvent {
  return {
    id: `evt_${ids.event(event.id)}`,
    type: event.type,
    at: event.recordedAt,
    program_at: event.at,
    commerce_id: commerceId,
    data: dataOf(event, ids, sight),
    sealed: event.place === null ? null : { index: event.place },
  };
}

function dataOf(event: StoredEvent, ids: EventIds, sight: Sight): WireEvent['data'] {
  const { movement: m, voucher, person, facts, type } = event;
  const fields = new Set<string>(EVENT_TYPES[type].fields);
  const known: WireEvent['data'] = {
    ...facts,
    ...(m && {
      movement_id: ids.movement(event.id),
      points: m.points,
      dates: datesOf(m.split),
      points_earned: m.pointsEarned,
      amount: m.amount,
      counter_id: m.registerId,
      id_suc: m.branchId,
      external_id: m.externalId,
      reverses_id: m.reversesId === null ? null : ids.movement(m.reversesId),
      reward: m.event as 'welcome' | null,
    }),
    ...(voucher && {
      voucher_id: ids.voucher(voucher.code),
      benefit_id: voucher.benefitId,
      source: voucher.source as 'exchange',
      due_date: voucher.dueAt,
    }),
  };
  return {
    ...(person && { member_id: ids.member(person.memberId) }),
    ...Object.fromEntries(Object.entries(known).filter(([name]) => fields.has(name))),
    ...(voucher && sight.codes && { client_benefit_code: voucher.code }),
    ...(person &&
      sight.people && {
        person: personToWire(person),
      }),
  };
}

/** Returns a person as a reader may see them. */
export function personToWire({
  code,
  email,
  username,
  isErased,
}: Pick<EventPerson, 'code' | 'email' | 'username' | 'isErased'>): Static<typeof EventPersonSchema> {
  return isErased
    ? { client_code: null, email: null, username: null }
    : { client_code: code, email, username };
}

/** The days of a split. Whether a day moves with the next purchase is no matter of a reader. */
export function datesOf(split: SplitText): { points: number; expires_on: string | null }[] {
  const byDay = new Map<string, number>();
  for (const [day, , points] of split) byDay.set(day, (byDay.get(day) ?? 0) + points);
  return [...byDay]
    .filter(([, points]) => points !== 0)
    .map(([day, points]) => ({ points, expires_on: day === 'infinity' ? null : day }));
}
