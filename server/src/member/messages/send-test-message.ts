import type { Language } from '#text/language.ts';
import type { Audited } from '#audit/audited.ts';
import { sql, type Tx } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import type { WrittenMail } from '#mail/write-mail.ts';
import type { MessageKind } from '#program/messages.ts';
import { Problem } from '#problems/problem.ts';

/** Somebody has to look at the mail, and a key has no mailbox. */
export class NoMailbox extends Problem {
  constructor() {
    super(
      400,
      'no_mailbox',
      'a back-office key has no mailbox: sign in to the console to send yourself a mail',
    );
  }
}

export class TestsUsedUp extends Problem {
  constructor() {
    super(
      400,
      'tests_used_up',
      `you have sent yourself ${MOST_AN_HOUR} mails in an hour: look at the preview instead`,
    );
  }
}

const MOST_AN_HOUR = 10;

/** The recipient of a test mail: a person of the staff, with the address of their session. */
export interface Tester {
  readonly commerceId: number;
  readonly staffId: number;
  readonly email: string;
}

/**
 * A person of the shop sends a mail to themselves, as they see it in the preview, at most ten in an hour. The words of a draft
 * are in it, so it is kept as it was written.
 * @throws TestsUsedUp
 */
export async function sendTestMessage(
  tx: Tx,
  { commerceId, staffId, email }: Tester,
  { kind, language }: { readonly kind: MessageKind; readonly language: Language },
  { from, subject, text, html }: WrittenMail,
): Promise<Audited<{ recipient: string }>> {
  // Locked first, so that two calls at once do not both count nine.
  await sql`-- lock-tester
    select from staff where commerce_id = ${commerceId} and id = ${staffId} for update`.execute(tx);
  const { rows } = await sql<{ sent: number }>`-- count-test-messages
    select count(*) as sent
      from outbox
     where commerce_id = ${commerceId} and recipient = ${email} and kind = 'test-message'
       and created_at > now() - interval '1 hour'`.execute(tx);
  if (rows[0]!.sent >= MOST_AN_HOUR) throw new TestsUsedUp();
  await enqueueMails(tx, [
    {
      commerceId,
      kind: 'test-message',
      recipient: email,
      content: { from, subject, text, html },
      urgent: true,
      expiresInSeconds: 3600,
    },
  ]);
  return { answer: { recipient: email }, entry: { action: 'message.test', after: { kind, language } } };
}
