import { Type, type Static } from 'typebox';
import type { WireIds } from '#batching/wire-ids.ts';
import { Int64, Nullable, StrEnum } from '#http/schema.ts';
import type { MemberFigures } from '#what-if/figures.ts';
import type { Progress, WhatIf } from '#what-if/what-if.ts';

const points = (description: string) => Int64({ description, examples: [1240] });
const count = (description: string) => Type.Integer({ description, examples: [12] });
const month = (description: string) => Type.String({ description, examples: ['2027-01'] });
const tierId = Nullable(Type.String({ examples: ['gold'] }));
const tierName = Nullable(Type.String({ examples: ['Gold'] }));

const ThenNowSchema = Type.Object(
  {
    then: points('In the ledger.'),
    now: points('If the proposed program had been published at the beginning of the range.'),
  },
  { title: 'ThenNow' },
);

const StandingSchema = Type.Object(
  {
    points: points('The balance.'),
    earned: points('Earned by purchases in the range, less what was taken back.'),
    level_id: tierId,
    level_name: tierName,
  },
  { title: 'WhatIfStanding' },
);

const withAmount = (description: string) =>
  Type.Object({ count: count('How many.'), amount: Int64({ examples: [350] }) }, { description });
const withPoints = (description: string) =>
  Type.Object({ count: count('How many.'), points: points('Their sum.') }, { description });

export const WhatIfProgressSchema = Type.Object(
  {
    type: StrEnum(['progress']),
    done: Type.Number({ description: 'From 0 to 1.', examples: [0.25] }),
    purchases: count('Purchases that have been read so far.'),
  },
  { title: 'WhatIfProgress' },
);

export const WhatIfWaitingSchema = Type.Object(
  {
    type: StrEnum(['waiting']),
    place: Type.Integer({ description: 'In the line of the shops that wait; 1 is next.', examples: [1] }),
  },
  { title: 'WhatIfWaiting', description: 'Other shops come first. Their what-ifs end within two minutes.' },
);

export const WhatIfFailureSchema = Type.Object(
  {
    type: StrEnum(['failure']),
    reason: StrEnum(['failed', 'took_too_long'], {
      description: '`took_too_long`: a shorter range may do.',
    }),
    message: Type.String(),
  },
  { title: 'WhatIfFailure', description: 'Something went wrong after the answer had begun.' },
);

export const WhatIfSchema = Type.Object(
  {
    from: Type.String({ description: 'The first day that was replayed.', examples: ['2026-11-22'] }),
    to: Type.String({ description: 'The last day that was replayed.', examples: ['2027-11-22'] }),
    base_version: Type.Integer({
      description: 'The version of the program that is in force.',
      examples: [7],
    }),
    purchases: count('Purchases of the range.'),
    amount: Int64({ description: 'Their amount.', examples: [93_000] }),
    buyers: count('People with at least one purchase in the range.'),
    points: Type.Object(
      {
        earned: ThenNowSchema,
        doubled: ThenNowSchema,
        taken_back: ThenNowSchema,
        given: ThenNowSchema,
        spent: ThenNowSchema,
        expired: ThenNowSchema,
      },
      {
        title: 'WhatIfPoints',
        description:
          'All changes of balances in the range. `doubled` is the part of `earned` that was earned in periods of double points.',
      },
    ),
    months: Type.Array(
      Type.Object(
        {
          month: month('In the calendar of the program in force.'),
          purchases: count('Purchases of the month.'),
          earned: ThenNowSchema,
          taken_back: ThenNowSchema,
          expired: ThenNowSchema,
        },
        { title: 'WhatIfMonth' },
      ),
    ),
    levels: Type.Array(
      Type.Object(
        { level_id: tierId, name: tierName, earned: ThenNowSchema, members: ThenNowSchema },
        { title: 'WhatIfLevel' },
      ),
      { description: 'The tiers of both programs, lowest first, then no tier.' },
    ),
    stamps: Type.Array(
      Type.Object(
        {
          stamp_id: Type.String({
            description: 'The kind of card, by its id in the program.',
            examples: ['coffee'],
          }),
          title: Nullable(Type.String({ examples: ['Ten coffees'] })),
          given: ThenNowSchema,
          full: ThenNowSchema,
        },
        { title: 'WhatIfStamps' },
      ),
      {
        description:
          'The kinds of cards that were stamped. `given` are stamps and `full` full cards, each of which gives a code, less what returns took of them.',
      },
    ),
    liability: Type.Object(
      {
        points: ThenNowSchema,
        people: ThenNowSchema,
        ends: Type.Array(
          Type.Object({ month: Nullable(month('Null for points that never end.')), points: ThenNowSchema }),
        ),
      },
      { title: 'WhatIfLiability', description: 'Points that can still be spent at the end of the range.' },
    ),
    impossible: Type.Object(
      {
        purchases: withAmount('Purchases that the proposed program refuses.'),
        exchanges: withPoints('Benefits that could not have been paid for.'),
        reversals: withAmount('Returns that it refuses because the points were spent.'),
        adjustments: withPoints('Points taken by hand that were not there.'),
      },
      {
        title: 'WhatIfImpossible',
        description: 'What happened, but could not have. It is left out of `now`.',
      },
    ),
    members: Type.Array(
      Type.Object(
        {
          member_id: Int64({ examples: [481_992_004_117] }),
          client_code: Nullable(Int64({ examples: [289_980_196] })),
          username: Nullable(Type.String({ examples: ['Ana'] })),
          then: StandingSchema,
          now: StandingSchema,
        },
        { title: 'WhatIfMember' },
      ),
      { description: 'The members whose balance changes most, at most 10.' },
    ),
    members_changed: count('Members who have another balance or another tier.'),
    prices: Type.Array(
      Type.Object(
        {
          benefit_id: Type.String({ examples: ['cherry-cake'] }),
          title: Type.String({ examples: ['Cherry cake'] }),
          cost: Type.Object({ before: points('In force.'), after: points('Proposed.') }),
          bought: count('How often it was bought in the range.'),
          payable: count('How many of these could have been paid at the proposed price, each by itself.'),
          members_able: Type.Object(
            {
              then: count('Members who hold enough for the price in force.'),
              now: count('Members who would hold enough for the proposed price.'),
            },
            { description: 'At the end of the range.' },
          ),
        },
        { title: 'WhatIfPrice' },
      ),
      {
        description:
          'The benefits for sale that get another price. `points.spent` has the prices that were paid.',
      },
    ),
    publishing: Type.Object(
      {
        changes: Type.Array(Type.String({ examples: ['members who reach a higher tier: 12'] })),
        moves: Type.Array(Type.Object({ from: tierId, to: tierId, members: count('Members who move.') }), {
          description: 'From one tier to another; null is no tier.',
        }),
        benefits: count('Codes that members get for tiers.'),
        redated: Type.Object({
          members: count('Members whose points get another last day.'),
          points: points('Their points.'),
        }),
        ends: Type.Array(
          Type.Object({
            month: Nullable(month('Null for points that never end.')),
            before: points('Points that end then.'),
            after: points('The same after publishing.'),
          }),
        ),
      },
      {
        title: 'WhatIfPublishing',
        description: 'What publishing the program at this moment does to people.',
      },
    ),
    warnings: Type.Array(Type.String(), { description: 'What the figures do not say.' }),
  },
  { title: 'WhatIf' },
);

