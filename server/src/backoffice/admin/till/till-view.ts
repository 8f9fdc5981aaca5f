import type { FastifyRequest } from 'fastify';
import { readWireIds } from '#batching/wire-ids.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { UnknownMember } from '#members/refusals.ts';
import type { View } from './member-to-wire.ts';

/** Returns the commerce of a call, as it is now. */
export async function commerceOf(db: Db, { commerceId }: FastifyRequest): Promise<Commerce> {
  return (await readCommerce(db, commerceId))!;
}

/** Returns what the caller may see of a member, and under which ids. */
export async function viewFor(db: Db, { commerceId, serviceUrl, staff }: FastifyRequest): Promise<View> {
  return {
    memberIds: await readWireIds(db, commerceId, 'member'),
    serviceUrl,
    seesEmails: staff!.role !== 'cashier',
  };
}

/** Returns the stored id of a member. @throws UnknownMember if no member can have this id */
export function storedMemberOf({ memberIds }: View, memberId: number): number {
  const id = memberIds.fromWire(memberId);
  if (id === null) throw new UnknownMember();
  return id;
}
