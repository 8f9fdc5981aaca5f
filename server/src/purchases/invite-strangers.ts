import type { Tx } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { noteInvitations, type InvitationLimit } from '#members/invite-people.ts';
import type { Member } from '#members/member.ts';

/** Invites people whose points wait: at most once in 30 days for each mailbox and commerce, and up to the day's limit. */
export async function inviteStrangers(
  tx: Tx,
  members: readonly Member[],
  limit: InvitationLimit,
): Promise<void> {
  const waiting = members.filter((member) => member.state === 'invited');
  const noted = await noteInvitations(tx, waiting, limit);
  await enqueueMails(
    tx,
    waiting.flatMap(({ id, commerceId, email }) =>
      email !== null && noted.has(id)
        ? [{ commerceId, kind: 'invitation' as const, recipient: email, content: {} }]
        : [],
    ),
  );
}
