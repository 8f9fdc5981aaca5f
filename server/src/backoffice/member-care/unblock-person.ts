import type { Audited } from '#audit/audited.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { comeBack } from '#enrolment/come-back.ts';
import { welcomeMember } from '#enrolment/welcome-members.ts';
import { isActive } from '#members/eligibility.ts';
import { lockPerson } from '#members/lock-person.ts';
import type { Member } from '#members/member.ts';
import { storeUnblock } from '#members/store-block.ts';
import { Problem } from '#problems/problem.ts';
import { lookAgainAtPasses } from '#wallets/passes-of-member.ts';

/** Nobody has blocked the person, or somebody unblocked them before. */
export class NotBlocked extends Problem {
  constructor() {
    super(400, 'not_blocked', 'this person is not blocked');
  }
}

/**
 * Staff let a blocked person take part again. The tier, which stood still, is settled and climbs to what is met today. A person
 * who joined while blocked gets the welcome reward now.
 * @throws UnknownMember, PersonErased, NotBlocked
 */
export async function unblockPerson(
  tx: Tx,
  commerceId: number,
  memberId: number,
  reason: string | null,
): Promise<Audited<null>> {
  const before = await lockPerson(tx, commerceId, memberId);
  if (before.blockedAt === null) throw new NotBlocked();
  const blockReason = await storeUnblock(tx, commerceId, memberId);
  const commerce = (await readCommerce(tx, commerceId))!;
  const after = { ...before, blockedAt: null };
  if (isActive(after) && joinedWhileBlocked(before)) await welcomeMember(tx, commerce, after);
  else await comeBack(tx, before, after, commerce);
  await lookAgainAtPasses(tx, commerceId, memberId);
  return {
    answer: null,
    entry: {
      action: 'member.unblock',
      memberId,
      before: { blocked: true },
      after: { blocked: false },
      personal: { before: { reason: blockReason }, reason },
    },
  };
}

function joinedWhileBlocked({ enrolledAt, blockedAt }: Member): boolean {
  return enrolledAt !== null && blockedAt !== null && enrolledAt >= blockedAt;
}
