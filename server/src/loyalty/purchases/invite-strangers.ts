import type { Tx } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { noteInvitations, type InvitationLimit } from '#members/invite-people.ts';
import type { Commerce } from '#commerces/commerce.ts';
import type { LockedMember } from '#points/locked-member.ts';
import { balanceOn } from '#points/lots.ts';
import { isMessageOn } from '#program/messages.ts';

/**
 * Invites people whose points wait, unless the program has switched invitations off: at most once in 30 days for each mailbox
 * and commerce, and up to the day's limit.
 */
export async function inviteStrangers(
  tx: Tx,
  members: readonly LockedMember[],
  commerces: ReadonlyMap<number, Commerce>,
  limit: InvitationLimit,
): Promise<void> {
  const waiting = members.filter(
    ({ state, commerceId }) =>
      state === 'invited' && isMessageOn(commerces.get(commerceId)!.program, 'invitation'),
  );
  const noted = await noteInvitations(tx, waiting, limit);
  await enqueueMails(
    tx,
    waiting.flatMap(({ id, commerceId, email, lots }) =>
      email !== null && noted.has(id)
        ? [
            {
              commerceId,
              kind: 'invitation' as const,
              recipient: email,
              content: { points: balanceOn(lots, commerces.get(commerceId)!.today) },
            },
          ]
        : [],
    ),
  );
}
