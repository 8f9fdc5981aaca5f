import { Type, type Static } from 'typebox';
import { DEFAULT_BRAND } from '#colors/brand-colors.ts';
import { readCommerces } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { STAFF_ROLES } from '#http/staff-roles.ts';
import { pictureUrl } from '#pictures/picture-url.ts';
import { readOffices } from './read-offices.ts';

const StaffCommerceSchema = Type.Object(
  {
    id: Int64({ description: 'The value of `X-Commerce-Id`.', examples: [1] }),
    slug: Type.String({ examples: ['harbour-bakery'] }),
    name: Type.String({ examples: ['Harbour Bakery'] }),
    color: Type.String({ description: 'The brand color as `#rrggbb`.', examples: ['#0f5c6e'] }),
    logo: Nullable(Type.String({ description: 'The URL of the logo.' })),
    club_url: Type.String({
      description: 'The address of the members’ pages.',
      examples: ['https://loyalty.example/club/harbour-bakery'],
    }),
    role: StrEnum(STAFF_ROLES, { description: 'What the person may do here.' }),
    sandbox: Type.Boolean({ description: 'Whether its clock can be moved.' }),
    currency: Type.String({ description: 'ISO 4217.', examples: ['EUR'] }),
    locale: Type.String({ description: 'BCP 47.', examples: ['es-AR'] }),
    time_zone: Type.String({ description: 'IANA.', examples: ['Europe/Lisbon'] }),
    step_up_points: Int64({
      description: 'Adjustments of more points than this ask for a fresh code.',
      examples: [10_000],
    }),
  },
  { title: 'StaffCommerce' },
);

export const StaffSessionSchema = Type.Object(
  {
    email: Type.String({ examples: ['marta@example.com'] }),
    name: Type.String({ examples: ['Marta'] }),
    fresh_until: Nullable(
      Instant({
        description: 'Until then, acts that ask for a fresh code are accepted without another one.',
      }),
    ),
    own_shop_url: Nullable(
      Type.String({
        description:
          'Where a developer makes a shop of their own. Null unless the service shows its mails to this machine.',
      }),
    ),
    commerces: Type.Array(StaffCommerceSchema, { description: 'Where the person has a role, by name.' }),
  },
  { title: 'StaffSession' },
);

interface SignedIn {
  readonly personId: number;
  readonly email: string;
  readonly name: string;
  readonly freshUntil: Date | null;
}

/** The addresses that depend on how the service is reached. */
export interface SessionLinks {
  readonly serviceUrl: string;
  readonly ownShopUrl: string | null;
}

/** Reads the commerces of a person who is signed in, with what the console needs to know about each. */
export async function readStaffSession(
  db: Db,
  { personId, email, name, freshUntil }: SignedIn,
  { serviceUrl, ownShopUrl }: SessionLinks,
): Promise<Static<typeof StaffSessionSchema>> {
  const offices = await readOffices(db, personId);
  const found = await readCommerces(
    db,
    offices.map(({ commerceId }) => commerceId),
  );
  const commerces = offices
    .flatMap(({ commerceId, role }) => {
      const commerce = found.get(commerceId);
      if (commerce === undefined) return [];
      const { id, slug, sandbox, program } = commerce;
      const { color, logo, currency, locale, time_zone, step_up_points } = program;
      return [
        {
          id,
          slug,
          name: program.name,
          color: color ?? DEFAULT_BRAND,
          logo: pictureUrl(logo, serviceUrl),
          club_url: `${serviceUrl}/club/${slug}`,
          role,
          sandbox,
          currency,
          locale,
          time_zone,
          step_up_points,
        },
      ];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { email, name, fresh_until: freshUntil, own_shop_url: ownShopUrl, commerces };
}
