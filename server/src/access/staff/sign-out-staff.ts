import type { Audited } from '#audit/audited.ts';
import type { Tx } from '#db/database.ts';
import { endStaffSessionsOf } from './staff-session.ts';
import { lockColleague } from './team.ts';

/**
 * Ends all sessions of a person who works at a commerce, on every device, such as one that was lost.
 * @throws UnknownColleague
 */
export async function signOutStaff(
  tx: Tx,
  commerceId: number,
  staffId: number,
): Promise<Audited<{ email: string }>> {
  const { personId, email } = await lockColleague(tx, commerceId, staffId, { staysOwner: true });
  await endStaffSessionsOf(tx, personId);
  return { answer: { email }, entry: { action: 'staff.sign_out', subject: email } };
}
