import type { Audited } from '#audit/audited.ts';
import { sql, type Tx } from '#db/database.ts';
import type { StaffRole } from '#http/staff-roles.ts';
import { lockColleague } from './team.ts';

/**
 * Gives a person another role at a commerce. It counts from the person's next call on, and a write that is running is
 * waited for. The role that the person has already changes nothing.
 * @throws UnknownColleague
 * @throws LastOwner
 */
export async function changeRole(
  tx: Tx,
  commerceId: number,
  staffId: number,
  role: StaffRole,
): Promise<Audited<{ email: string }>> {
  const { email, role: before } = await lockColleague(tx, commerceId, staffId, {
    staysOwner: role === 'owner',
  });
  if (before === role) return { answer: { email }, entry: null };
  await sql`-- change-role
    update staff set role = ${role} where commerce_id = ${commerceId} and id = ${staffId}`.execute(tx);
  return {
    answer: { email },
    entry: { action: 'staff.change_role', subject: email, before: { role: before }, after: { role } },
  };
}
