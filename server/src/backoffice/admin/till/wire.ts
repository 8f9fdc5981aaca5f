import { Type, type Static } from 'typebox';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { PreviewedStampsSchema, TillStampsSchema } from '#stamps/wire.ts';
import { factorKinds, type Step } from '#points/points-for-purchase.ts';

/** The id that stands for a member in the back office. Invited people have no code, so it is not the code. */
export const memberId = Int64({
  description: 'The member, as the answers of this interface name one.',
  examples: [431870012345678],
  'x-hint': 'It is the member_id of an answer of /admin/v1, not the 9 digits of the card.',
});

export const MemberStateSchema = StrEnum(['invited', 'member', 'left', 'blocked', 'erased'], {
  description: '`invited` people have points that wait for them.',
});

export const TillVoucherSchema = Type.Object(
  {
    client_benefit_code: Int64({
      description: 'The 14-digit code that the member shows.',
      examples: [52840917364015],
    }),
    member_id: memberId,
    username: Nullable(
      Type.String({
        description: 'The member’s name. Null if the person has not told one.',
        examples: ['Eva'],
      }),
    ),
    benefit_id: Type.String({ examples: ['coffee'] }),
    title: Type.String({ examples: ['A coffee on us'] }),
    description: Type.String({ examples: ['Any coffee, any size'] }),
    type: StrEnum(['percentage_discount', 'absolute_discount', 'free_product']),
    value: Nullable(
      Type.Number({
        description: 'A percentage or an amount, by `type`. Null for a free product.',
        examples: [null],
      }),
    ),
    image: Nullable(Type.String({ description: 'The URL of a picture.' })),
    color: Nullable(Type.String({ description: 'As `#rrggbb`.', examples: ['#7a4a2a'] })),
    source: StrEnum(['exchange', 'welcome', 'birthday', 'monthly_top', 'level', 'stamps'], {
      description: '`exchange` was bought with points. The others were given.',
    }),
    cost: Int64({ description: 'The points that were paid for it.', examples: [60] }),
    issued_at: Instant({ description: 'When it was bought or given.' }),
    due_date: Nullable(Instant({ description: 'The last moment to use it. Null if it does not expire.' })),
    state: StrEnum(['usable', 'used', 'expired', 'given_back', 'void'], {
      description: 'Only a `usable` one can be redeemed. A `void` one went with the tier that it came with.',
    }),
    ended_at: Nullable(Instant({ description: 'When it was used or given back.' })),
  },
  { title: 'TillVoucher' },
);

const foundMember = {
  member_id: memberId,
  client_code: Nullable(
    Int64({ description: 'The 9 digits of the card. Null for an invited person.', examples: [482915374] }),
  ),
  username: Nullable(Type.String({ examples: ['Eva'] })),
  email: Nullable(
    Type.String({
      description:
        'For a cashier, only its first letter and its domain, and no domain if the name is the rest.',
      examples: ['eva@example.com'],
    }),
  ),
  state: MemberStateSchema,
  level_name: Nullable(Type.String({ description: 'The tier that counts now.', examples: ['Captain'] })),
  points: Int64({ description: 'The balance that can be spent now.', examples: [340] }),
};

export const FoundMemberSchema = Type.Object(foundMember, { title: 'FoundMember' });

export const FoundSchema = Type.Object(
  {
    members: Type.Array(FoundMemberSchema, { description: 'At most 8, best first.' }),
    voucher: Nullable(TillVoucherSchema),
    movement: Nullable(
      Type.Object({
        id: Int64({ description: 'A purchase or another movement.', examples: [446165214474872] }),
        member_id: memberId,
      }),
    ),
    stranger: Nullable(
      Type.String({
        description:
          'The address as it is stored, if nobody here has it. Such a person can buy, and the points wait.',
        examples: ['new@example.com'],
      }),
    ),
  },
  { title: 'Found' },
);

const thresholdType = StrEnum(['points', 'amount'], {
  description: 'Which lifetime figure counts: points earned or the amount spent.',
});

export const tillLevel = {
  id: Type.String({ examples: ['captain'] }),
  name: Type.String({ examples: ['Captain'] }),
  points_multiplier: Type.Number({
    description: 'Each purchase earns its points times this.',
    examples: [1.5],
  }),
};

