/** The answers of the reports. Figures have the names of the interface throughout, so most of them pass as they are. */
import { Type, type TObject, type TProperties, type TUnsafe } from 'typebox';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { COUNTED_PEOPLE } from '#reports/list-people.ts';
import { FOLLOWED_FIGURES, type FollowedFigure } from '#reports/list-movements.ts';
import { STEPS } from '#reports/report-range.ts';
import { MOVEMENT_KINDS } from '../members/wire.ts';
import { memberId, MemberStateSchema } from '../till/wire.ts';

const day = (description: string, example = '2026-11-01') =>
  Type.String({ format: 'date', description, examples: [example] });
const count = (description: string, example = 12) => Int64({ description, examples: [example] });

/** The kinds of lists of movements, as the type of the column names them. */
export const MovementFigureSchema = StrEnum(FOLLOWED_FIGURES, {
  description: 'The figure that the movements add up to.',
});
export const PeopleKindSchema = StrEnum(COUNTED_PEOPLE, {
  description: '`ending` are people whose points end on these days.',
});

export const ReportLinkSchema = Type.Union(
  [
    Type.Object({ list: StrEnum(['movements']), kind: MovementFigureSchema }),
    Type.Object({ list: StrEnum(['people']), kind: PeopleKindSchema }),
    Type.Object({
      list: StrEnum(['members']),
      search: Type.Object(
        {
          level_id: Type.Optional(Nullable(Type.String({ description: 'Null: those without a tier.' }))),
          state: Type.Optional(MemberStateSchema),
          min_points: Type.Optional(Int64()),
          max_points: Type.Optional(Int64()),
          expiring_days: Type.Optional(Int64()),
        },
        { description: 'The body of a search of members. What is not asked for is left out.' },
      ),
    }),
  ],
  {
    description:
      'The list that the figure is made of. `movements` and `people` take the days of the period, `members` is a search and tells about now.',
  },
);

export const RangeSchema = Type.Object(
  {
    from: day('The first day.'),
    to: day('The last day.', '2026-11-30'),
    by: StrEnum(STEPS),
    before_from: day('The first day of the range that it is compared with.', '2026-10-01'),
    before_to: day('The last day of that range.', '2026-10-31'),
    today: day('The commerce’s today.', '2026-11-22'),
  },
  { title: 'ReportRange' },
);

export type ReportLinkWire =
  | { list: 'movements'; kind: FollowedFigure }
  | { list: 'people'; kind: (typeof COUNTED_PEOPLE)[number] }
  | {
      list: 'members';
      search: {
        level_id?: string | null;
        state?: 'invited' | 'member' | 'left' | 'blocked' | 'erased';
        min_points?: number;
        max_points?: number;
        expiring_days?: number;
      };
    };

type LinksOf<P extends TProperties> = TObject<{ [Figure in keyof P]: TUnsafe<ReportLinkWire | null> }>;

function linksOf<P extends TProperties>(figures: TObject<P>): LinksOf<P> {
  const links = Object.keys(figures.properties).map((figure) => [figure, Nullable(ReportLinkSchema)]);
  return Type.Object(Object.fromEntries(links) as TProperties) as unknown as LinksOf<P>;
}

/** The fields that all reports have. */
function reportOf<P extends TProperties>(figures: TObject<P>) {
  const periods = Type.Array(
    Type.Object({ from: day('The first day.'), to: day('The last day.'), figures }),
    {
      description: 'Oldest first, cut off at the ends of the range.',
    },
  );
  return {
    range: RangeSchema,
    as_of: Instant({ description: 'The commerce’s time at which it was counted.' }),
    total: figures,
    before: figures,
    periods,
    periods_before: periods,
    links: linksOf(figures),
  };
}

const PointsFiguresSchema = Type.Object({
  earned: count('From purchases, from rewards and added by hand.'),
  from_purchases: count('Points of purchases.'),
  from_rewards: count('Points of rewards.'),
  added_by_hand: count('Added by staff, or brought by an import.'),
  spent: count('Exchanged for benefits.'),
  given_back: count('Came back to members for codes that they gave back.'),
  returned: count('Taken back with purchases that were returned.'),
  taken_by_hand: count('Taken by staff.'),
  expired: count('Expired on these days.'),
  erased: count('Ended when people were erased; below zero if their debts were larger.'),
  change: count('All of it together, may be below zero.'),
});

