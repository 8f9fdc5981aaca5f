import type { Audited } from '#audit/audited.ts';
import { sql, type Tx } from '#db/database.ts';
import type { StaffRole } from '#http/staff-roles.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { Problem } from '#problems/problem.ts';

/** The person has a role at this commerce already. */
export class AlreadyStaff extends Problem {
  constructor(email: string) {
    super(409, 'already_staff', `${email} works here already: change the role instead`);
  }
}

export interface Invitation {
  /** Normalised. */
  readonly email: string;
  readonly role: StaffRole;
  /** By default, the part of the address before the @. Only used for a person whom no commerce has invited yet. */
  readonly name?: string | null;
}

/**
 * A commerce gives a person a role and tells the person by mail. The person signs in with a code that is mailed to the
 * address.
 * @throws AlreadyStaff
 */
export async function inviteStaff(
  tx: Tx,
  commerceId: number,
  invitation: Invitation,
): Promise<Audited<{ staffId: number }>> {
  const added = await addStaff(tx, commerceId, invitation);
  const { email: recipient, role } = invitation;
  await enqueueMails(tx, [{ commerceId, kind: 'staff-invitation', recipient, content: { role } }]);
  return added;
}

/** Does the same without the mail. */
export async function addStaff(
  tx: Tx,
  commerceId: number,
  { email, role, name }: Invitation,
): Promise<Audited<{ staffId: number }>> {
  const given = name ?? email.slice(0, email.lastIndexOf('@'));
  const { rows } = await sql<{ staffId: number }>`-- invite-staff
    with person as (
      insert into staff_people (email, name) values (${email}, ${given})
          on conflict (email) do update set email = excluded.email
      returning id
    )
    insert into staff (commerce_id, person_id, role)
    select ${commerceId}, id, ${role} from person
        on conflict (commerce_id, person_id) where removed_at is null do nothing
    returning id as "staffId"`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new AlreadyStaff(email);
  return {
    answer: row,
    entry: { action: 'staff.invite', subject: email, after: { role } },
  };
}
