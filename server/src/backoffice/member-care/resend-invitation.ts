import type { Audited } from '#audit/audited.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { countInvitation, noteRepeatedInvitation, type InvitationLimit } from '#members/invite-people.ts';
import { findMember } from '#members/lock-members.ts';
import { lockPerson } from '#members/lock-person.ts';
import { withLots } from '#points/locked-member.ts';
import { balanceOn } from '#points/lots.ts';
import { settled } from '#points/pending.ts';
import { Problem } from '#problems/problem.ts';
import { lockAddress } from '#sign-in/lock-address.ts';

/** The person has joined before, so no points wait. */
export class AlreadyJoined extends Problem {
  constructor() {
    super(400, 'already_joined', 'this person has joined before: there is nothing to invite them to');
  }
}

/** Staff have blocked the person, whose points would be of no use. */
export class PersonBlocked extends Problem {
  constructor() {
    super(400, 'blocked', 'this person is blocked: unblock them first');
  }
}

/** The mailbox was invited within a day, or was sent many mails today. */
export class InvitedLately extends Problem {
  constructor() {
    super(400, 'invited_lately', 'this mailbox was sent enough mails for today: try again tomorrow');
  }
}

/** The commerce has sent as many invitations as it may in a day. */
export class InvitationsUsedUp extends Problem {
  constructor() {
    super(
      400,
      'invitations_used_up',
      'this commerce has sent all invitations of the day: try again tomorrow',
    );
  }
}

/**
 * Staff send the invitation to a person whose points wait once more: at most once a day for each mailbox and commerce, and
 * within the daily limit of the commerce. No automatic one follows for 30 days.
 * @throws UnknownMember, PersonErased, AlreadyJoined, PersonBlocked, InvitedLately, InvitationsUsedUp
 */
export async function resendInvitation(
  tx: Tx,
  commerceId: number,
  memberId: number,
  limit: InvitationLimit,
): Promise<Audited<null>> {
  const found = await findMember(tx, { commerceId, id: memberId });
  // Codes and invitations to a mailbox are counted together, over all commerces.
  if (found?.email != null) await lockAddress(tx, found.email);
  const person = await lockPerson(tx, commerceId, memberId);
  const { state, email, blockedAt } = person;
  if (state !== 'invited') throw new AlreadyJoined();
  if (blockedAt !== null) throw new PersonBlocked();
  if (!(await noteRepeatedInvitation(tx, { commerceId, id: memberId, email: email! })))
    throw new InvitedLately();
  if (!(await countInvitation(tx, commerceId, limit))) throw new InvitationsUsedUp();
  const commerce = (await readCommerce(tx, commerceId))!;
  const [held] = await withLots(tx, [person]);
  const points = balanceOn(settled(held!, commerce).lots, commerce.today);
  await enqueueMails(tx, [{ commerceId, kind: 'invitation', recipient: email!, content: { points } }]);
  return { answer: null, entry: { action: 'member.invite', memberId } };
}