export const TillMemberSchema = Type.Object(
  {
    ...foundMember,
    level: Nullable(Type.Object(tillLevel, { title: 'TillLevel' })),
    next_level: Nullable(
      Type.Object({
        name: Type.String({ examples: ['Admiral'] }),
        missing: Int64({ description: 'How much of the figure is missing.', examples: [630] }),
        threshold_type: thresholdType,
      }),
    ),
    expiring: Nullable(
      Type.Object(
        {
          points: Int64({ examples: [40] }),
          expiration_date: Instant({ description: 'The end of their last day.' }),
          days_left: Int64({ description: 'Local days until then. 0 on the last day.', examples: [61] }),
        },
        { description: 'The points that expire next.' },
      ),
    ),
    stamps: Type.Array(TillStampsSchema, {
      description: 'A card of each kind that purchases stamp at the moment. Empty if there is none.',
    }),
    vouchers: Type.Array(TillVoucherSchema, {
      description: 'What can be used now, at most 20, those that are due first in front.',
    }),
  },
  { title: 'TillMember' },
);

const OTHER_NAMES: { readonly [Kind in Step[0]]?: string } = {
  money: 'base',
  double: 'double_points',
  tier: 'level',
};

/** Returns the pages' name for a factor. They show one that they do not know by its formula and its name. */
export const factorKindToWire = (kind: Step[0]): string => OTHER_NAMES[kind] ?? kind;

export const FactorSchema = Type.Object(
  {
    kind: StrEnum(factorKinds.map(factorKindToWire)),
    formula: Type.String({ description: 'What the step does, as it is printed.', examples: ['× 1.5'] }),
    name: Nullable(
      Type.String({ description: 'Such as the tier’s name. Null for the division.', examples: ['Captain'] }),
    ),
    points: Int64({ description: 'The points after this step.', examples: [39] }),
  },
  { title: 'Factor' },
);

export const PurchasePreviewSchema = Type.Object(
  {
    points: Int64({ description: 'What the purchase would earn.', examples: [39] }),
    factors: Type.Array(FactorSchema, { description: 'The steps of the arithmetic, in order.' }),
    explanation: Type.String({
      description: 'The same in a sentence, in the language of the commerce.',
      examples: ['26 ÷ 1 = 26 points; Captain × 1.5 = 39 points.'],
    }),
    stamps: Type.Array(PreviewedStampsSchema, {
      description: 'What it would stamp on each kind of card. Empty if it stamps none.',
    }),
  },
  { title: 'PurchasePreview' },
);

export const RecordedPurchaseSchema = Type.Object(
  {
    consumption_id: Int64({ description: 'The id of the purchase.', examples: [446165214474872] }),
    points: Int64({ description: 'What it earned.', examples: [39] }),
    points_waiting: Int64({ description: 'What of it waits before it can be spent.', examples: [0] }),
    balance: Nullable(Int64({ description: 'The balance right after it.', examples: [379] })),
    waits: Type.Boolean({
      description: 'True if the points wait for a person who has not joined.',
      examples: [false],
    }),
    at: Instant(),
  },
  { title: 'RecordedPurchase' },
);

const TillLineSchema = Type.Object(
  {
    id: Int64({ description: 'The id of the movement.', examples: [446165214474872] }),
    kind: StrEnum(['purchase', 'return', 'usage']),
    at: Instant(),
    member_id: memberId,
    username: Nullable(Type.String({ examples: ['Eva'] })),
    amount: Nullable(Int64({ description: 'Whole currency units. Null for a used code.', examples: [26] })),
    cents: Int64({
      description:
        'What was paid above `amount`, in the smallest unit of the currency. Both together are what was paid, or paid back.',
      examples: [40],
    }),
    points: Int64({ examples: [39] }),
    title: Nullable(
      Type.String({ description: 'The benefit of a used code.', examples: ['A coffee on us'] }),
    ),
    register_id: Nullable(Int64({ description: 'The id of the register.', examples: [3] })),
    reversed_amount: Int64({
      description: 'How much of a purchase was taken back, less what its order grew by.',
      examples: [0],
    }),
    reversed_cents: Int64({
      description: 'What was paid back above `reversed_amount`. Below zero if less than it was.',
      examples: [0],
    }),
    can_undo: Type.Boolean({ description: 'True if this person may take it back at this register now.' }),
  },
  { title: 'TillLine' },
);

