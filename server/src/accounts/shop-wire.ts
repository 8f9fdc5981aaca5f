import { Type, type Static } from 'typebox';
import { Int64, Nullable } from '#http/schema.ts';
import type { Member } from '#members/member.ts';

export const ClientSchema = Type.Object(
  {
    code: Int64({ description: 'Member code', examples: [482915374] }),
    username: Type.String({ description: 'Member name', examples: ['eva'] }),
    email: Type.String({ description: 'Member e-mail', examples: ['eva@example.com'] }),
    points: Nullable(Int64({ description: 'The available balance at the commerce', examples: [120] })),
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
    total: Nullable(Int64({ description: 'The number of all clients', examples: [314] })),
    limit: Nullable(Int64({ description: 'The limit that was applied' })),
    offset: Nullable(Int64({ description: 'The offset that was applied' })),
  },
  { title: 'ClientPage' },
);