const MembersFiguresSchema = Type.Object({
  joined: count('Joined the program.'),
  left: count('Left it and have not come back.'),
  active: count('People who bought something, exchanged points or used a code, each once.'),
  first_time: count('Those of them who had never done so before.'),
  members: count('In the program at the end of the period.'),
});

const PurchasesFiguresSchema = Type.Object({
  purchases: count('How many purchases were recorded.'),
  amount: count('Their amount, before returns.', 21_000),
  returns: count('How many times a purchase or a part of one was taken back.', 1),
  returned_amount: count('The amount that was taken back.', 1_750),
  net_amount: count('`amount` without `returned_amount`.', 19_250),
  average_amount: Nullable(count('`amount` of a purchase, rounded. Null without purchases.', 1_750)),
});

const percent = (description: string) => Nullable(Type.Number({ description, examples: [12.5] }));

const LiabilityFiguresSchema = Type.Object({
  outstanding: count('Points that members held at the end of the period, less their debts.', 91_400),
  broken: count('Breakage: points that expired or ended when a person was erased.', 310),
  spent: count('Exchanged, without those given back.', 2_200),
  breakage_percent: percent('Breakage in percent of the points that ended or were spent. Null without any.'),
});

const BenefitsFiguresSchema = Type.Object({
  issued: count('Codes issued: bought and given.'),
  bought: count('Codes that members bought.'),
  given: count('Codes of rewards and tiers.'),
  points: count('Points paid for the bought ones.', 720),
  used: count('Codes used.'),
  given_back: count('Codes given back, or void because the tier was lost or the person erased.', 0),
});

const LevelsFiguresSchema = Type.Object({
  reached: count('Members who reached the tier that they have now.', 3),
});

export const PointsReportSchema = Type.Object(reportOf(PointsFiguresSchema), { title: 'PointsReport' });
export const MembersReportSchema = Type.Object(reportOf(MembersFiguresSchema), { title: 'MembersReport' });
export const PurchasesReportSchema = Type.Object(reportOf(PurchasesFiguresSchema), {
  title: 'PurchasesReport',
});

export const LiabilityReportSchema = Type.Object(
  {
    ...reportOf(LiabilityFiguresSchema),
    now: Type.Object({
      points: count('Points that can be spent now.', 91_400),
      holders: count('People who hold them.', 420),
      debt: count('What people owe after returns.', 0),
      debtors: count('People who owe points.', 0),
      never_end: count('Of `points`, those without a last day.', 0),
      waiting: count('Of `points`, those that wait for people who have not joined.', 300),
    }),
    endings: Type.Array(
      Type.Object({
        from: day('The first day of the month, or today.'),
        to: Nullable(day('The last day of the month. Null for everything after 36 months.')),
        points: count('Points that end on these days, as of now.', 310),
        holders: count('People who hold them.', 8),
      }),
      { description: 'When the points of now end, by month. Months without points are left out.' },
    ),
    now_links: Type.Object({ points: ReportLinkSchema, debt: ReportLinkSchema, endings: ReportLinkSchema }),
  },
  { title: 'LiabilityReport' },
);

export const BenefitsReportSchema = Type.Object(
  {
    ...reportOf(BenefitsFiguresSchema),
    benefits: Type.Array(
      Type.Object({
        benefit_id: Type.String({ examples: ['coffee'] }),
        title: Type.String({ examples: ['A coffee on us'] }),
        type: StrEnum(['percentage_discount', 'absolute_discount', 'free_product']),
        image: Nullable(Type.String({ description: 'The URL of a picture.' })),
        cost: Int64({ description: 'In points.', examples: [60] }),
        is_withdrawn: Type.Boolean(),
        left_in_stock: Nullable(Int64({ description: 'Null without a limit.', examples: [38] })),
        total: BenefitsFiguresSchema,
        before: BenefitsFiguresSchema,
      }),
      { description: 'In the order of the catalog. Withdrawn ones come last, and only with figures.' },
    ),
  },
  { title: 'BenefitsReport' },
);