export const TillDaySchema = Type.Object(
  {
    results: Type.Array(TillLineSchema),
    next_cursor: Nullable(Type.String({ description: 'Null on the last page.' })),
    purchases: Int64({
      description: 'The purchases of the whole day of which something is left.',
      examples: [41],
    }),
    amount: Int64({ description: 'What is left of their amounts.', examples: [1834] }),
    cents: Int64({
      description:
        'What is left above `amount`, in the smallest unit of the currency. May be more than one whole unit.',
      examples: [1240],
    }),
    points: Int64({ description: 'What is left of their points.', examples: [2610] }),
    used_codes: Int64({ examples: [5] }),
  },
  { title: 'TillDay' },
);

export const ReversedSchema = Type.Object(
  {
    message: Type.String({ examples: ['consumption reversed'] }),
    amount: Int64({ description: 'What was taken back.', examples: [26] }),
    points: Int64({ description: 'The points taken from the balance.', examples: [39] }),
    balance: Nullable(Int64({ description: 'The balance right after it.', examples: [340] })),
  },
  { title: 'Reversed' },
);

export const ReversalPreviewSchema = Type.Object(
  {
    amount: Int64({ description: 'What would be taken back.', examples: [26] }),
    points: Int64({ description: 'The points that would be taken from the balance.', examples: [39] }),
    balance: Int64({ description: 'The balance right after it.', examples: [340] }),
    lost_levels: Type.Array(Type.String({ examples: ['Captain'] }), {
      description: 'The names of the tiers that only this purchase has reached.',
    }),
  },
  { title: 'ReversalPreview' },
);

export const StaffProgramSchema = Type.Object(
  {
    now: Instant({ description: 'The commerce’s own time. A sandbox may have moved it.' }),
    today: Type.String({ format: 'date', examples: ['2026-03-05'] }),
    status: StrEnum(['active', 'paused'], { description: 'A paused program records no purchases.' }),
    money_per_point: Type.Number({ description: 'Currency units for one point.', examples: [100] }),
    max_amount: Int64({ description: 'Highest amount of one purchase.', examples: [10_000] }),
    unusual_amount: Int64({
      description:
        'The till asks once before it records more: ten times what 95 of 100 of the last purchases stay below, and at most `max_amount`.',
      examples: [300],
    }),
    double_points: Type.Array(
      Type.Object({
        from: Instant(),
        to: Instant({ description: 'This instant is no longer part of the period.' }),
        is_open: Type.Boolean({ description: 'Whether purchases earn double points now.' }),
      }),
      { description: 'The periods that have not ended, the earliest first.' },
    ),
    points_expiration: Type.Object({
      mode: StrEnum(['none', 'rolling', 'accumulated']),
      months: Nullable(Int64({ description: 'Null if points do not expire.', examples: [12] })),
    }),
    levels: Type.Array(
      Type.Object({
        id: Type.String({ examples: ['captain'] }),
        name: Type.String({ examples: ['Captain'] }),
        threshold: Int64({ description: 'The lifetime figure at which it is reached.', examples: [500] }),
        points_multiplier: Type.Number({ examples: [1.5] }),
      }),
      { description: 'Lowest first.' },
    ),
    threshold_type: Nullable(thresholdType),
    branches: Type.Array(
      Type.Object({
        id: Int64({ examples: [3] }),
        name: Type.String({ examples: ['Harbour Street'] }),
        registers: Type.Array(
          Type.Object({ id: Int64({ examples: [1] }), name: Type.String({ examples: ['Counter'] }) }),
        ),
      }),
      { description: 'The branches that the program names. Purchases may name others.' },
    ),
    sold: Type.Array(
      Type.Object({
        kind: StrEnum(['product', 'category']),
        name: Type.String({ description: 'As lines name it.', examples: ['coffee'] }),
      }),
      {
        description:
          'What rules and stamps name, and what earns nothing, at most 24: with lines of these, a till says enough for them.',
      },
    ),
  },
  { title: 'StaffProgram' },
);

export type TillVoucherWire = Static<typeof TillVoucherSchema>;
export type FoundMemberWire = Static<typeof FoundMemberSchema>;
