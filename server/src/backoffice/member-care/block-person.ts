import type { Audited } from '#audit/audited.ts';
import type { Tx } from '#db/database.ts';
import { lockPerson } from '#members/lock-person.ts';
import { storeBlock } from '#members/store-block.ts';
import { Problem } from '#problems/problem.ts';
import { lookAgainAtPasses } from '#wallets/passes-of-member.ts';

/** Staff have blocked the person before. The first reason stays. */
export class AlreadyBlocked extends Problem {
  constructor() {
    super(400, 'already_blocked', 'this person is blocked already: unblock them first to change the reason');
  }
}

/**
 * Staff block a person: nothing is earned, bought or given any more, and the tier stands still. Points and codes stay, and
 * codes can still be used. People who left and people whose points wait can be blocked too. Of two people who block at once,
 * one is told so.
 * @throws UnknownMember, PersonErased, AlreadyBlocked
 */
export async function blockPerson(
  tx: Tx,
  commerceId: number,
  memberId: number,
  reason: string,
): Promise<Audited<{ blockedAt: Date }>> {
  const { blockedAt: before } = await lockPerson(tx, commerceId, memberId);
  if (before !== null) throw new AlreadyBlocked();
  const blockedAt = await storeBlock(tx, commerceId, memberId, reason);
  await lookAgainAtPasses(tx, commerceId, memberId);
  return {
    answer: { blockedAt },
    entry: {
      action: 'member.block',
      memberId,
      before: { blocked: false },
      after: { blocked: true },
      personal: { reason },
    },
  };
}