export const WhatIfResultSchema = Type.Object(
  { type: StrEnum(['result']), ...WhatIfSchema.properties },
  { title: 'WhatIfResult' },
);

export const WhatIfLineSchema = Type.Union([
  WhatIfWaitingSchema,
  WhatIfProgressSchema,
  WhatIfResultSchema,
  WhatIfFailureSchema,
]);

export type WhatIfLine = Static<typeof WhatIfLineSchema>;

export function progressToWire({ done, purchases }: Progress): WhatIfLine {
  return { type: 'progress', done: Math.round(done * 1000) / 1000, purchases };
}

/** @param memberIds null to leave the ids as they are, for the command line */
export function whatIfToWire(whatIf: WhatIf, memberIds: WireIds | null): Static<typeof WhatIfSchema> {
  const { points, impossible, publishing, liability } = whatIf;
  const counted = ({ count, amount }: { count: number; amount: number }) => ({ count, points: amount });
  return {
    from: whatIf.from,
    to: whatIf.to,
    base_version: whatIf.baseVersion,
    purchases: whatIf.purchases,
    amount: whatIf.amount,
    buyers: whatIf.buyers,
    points: {
      earned: points.earned,
      doubled: points.doubled,
      taken_back: points.takenBack,
      given: points.given,
      spent: points.spent,
      expired: points.expired,
    },
    months: whatIf.months.map(({ takenBack, ...figures }) => ({ ...figures, taken_back: takenBack })),
    levels: whatIf.tiers.map(({ tierId, name, earned, members }) => ({
      level_id: tierId,
      name,
      earned,
      members,
    })),
    stamps: whatIf.stamps.map(({ stampId, title, given, full }) => ({
      stamp_id: stampId,
      title,
      given,
      full,
    })),
    liability: { ...liability, ends: [...liability.ends] },
    impossible: {
      purchases: { ...impossible.purchases },
      exchanges: counted(impossible.exchanges),
      reversals: { ...impossible.reversals },
      adjustments: counted(impossible.adjustments),
    },
    members: whatIf.members.map(({ memberId, code, username, then, now }) => ({
      member_id: memberIds === null ? memberId : memberIds.toWire(memberId),
      client_code: code,
      username,
      then: standingToWire(then),
      now: standingToWire(now),
    })),
    members_changed: whatIf.membersChanged,
    prices: whatIf.prices.map(({ benefitId, title, before, after, bought, payable, able }) => ({
      benefit_id: benefitId,
      title,
      cost: { before, after },
      bought,
      payable,
      members_able: { ...able },
    })),
    publishing: {
      changes: [...publishing.changes],
      moves: [...publishing.moves],
      benefits: publishing.benefits,
      redated: { ...publishing.redated },
      ends: publishing.ends.map(({ month, points }) => ({ month, ...points })),
    },
    warnings: [...whatIf.warnings],
  };
}

function standingToWire({ points, earned, tierId, tierName }: MemberFigures): Static<typeof StandingSchema> {
  return { points, earned, level_id: tierId, level_name: tierName };
}
