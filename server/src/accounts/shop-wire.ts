import { Type, type Static } from 'typebox';
import { Int64, Nullable } from '#http/schema.ts';
import type { Member } from '#members/member.ts';

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

/** Returns a member as the shop sees them. Erased people keep their row, without name and e-mail address. */
export function clientToWire(member: Member, points: number): Static<typeof ClientSchema> {
  return { code: member.code ?? 0, username: member.username ?? '', email: member.email ?? '', points };
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
