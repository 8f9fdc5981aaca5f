import { Type } from 'typebox';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { MESSAGE_KINDS } from '#program/messages.ts';
import { CauseSchema } from '../audit/wire.ts';
import {
  FactorSchema,
  FoundMemberSchema,
  memberId,
  MemberStateSchema,
  TillVoucherSchema,
  tillLevel,
} from '../till/wire.ts';

export const MemberPageSchema = Type.Object(
  {
    member_id: memberId,
    client_code: Nullable(Int64({ description: 'The 9 digits of the card.', examples: [482915374] })),
    username: Nullable(Type.String({ examples: ['Eva'] })),
    email: Nullable(Type.String({ examples: ['eva@example.com'] })),
    phone: Nullable(Type.String({ description: 'In E.164 format.', examples: ['+351912345678'] })),
    birth_date: Nullable(Type.String({ format: 'date', examples: ['1990-05-14'] })),
    state: MemberStateSchema,
    enrolled_at: Nullable(Instant({ description: 'When the person joined.' })),
    left_at: Nullable(Instant()),
    invited_at: Nullable(Instant({ description: 'When the last invitation was sent.' })),
    blocked_at: Nullable(Instant()),
    block_reason: Nullable(Type.String({ examples: ['the card was stolen'] })),
    points: Int64({ description: 'The balance that can be spent now.', examples: [340] }),
    level: Nullable(
      Type.Object(
        {
          ...tillLevel,
          rank: Int64({ description: 'The position on the ladder, from 1.', examples: [2] }),
          reached_at: Nullable(Instant()),
          expiration_date: Nullable(Instant({ description: 'When it is decided again.' })),
          is_expired: Type.Boolean({ description: 'True if its multiplier no longer counts.' }),
          is_pinned: Type.Boolean({ description: 'True if staff fixed it.' }),
          reached_by: Nullable(
            Int64({ description: 'The purchase that reached it, if one did.', examples: [446165214474872] }),
          ),
        },
        { title: 'MemberLevel' },
      ),
    ),
    next_level: Nullable(
      Type.Object(
        {
          id: Type.String({ examples: ['admiral'] }),
          name: Type.String({ examples: ['Admiral'] }),
          missing: Int64({ description: 'How much of the figure is missing.', examples: [630] }),
          threshold: Int64({ description: 'The lifetime figure at which it is reached.', examples: [1500] }),
          threshold_type: StrEnum(['points', 'amount']),
        },
        { title: 'NextMemberLevel' },
      ),
    ),
    waiting: Nullable(
      Type.Object(
        {
          points: Int64({ description: 'Points of purchases that cannot be spent yet.', examples: [40] }),
          next_at: Nullable(
            Instant({
              description:
                'When the first of them can be spent. Null if all of them wait until their purchase is confirmed.',
            }),
          ),
        },
        { title: 'WaitingPoints', description: 'Null if none wait.' },
      ),
    ),
    lifetime: Type.Object(
      {
        amount: Int64({ description: 'All that was spent, in whole currency units.', examples: [640] }),
        purchases: Int64({ examples: [31] }),
        points_earned: Int64({ examples: [870] }),
        points_spent: Int64({
          description: 'What the benefits cost that were bought and not given back.',
          examples: [530],
        }),
      },
      { title: 'Lifetime' },
    ),
    expirations: Type.Array(
      Type.Object({
        points: Int64({ examples: [40] }),
        expiration_date: Nullable(Instant({ description: 'The end of their last day.' })),
      }),
      { description: 'Soonest first. The last of a long list sums up the rest and has no date.' },
    ),
    last_purchase_at: Nullable(Instant()),
    mail: Type.Object(
      {
        suppression: Nullable(
          Type.Object(
            {
              reason: StrEnum(['bounce', 'complaint'], {
                description: 'The mailbox does not exist, or its owner reported a mail as spam.',
              }),
              since: Instant(),
            },
            { title: 'MailSuppression' },
          ),
        ),
        stopped: Type.Array(StrEnum(MESSAGE_KINDS), {
          description: 'The mails that the person has stopped.',
        }),
      },
      { title: 'MemberMail' },
    ),
  },
  { title: 'MemberPage' },
);

export const MOVEMENT_KINDS = [
  'purchase',
  'available',
  'correction',
  'return',
  'exchange',
  'give_back',
  'usage',
  'undo',
  'reward',
  'adjustment',
  'expiry',
] as const;

