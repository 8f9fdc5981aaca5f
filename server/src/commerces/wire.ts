import { Type, type Static } from 'typebox';
import { Int64, Nullable } from '#http/schema.ts';
import { pictureUrl } from '#pictures/picture-url.ts';
import type { Program } from '#program/program.ts';

export const CommerceSchema = Type.Object(
  {
    id: Int64({ description: 'The commerce id, same as the X-Commerce-Id value', examples: [1] }),
    name: Type.String({ examples: ['Café Luna'] }),
    logo: Nullable(Type.String({ description: 'Logo URL', examples: ['https://luna.example/logo.png'] })),
    color: Nullable(Type.String({ description: 'Brand colour, hexadecimal', examples: ['#4b2e83'] })),
    category_name: Nullable(Type.String({ examples: ['Coffee and cakes'] })),
    currency: Nullable(Type.String({ description: 'ISO 4217', examples: ['ARS'] })),
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
