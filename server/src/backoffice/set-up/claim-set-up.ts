import { sql, type Tx } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { Problem } from '#problems/problem.ts';
import { rememberNetwork } from '#sign-in/known-network.ts';
import { CODE_MINUTES, type NewCode } from '#sign-in/request-code.ts';
import type { Enter } from '#sign-in/verify-code.ts';
import type { SetUpAnswers } from './answers.ts';
import { hashOfSecret, IS_OPEN, LinkRefused, newSecret } from './set-up-link.ts';

/** Somebody else was first. The owner of the service makes a new link, and nothing that the other has typed counts. */
export class LinkTaken extends Problem {
  constructor() {
    super(
      409,
      'set_up_link_taken',
      'somebody has opened this set-up link with another e-mail address: go on with that address, or make a new link with `loyalty setup-link`',
    );
  }
}

/** Mails the code that proves an address. There is no shop yet, so the service itself sends it. */
export async function mailSetUpCode(
  tx: Tx,
  { email, code, isKnown }: NewCode,
  locale: 'en' | 'es',
): Promise<void> {
  await enqueueMails(tx, [
    {
      commerceId: null,
      kind: 'set-up-code',
      recipient: email,
      content: { code, locale },
      urgent: true,
      ahead: isKnown,
      expiresInSeconds: CODE_MINUTES * 60,
    },
  ]);
}

/**
 * Gives a link to the person who has proved an address with it, and returns the token for the cookie. From then on the link
 * works for that address only: in another browser it opens the same set-up after another code, and the first browser has to
 * ask again. Somebody who has begun before with another link goes on with those answers.
 * @param first the answers to begin with
 */
export function claimSetUp(token: string, first: SetUpAnswers): Enter<string> {
  return async (tx, { email }, network) => {
    const link = await lockLink(tx, token);
    if (link === null) throw new LinkRefused();
    if (link.email !== null && link.email !== email) throw new LinkTaken();
    const session = newSecret();
    await sql`-- claim-set-up
      update set_ups s
         set email = ${email}, proved_at = now(), session_hash = ${session.hash},
             expires_at = greatest(s.expires_at, now() + interval '7 days'),
             answers = case when s.email is not null then s.answers
                            else coalesce((select b.answers from set_ups b
                                            where b.email = ${email} and b.finished_at is null
                                            order by b.proved_at desc limit 1), ${JSON.stringify(first)}::jsonb) end
       where s.id = ${link.id}`.execute(tx);
    await rememberNetwork(tx, network);
    return session.token;
  };
}

async function lockLink(
  tx: Tx,
  token: string,
): Promise<{ readonly id: number; readonly email: string | null } | null> {
  const { rows } = await sql<{ id: number; email: string | null }>`-- lock-set-up-link
    select s.id, s.email from set_ups s
     where s.token_hash = ${hashOfSecret(token)} and ${IS_OPEN}
       for update of s`.execute(tx);
  return rows[0] ?? null;
}