const MemberMovementSchema = Type.Object(
  {
    id: Int64({
      description: '0 for points that expired: those of one day are one line.',
      examples: [446165214474872],
    }),
    kind: StrEnum(MOVEMENT_KINDS),
    at: Instant(),
    points: Int64({ description: 'Points added, or subtracted if negative.', examples: [39] }),
    balance: Nullable(Int64({ description: 'Right after it, if it was kept.', examples: [379] })),
    amount: Nullable(Int64({ description: 'Whole currency units.', examples: [26] })),
    cents: Int64({
      description:
        'What was paid above `amount`, in the smallest unit of the currency. Both together are what was paid, or paid back.',
      examples: [40],
    }),
    title: Nullable(Type.String({ description: 'The benefit.', examples: ['A coffee on us'] })),
    event: Nullable(Type.String({ description: 'The reward that gave the points.', examples: ['welcome'] })),
    note: Nullable(Type.String({ description: 'The sentence that the member reads.' })),
    register_id: Nullable(Int64({ examples: [3] })),
    branch_id: Nullable(Int64({ examples: [12] })),
    external_id: Nullable(
      Type.String({ description: 'The shop’s own id.', examples: ['order-2026-000123'] }),
    ),
    factors: Type.Array(FactorSchema, {
      description: 'Of a purchase: the steps of the arithmetic, in order.',
    }),
    explanation: Nullable(
      Type.String({ description: 'The same in a sentence, in the language of the commerce.' }),
    ),
    program_version: Nullable(Int64({ description: 'The rules that it was computed by.', examples: [4] })),
    reverses_id: Nullable(
      Int64({ description: 'Of a return or a correction: the purchase.', examples: [446165214474872] }),
    ),
    reversed_amount: Int64({
      description: 'Of a purchase: how much was taken back, less what its order grew by.',
      examples: [6],
    }),
    reversed_cents: Int64({
      description:
        'Of a purchase: what was paid back above `reversed_amount`. Below zero if less than it was.',
      examples: [-30],
    }),
    reversed_points: Int64({
      description: 'Of a purchase: the points taken back, less those of its growth.',
      examples: [9],
    }),
    voucher: Nullable(
      Type.Object({
        client_benefit_code: Int64({ examples: [52840917364015] }),
        state: TillVoucherSchema.properties.state,
        due_date: Nullable(Instant()),
      }),
    ),
    by: CauseSchema,
    can: Type.Array(StrEnum(['reverse', 'give_back']), { description: 'What can be done with it now.' }),
  },
  { title: 'MemberMovement' },
);

export const MemberHistorySchema = Type.Object(
  {
    results: Type.Array(MemberMovementSchema),
    next_cursor: Nullable(Type.String({ description: 'Null on the last page.' })),
  },
  { title: 'MemberHistory' },
);

export const AdjustedPointsSchema = Type.Object(
  {
    movement_id: Int64({ description: 'The line of the history.', examples: [446165214474872] }),
    points: Int64({ examples: [50] }),
    balance: Int64({ description: 'The balance right after it.', examples: [390] }),
  },
  { title: 'AdjustedPoints' },
);

export const GivenBackSchema = Type.Object(
  {
    voucher: TillVoucherSchema,
    points: Int64({ description: 'What the member got back.', examples: [60] }),
    balance: Int64({ description: 'The balance right after it.', examples: [400] }),
  },
  { title: 'GivenBack' },
);

export const ErasedMemberSchema = Type.Object(
  {
    points: Int64({ description: 'The points that ended.', examples: [340] }),
    codes: Int64({ description: 'The codes that can no longer be used.', examples: [1] }),
  },
  { title: 'ErasedMember' },
);

const memberRow = {
  ...FoundMemberSchema.properties,
  enrolled_at: Nullable(Instant({ description: 'When the person joined.' })),
  last_purchase_at: Nullable(Instant()),
  amount_spent: Int64({ description: 'All that was spent, in whole currency units.', examples: [640] }),
  purchases: Int64({ examples: [31] }),
};

export const MemberListSchema = Type.Object(
  {
    results: Type.Array(Type.Object(memberRow, { title: 'MemberRow' }), {
      description: 'A page may be shorter than asked for, or empty, although there are more.',
    }),
    next_cursor: Nullable(Type.String({ description: 'Null on the last page.' })),
    total: Nullable(
      Int64({
        description: 'Of all pages. Null if there are more than 10,000, or if counting takes too long.',
        examples: [314],
      }),
    ),
  },
  { title: 'MemberList' },
);
