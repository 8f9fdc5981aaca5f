import type { Tx } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { noteInvitations } from '#members/invite-people.ts';
import type { Member } from '#members/member.ts';

/** Invites people whose points wait, at most once in 30 days for each address and commerce. */
export async function inviteStrangers(tx: Tx, members: readonly Member[]): Promise<void> {
  const waiting = members.filter((member) => member.state === 'invited');
  const noted = await noteInvitations(tx, waiting);
  await enqueueMails(
    tx,
    waiting.flatMap(({ id, commerceId, email }) =>
      email !== null && noted.has(id)
        ? [{ commerceId, kind: 'invitation' as const, recipient: email, content: {} }]
        : [],
    ),
  );
}
