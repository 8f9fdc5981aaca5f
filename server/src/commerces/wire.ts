import { Type, type Static } from 'typebox';
import { Int64, Nullable } from '#http/schema.ts';
import type { Commerce as CommerceRead } from './commerce.ts';

export const Commerce = Type.Object(
  {
    id: Int64({ description: 'The commerce id, same as the X-Commerce-Id value' }),
    name: Type.String(),
    logo: Nullable(Type.String({ description: 'Logo URL' })),
    color: Nullable(Type.String({ description: 'Brand colour, hexadecimal' })),
    category_name: Nullable(Type.String()),
    currency: Nullable(Type.String()),
  },
  { title: 'Commerce' },
);

/** Who the shop is, as anybody may see it. */
export function commerceOf({ id, program }: CommerceRead): Static<typeof Commerce> {
  const { name, logo, color, category_name, currency } = program;
  return { id, name, logo, color, category_name, currency };
}
