import { Type, type Static } from 'typebox';
import { readCommerces } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { Instant, Int64, Nullable, StrEnum, Text } from '#http/schema.ts';
import { FIRST_BENEFITS, SET_UP_STEPS, type SetUpAnswers } from './answers.ts';
import { exampleEarnings } from './first-program.ts';
import type { SetUp } from './set-up.ts';
import { findSlug } from './shop-slug.ts';
import { suggestBenefits } from './suggest-benefits.ts';

const answers = {
  step: Nullable(StrEnum(SET_UP_STEPS, { description: 'The step to go on with. Null: the first one.' })),
  name: Nullable(Text({ description: 'Name of the shop, as members see it.', examples: ['Corner Bakery'] })),
  slug: Nullable(
    Text({
      description: 'Its name in links, for good. Null: made of its name.',
      examples: ['corner-bakery'],
    }),
  ),
  color: Nullable(Text({ description: 'The brand color as `#rrggbb`.', examples: ['#0f5c6e'] })),
  currency: Nullable(Text({ description: 'ISO 4217.', examples: ['EUR'] })),
  time_zone: Nullable(Text({ description: 'IANA.', examples: ['Europe/Lisbon'] })),
  locale: Nullable(Text({ description: 'BCP 47, the language of members.', examples: ['es-AR'] })),
  money_per_point: Nullable(Type.Number({ description: 'Currency units for one point.', examples: [100] })),
  benefit: Nullable(StrEnum(FIRST_BENEFITS, { description: 'The first benefit that members can buy.' })),
  title: Nullable(Text({ description: 'Its name. Null: the suggested one.', examples: ['A coffee on us'] })),
  cost: Nullable(Int64({ description: 'Its price in points. Null: the suggested one.', examples: [50] })),
};

/** The body that a person may send: any of the answers. */
export const SetUpAnswersBody = Type.Partial(Type.Object(answers));

export const SetUpLinkSchema = Type.Object(
  {
    is_opened: Type.Boolean({ description: 'Whether somebody has proved an address with it.' }),
    expires_at: Instant({ description: 'When the link ends.' }),
    mailbox_url: Nullable(
      Type.String({ description: 'Where mails are shown, on a developer’s machine. Else they are sent.' }),
    ),
  },
  { title: 'SetUpLink' },
);

export const SetUpSchema = Type.Object(
  {
    email: Type.String({ description: 'Whose shop it will be.', examples: ['marta@example.com'] }),
    expires_at: Instant({ description: 'Until then, the person can leave and go on.' }),
    answers: Type.Object(answers),
    slug: Nullable(
      Type.String({
        description: 'The name in links that the shop would get. Null without a name.',
        examples: ['corner-bakery'],
      }),
    ),
    portal_url: Nullable(
      Type.String({
        description: 'The address of the members’ pages.',
        examples: ['https://loyalty.example/club/corner-bakery'],
      }),
    ),
    examples: Type.Array(
      Type.Object({ amount: Int64({ examples: [1_750] }), points: Int64({ examples: [17] }) }),
      { description: 'What a small, a usual and a large purchase would earn.' },
    ),
    benefits: Type.Array(
      Type.Object({
        kind: StrEnum(['product', 'percentage', 'amount']),
        title: Type.String({ examples: ['A coffee on us'] }),
        cost: Int64({ examples: [50] }),
        value: Nullable(Type.Number({ description: 'The percentage or the amount.', examples: [10] })),
        spend: Type.Number({ description: 'What a member spends for it.', examples: [5_000] }),
      }),
      { description: 'What the shop could begin with.' },
    ),
    shop: Nullable(
      Type.Object({ id: Int64({ examples: [1] }), slug: Type.String({ examples: ['corner-bakery'] }) }),
    ),
  },
  { title: 'SetUp' },
);

/** Describes a set-up, with what follows from the answers. */
export async function setUpToWire(
  db: Db,
  setUp: SetUp,
  serviceUrl: string,
): Promise<Static<typeof SetUpSchema>> {
  const { email, expiresAt, commerceId } = setUp;
  const commerce = commerceId === null ? undefined : (await readCommerces(db, [commerceId])).get(commerceId);
  const slug = commerce?.slug ?? (await findSlug(db, setUp.answers));
  return {
    email,
    expires_at: expiresAt,
    answers: setUp.answers,
    slug,
    portal_url: slug === null ? null : `${serviceUrl}/club/${slug}`,
    examples: exampleEarnings(setUp.answers, new Date()),
    benefits: suggestBenefits(setUp.answers),
    shop: commerce === undefined ? null : { id: commerce.id, slug: commerce.slug },
  };
}

/** Returns the answers as they would be with others that were typed. */
export function withTyped(setUp: SetUp, typed: Partial<SetUpAnswers>): SetUp {
  return { ...setUp, answers: { ...setUp.answers, ...typed } };
}
