import type { Tx } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { noteInvitations } from '#members/invite-people.ts';
import type { Member } from '#members/member.ts';

/** People whose points wait are told so: one invitation for an address and commerce in 30 days. */
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