export const LevelsReportSchema = Type.Object(
  {
    ...reportOf(LevelsFiguresSchema),
    levels: Type.Array(
      Type.Object({
        level_id: Nullable(
          Type.String({ description: 'Null for members without a tier.', examples: ['captain'] }),
        ),
        name: Nullable(Type.String({ examples: ['Captain'] })),
        members: count('Members who have it now.'),
        percent: percent('Of all members now. Null without members.'),
        reached: count('Those who reached it within the range.', 3),
        reached_before: count('Those who reached it within the range before.', 2),
        link: ReportLinkSchema,
      }),
      { description: 'From the lowest, with those without a tier first. Tells about now.' },
    ),
  },
  { title: 'LevelsReport' },
);

const HomeFiguresSchema = Type.Object({
  purchases: count('How many purchases were recorded.'),
  amount: count('Their amount, before returns.', 21_000),
  earned: count('From purchases, from rewards and added by hand.'),
  spent: count('Exchanged for benefits.'),
  used_codes: count('Codes used.'),
  joined: count('Joined the program.'),
});

const AttentionSchema = Type.Union(
  [
    Type.Object({ kind: StrEnum(['program_paused']) }),
    Type.Object({
      kind: StrEnum(['job_failing']),
      job: Type.String({ examples: ['birthdays'] }),
      since: Instant(),
    }),
    Type.Object({
      kind: StrEnum(['unusual_purchase']),
      consumption_id: Int64({
        description: 'The purchase, of the last 30 days.',
        examples: [446165214474872],
      }),
      member_id: memberId,
      at: Instant(),
      amount: count('Its amount, before returns.', 45_000),
    }),
    Type.Object({ kind: StrEnum(['mail_failed']), mails: count('Of the last 7 days.') }),
    Type.Object({
      kind: StrEnum(['reward_withheld']),
      event: Type.String({ examples: ['birthday'] }),
      benefit_id: Type.String(),
      title: Type.String(),
      times: count('Of the last 30 days.'),
    }),
    Type.Object({ kind: StrEnum(['sold_out']), benefit_id: Type.String(), title: Type.String() }),
    Type.Object({
      kind: StrEnum(['nearly_sold_out']),
      benefit_id: Type.String(),
      title: Type.String(),
      left: count('At most a tenth.'),
    }),
    Type.Object({
      kind: StrEnum(['benefit_ends']),
      benefit_id: Type.String(),
      title: Type.String(),
      day: day('Within 14 days.'),
    }),
  ],
  { description: 'Something that somebody should look at.' },
);

export const ReportOverviewSchema = Type.Object(
  {
    as_of: Instant({ description: 'The commerce’s time at which it was counted.' }),
    today: day('The commerce’s today.'),
    of_today: HomeFiguresSchema,
    of_week_ago: HomeFiguresSchema,
    last_30_days: HomeFiguresSchema,
    before_30_days: HomeFiguresSchema,
    days: Type.Array(Type.Object({ day: day('A day.'), figures: HomeFiguresSchema }), {
      description: 'Each of the last 30 days, oldest first.',
    }),
    members: count('In the program now.'),
    has_sold: Type.Boolean({ description: 'False until the first purchase of the shop.' }),
    liability: Type.Object({
      points: count('Points that can be spent now.'),
      holders: count('People who hold them.'),
    }),
    ending_soon: Type.Object({
      days: count('Within how many days.', 30),
      points: count('Points that end.'),
      holders: count('People who hold them.'),
      first_day: Nullable(day('The first day on which some end.')),
    }),
    attention: Type.Array(AttentionSchema, { description: 'The most pressing first.' }),
    links: Type.Object({
      purchases: ReportLinkSchema,
      amount: ReportLinkSchema,
      earned: ReportLinkSchema,
      spent: ReportLinkSchema,
      used_codes: ReportLinkSchema,
      joined: ReportLinkSchema,
      ending_soon: ReportLinkSchema,
    }),
  },
  { title: 'ReportOverview' },
);

const earnedFigures = {
  purchases: count('Purchases of which something is kept.'),
  amount: count('What is kept of their amount.'),
  points: count('The points that this earned, those that wait too.'),
};
const EarnedFiguresSchema = Type.Object(earnedFigures, { title: 'EarnedFigures' });

