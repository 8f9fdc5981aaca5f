import { sql, type Tx } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { rememberNetwork } from '#sign-in/known-network.ts';
import { CODE_MINUTES, type NewCode } from '#sign-in/request-code.ts';
import type { Enter } from '#sign-in/verify-code.ts';
import { openStaffSession, renewStaffSession } from './staff-session.ts';

/**
 * Mails a code of the staff in the name of one of the person's commerces. Writes nothing if the address belongs to nobody
 * of the staff: otherwise strangers could send mails to anybody. Everything else is done for such an address too.
 */
export async function mailStaffCode(
  tx: Tx,
  purpose: 'staff' | 'step-up',
  { email, code, token, isKnown }: NewCode,
): Promise<boolean> {
  const person = await findPerson(tx, email);
  if (person === null) return false;
  await enqueueMails(tx, [
    {
      commerceId: person.commerceId,
      kind: 'sign-in-code',
      recipient: email,
      content: { code, token: purpose === 'staff' ? token : '', purpose },
      urgent: true,
      ahead: isKnown,
      expiresInSeconds: CODE_MINUTES * 60,
    },
  ]);
  return true;
}

/** The result of a sign-in: the person, and the token for the cookie. */
export interface SignedInStaff {
  readonly personId: number;
  readonly token: string;
}

/** Opens a session for the person of the staff who has the address. Nobody becomes a user or a member by it. */
export const enterAsStaff: Enter<SignedInStaff> = async (tx, { email }, network) => {
  const person = await findPerson(tx, email);
  if (person === null) return null;
  await rememberNetwork(tx, network);
  return { personId: person.personId, token: await openStaffSession(tx, person.personId) };
};

/** Makes a session fresh, if the code belongs to its person. */
export function enterAgain(session: {
  readonly sessionId: number;
  readonly personId: number;
}): Enter<SignedInStaff> {
  return async (tx) => {
    const token = await renewStaffSession(tx, session.sessionId);
    return token === null ? null : { personId: session.personId, token };
  };
}

interface Person {
  readonly personId: number;
  /** The first commerce where the person has a role. */
  readonly commerceId: number;
}

async function findPerson(tx: Tx, email: string): Promise<Person | null> {
  const { rows } = await sql<Person>`-- find-staff-person
    select p.id as "personId", min(s.commerce_id) as "commerceId"
      from staff_people p
      join staff s on s.person_id = p.id and s.removed_at is null
      join commerces c on c.id = s.commerce_id and c.status <> 'closed'
     where p.email = ${email}
     group by p.id`.execute(tx);
  return rows[0] ?? null;
}
