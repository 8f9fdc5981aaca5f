import { Type, type Static } from 'typebox';
import type { Commerce } from '#commerces/commerce.ts';
import { endOfDay } from '#calendar/calendar.ts';
import { Instant, Int64, Nullable } from '#http/schema.ts';
import type { ShownCard, ToldStamps } from './shown-cards.ts';

const card = {
  id: Type.String({ description: 'The id of the card in the program.', examples: ['coffee'] }),
  title: Type.String({ description: 'Its name, as the shop wrote it.', examples: ['Ten coffees'] }),
  have: Int64({ description: 'Stamps on it.', examples: [7] }),
  need: Int64({ description: 'Stamps of a full card.', examples: [10] }),
};

export const StampCardSchema = Type.Object(
  {
    ...card,
    paused: Type.Boolean({
      description: 'Whether the shop has stopped the card for a while. Its stamps stay.',
      examples: [false],
    }),
    owes: Int64({
      description:
        'Stamps that a return took after the code of a full card was used. The next purchases stamp these off first.',
      examples: [0],
    }),
    end_date: Nullable(
      Instant({ description: 'The end of its last day. Null if it does not end, or has no stamps.' }),
    ),
    benefit: Type.Object(
      {
        benefit_id: Type.String({ examples: ['coffee'] }),
        title: Type.String({ examples: ['A coffee'] }),
        image: Nullable(Type.String({ examples: ['https://shop.example/coffee.jpg'] })),
      },
      { title: 'StampBenefit', description: 'What a full card gives.' },
    ),
  },
  { title: 'StampCard' },
);

/** Returns a card of each kind of the program. */
export function stampCardsToWire(
  cards: readonly ShownCard[],
  { program, rules }: Commerce,
  pictureOf: (image: string | null) => string | null,
): Static<typeof StampCardSchema>[] {
  return cards.map(({ rule: { id, title, paused, need, benefitId }, have, owes, endsOn }) => {
    const benefit = giftOf(program, benefitId);
    return {
      id,
      title,
      have,
      need,
      paused,
      owes,
      end_date: endsOn === null ? null : endOfDay(endsOn, rules.timeZone),
      benefit: {
        benefit_id: benefitId,
        title: benefit?.title ?? benefitId,
        image: pictureOf(benefit?.image ?? null),
      },
    };
  });
}

/** What of a card the till shows. */
export const TillStampsSchema = Type.Object(
  {
    ...card,
    gives: Type.String({ description: 'The name of the benefit of a full card.', examples: ['A coffee'] }),
  },
  { title: 'TillStamps' },
);

/** Returns the cards that purchases stamp today. */
export function tillStampsToWire(
  cards: readonly ShownCard[],
  { program }: Commerce,
): Static<typeof TillStampsSchema>[] {
  return cards.flatMap(({ rule: { id, title, paused, need, benefitId }, have }) =>
    paused ? [] : [{ id, title, have, need, gives: giftOf(program, benefitId)?.title ?? benefitId }],
  );
}

/** What a full card gives; undefined if the program has it no longer. */
function giftOf({ benefits }: Commerce['program'], id: string) {
  return benefits.find((one) => one.id === id);
}

export const PreviewedStampsSchema = Type.Object(
  {
    ...card,
    have: Int64({ description: 'Stamps on the card after it.', examples: [8] }),
    given: Int64({ description: 'What the purchase would stamp.', examples: [1] }),
    full: Int64({ description: 'How many cards it would fill.', examples: [0] }),
    lost: Int64({ description: 'Stamps beyond the three cards that one purchase can fill.', examples: [0] }),
  },
  { title: 'PreviewedStamps' },
);

export function previewedStampsToWire(
  stamps: readonly (ToldStamps & { readonly title: string })[],
): Static<typeof PreviewedStampsSchema>[] {
  return stamps.map(({ id, title, have, need, given, full, lost }) => ({
    id,
    title,
    have,
    need,
    given,
    full,
    lost,
  }));
}

/** Returns what a purchase stamped as a structured header: `"coffee";given=1;have=7;need=10`. */
export function stampsHeader(stamps: readonly ToldStamps[]): string {
  return stamps
    .map(({ id, given, have, need, full, lost }) =>
      [
        `"${id}"`,
        `given=${given}`,
        `have=${have}`,
        `need=${need}`,
        ...(full > 0 ? [`full=${full}`] : []),
        ...(lost > 0 ? [`lost=${lost}`] : []),
      ].join(';'),
    )
    .join(', ');
}