const SoldFiguresSchema = Type.Object(
  {
    named: Type.Array(
      Type.Object(
        { name: Type.String({ description: 'As lines name it.', examples: ['coffee'] }), ...earnedFigures },
        { title: 'NamedFigures' },
      ),
      { description: 'The largest by amount, at most 200.' },
    ),
    others: EarnedFiguresSchema,
    unnamed: EarnedFiguresSchema,
  },
  {
    title: 'SoldFigures',
    description:
      '`others` are the smaller ones together, `unnamed` is what nobody said it of. Of products, all of it adds up to the total; what is in several categories counts in each.',
  },
);

export const EarningReportSchema = Type.Object(
  {
    from: day('The first day.'),
    to: day('The last day.'),
    today: day('The day of the commerce.'),
    as_of: Instant({ description: 'By the clock of the commerce.' }),
    total: EarnedFiguresSchema,
    rules: Type.Array(
      Type.Object(
        {
          rule_id: Type.String({ examples: ['morning-coffee'] }),
          title: Type.String({ examples: ['Double on coffee'] }),
          state: StrEnum(['running', 'paused', 'gone'], {
            description: 'gone: the program has no such rule any more.',
          }),
          purchases: count('Purchases that it applied to.'),
          amount: count('What is kept of their amount.'),
          line_amount: count('Of that, the lines that it was about.'),
          points: count(
            'What they would have earned less without it. Below zero if they would have earned more.',
          ),
        },
        { title: 'RuleFigures' },
      ),
      { description: 'In the order of the program, then those that it has no more.' },
    ),
    products: SoldFiguresSchema,
    categories: SoldFiguresSchema,
    branches: Type.Array(
      Type.Object(
        {
          branch_id: Nullable(Int64({ description: 'Null where the shop said none.', examples: [3] })),
          name: Nullable(
            Type.String({
              description: 'Null if the program does not name it.',
              examples: ['Harbour Street'],
            }),
          ),
          ...earnedFigures,
        },
        { title: 'BranchFigures' },
      ),
      { description: 'The largest by amount first.' },
    ),
    hours: Type.Array(
      Type.Object(
        {
          weekday: Type.Integer({ description: 'Monday is 1.', examples: [1] }),
          hour: Type.Integer({ description: '0 to 23, in the time zone of the shop.', examples: [8] }),
          ...earnedFigures,
        },
        { title: 'HourFigures' },
      ),
      { description: 'The hours of the week with purchases, in order.' },
    ),
  },
  { title: 'EarningReport' },
);

const ReportPersonSchema = Type.Object(
  {
    member_id: memberId,
    client_code: Nullable(Int64({ description: 'Null for an invited person.', examples: [482915374] })),
    username: Nullable(Type.String({ examples: ['Eva'] })),
    state: MemberStateSchema,
  },
  { title: 'ReportPerson' },
);

const next_cursor = Nullable(Type.String({ description: 'Null on the last page.' }));
const benefit_id = Nullable(Type.String({ description: 'Of a code.', examples: ['coffee'] }));

export const ReportMovementsSchema = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        id: Int64({
          description:
            '0 for points that expired: those of a person on one day are one line. 0, too, for points that have just become available.',
          examples: [446165214474872],
        }),
        kind: StrEnum(MOVEMENT_KINDS),
        at: Instant(),
        member: ReportPersonSchema,
        points: Int64({ examples: [42] }),
        amount: Nullable(Int64({ examples: [1_750] })),
        benefit_id,
        title: Nullable(Type.String({ description: 'Of the benefit.' })),
      }),
    ),
    next_cursor,
  },
  { title: 'ReportMovements' },
);

export const ReportPeopleSchema = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        member: ReportPersonSchema,
        at: Nullable(Instant({ description: 'When they joined, left, reached the tier or got the code.' })),
        day: Nullable(day('The day on which points end.')),
        points: Nullable(Int64({ description: 'Points that end.', examples: [40] })),
        benefit_id,
        title: Nullable(Type.String({ description: 'Of the benefit or the tier.' })),
      }),
    ),
    next_cursor,
  },
  { title: 'ReportPeople' },
);
