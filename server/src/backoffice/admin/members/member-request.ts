import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { readWireIds } from '#batching/wire-ids.ts';
import { REASON_CHARACTERS } from '#corrections/adjust-points.ts';
import type { Db } from '#db/database.ts';
import { UnknownMember } from '#members/refusals.ts';
import { ONE_LINE } from '#text/plain-text.ts';
import { memberId } from '../till/wire.ts';
import { memberPageToWire } from './page-to-wire.ts';
import { readMemberPage } from './read-member-page.ts';

/** The member in the path of a call. */
export const memberParams = Type.Object({ member_id: memberId });

/** One line of free text that says why something is done. */
export const reason = Type.String({
  minLength: 1,
  maxLength: REASON_CHARACTERS,
  pattern: ONE_LINE,
  description: 'Why, in one line.',
  examples: ['a coffee was spilled'],
  'x-hint': `Send one line of 1 to ${REASON_CHARACTERS} characters.`,
});

type OfMember = Pick<FastifyRequest, 'params' | 'commerceId'>;

/** Calls that write to one member go one after the other. */
export function memberTurn({ params }: Pick<FastifyRequest, 'params'>): string {
  return `member ${(params as { member_id: number }).member_id}`;
}

/** Returns the stored id of the member in the path. @throws UnknownMember if no member can have this id */
export async function readStoredId(db: Db, { params, commerceId }: OfMember): Promise<number> {
  const { member_id: wireId } = params as { member_id: number };
  const id = (await readWireIds(db, commerceId, 'member')).fromWire(wireId);
  if (id === null) throw new UnknownMember();
  return id;
}

/** Reads the page of the member in the path, as the answer shows it. @throws UnknownMember */
export async function readPageWire(db: Db, request: OfMember) {
  const { commerceId } = request;
  const ids = {
    memberIds: await readWireIds(db, commerceId, 'member'),
    purchaseIds: await readWireIds(db, commerceId, 'purchase'),
  };
  const facts = await readMemberPage(db, commerceId, await readStoredId(db, request));
  return memberPageToWire(facts, ids);
}
