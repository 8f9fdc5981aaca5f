import { Type, type Static } from 'typebox';
import { Int64, Nullable } from '#http/schema.ts';
import type { Member } from '#members/member.ts';

export const Client = Type.Object(
  {
    code: Int64({ description: 'Member code', examples: [482915374] }),
    username: Type.String({ description: 'Member name', examples: ['eva'] }),
    email: Type.String({ description: 'Member e-mail', examples: ['eva@example.com'] }),
    points: Nullable(Int64({ description: 'Available balance at the commerce', examples: [120] })),
  },
  { title: 'Client' },
);

/** A member as a shop sees one. A person who was erased keeps the row, without name or address. */
export function clientOf(member: Member, points: number): Static<typeof Client> {
  return { code: member.code ?? 0, username: member.username ?? '', email: member.email ?? '', points };
}

export const ClientPage = Type.Object(
  {
    items: Type.Array(Client),
    total: Nullable(Int64({ description: 'All clients, unpaginated', examples: [314] })),
    limit: Nullable(Int64({ description: 'As applied' })),
    offset: Nullable(Int64({ description: 'As applied' })),
  },
  { title: 'ClientPage' },
);
