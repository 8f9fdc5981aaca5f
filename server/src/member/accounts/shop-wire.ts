import { Type, type Static } from 'typebox';
import { Int64, Nullable } from '#http/schema.ts';
import { pictureUrl } from '#pictures/picture-url.ts';
import type { Holder } from '#points/holder-reader.ts';
import type { LockedMember } from '#points/locked-member.ts';
import { balanceOn } from '#points/lots.ts';
import type { ShownCard } from '#stamps/shown-cards.ts';
import { StampCardSchema, stampCardsToWire } from '#stamps/wire.ts';
import { LevelSchema, levelToWire } from '#tiers/wire.ts';
import type { Client } from './client-reader.ts';
import { expiringOf, pendingOf } from './my-account.ts';
import {
  ExpiringPointsSchema,
  expiringPointsToWire,
  PendingPointsSchema,
  pendingPointsToWire,
} from './my-wire.ts';

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

export const ClientStandingSchema = Type.Object(
  {
    ...ClientSchema.properties,
    points: Int64({ description: 'The balance that can be spent now.', examples: [340] }),
    subscribed: Type.Boolean({
      description: 'False for somebody who has left the program.',
      examples: [true],
    }),
    expiring: Type.Array(ExpiringPointsSchema, { description: 'When the points expire, soonest first.' }),
    waiting: Type.Array(PendingPointsSchema, {
      description: 'Points that cannot be spent yet. They are not in `points`.',
    }),
    level: Nullable(LevelSchema),
    stamps: Type.Array(StampCardSchema, { description: 'A card of each kind that the program has.' }),
  },
  { title: 'ClientStanding' },
);

/** `cards` are those of the member. */
export function clientStandingToWire(
  { member, commerce }: Holder & { readonly member: LockedMember },
  cards: readonly ShownCard[],
  serviceUrl: string,
): Static<typeof ClientStandingSchema> {
  const { code, username, email, lots, state } = member;
  const points = balanceOn(lots, commerce.today);
  return {
    ...clientToWire({ code, username, email, points }),
    points,
    subscribed: state === 'member',
    expiring: expiringOf({ member, commerce }).map(expiringPointsToWire),
    waiting: pendingOf({ member, commerce }).map(pendingPointsToWire),
    level: levelToWire({ member, commerce }, serviceUrl),
    stamps: stampCardsToWire(cards, commerce, (image) => pictureUrl(image, serviceUrl)),
  };
}
