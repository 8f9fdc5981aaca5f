import { Type, type Static } from 'typebox';
import { Int64, Nullable } from '#http/schema.ts';
import { pictureUrl } from '#pictures/picture-url.ts';
import type { Program } from '#program/program.ts';

export const CommerceSchema = Type.Object(
  {
    id: Int64({ description: 'The id of the commerce: the value of `X-Commerce-Id`.', examples: [1] }),
    name: Type.String({ description: 'The name of the shop.', examples: ['Harbour Bakery'] }),
    logo: Nullable(
      Type.String({ description: 'The URL of the logo.', examples: ['https://harbour.example/logo.png'] }),
    ),
    color: Nullable(Type.String({ description: 'The brand color as `#rrggbb`.', examples: ['#0f5c6e'] })),
    category_name: Nullable(Type.String({ description: 'What the shop sells.', examples: ['Bakery'] })),
    currency: Nullable(Type.String({ description: 'ISO 4217.', examples: ['EUR'] })),
  },
  { title: 'Commerce' },
);

/** Returns the shop's public details. */
export function commerceToWire(
  { id, program }: { id: number; program: Program },
  serviceUrl: string,
): Static<typeof CommerceSchema> {
  const { name, logo, color, category_name, currency } = program;
  return { id, name, logo: pictureUrl(logo, serviceUrl), color, category_name, currency };
}
