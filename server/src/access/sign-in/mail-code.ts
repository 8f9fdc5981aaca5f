import type { Tx } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { CODE_MINUTES, type NewCode } from './request-code.ts';

/** Mails a member's code in the name of the commerce. */
export async function mailCode(
  tx: Tx,
  commerceId: number,
  { email, code, token, isKnown }: NewCode,
): Promise<void> {
  await enqueueMails(tx, [
    {
      commerceId,
      kind: 'sign-in-code',
      recipient: email,
      content: { code, token, purpose: 'member' },
      urgent: true,
      // Strangers who ask for many codes at a shop must not delay the members of that shop.
      ahead: isKnown,
      expiresInSeconds: CODE_MINUTES * 60,
    },
  ]);
}
