import { Type, type Static } from 'typebox';
import { Int64, Nullable } from '#http/schema.ts';
import type { Client } from './client-reader.ts';

export const ClientSchema = Type.Object(
  {
    code: Int64({
      description: 'The member’s 9-digit code: the `client_code` of other calls.',
      examples: [482915374],
    }),
    username: Type.String({ description: 'The member’s name at this shop.', examples: ['Eva'] }),
    email: Type.String({ description: 'The member’s e-mail address.', examples: ['eva@example.com'] }),
    points: Nullable(Int64({ description: 'The balance that can be spent now.', examples: [340] })),
  },
  { title: 'Client' },
);

export function clientToWire({ code, username, email, points }: Client): Static<typeof ClientSchema> {
  return { code: code ?? 0, username: username ?? '', email: email ?? '', points };
}

export const ClientPageSchema = Type.Object(
  {
    items: Type.Array(ClientSchema),
    total: Nullable(Int64({ description: 'The number of clients on all pages.', examples: [314] })),
    limit: Nullable(Int64({ description: 'The limit that was applied.', examples: [20] })),
    offset: Nullable(Int64({ description: 'The offset that was applied.', examples: [0] })),
  },
  { title: 'ClientPage' },
);
