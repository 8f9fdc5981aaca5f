import type { Audited } from '#audit/audited.ts';
import { sql, type Tx } from '#db/database.ts';
import { lockColleague } from './team.ts';

/**
 * Removes a person from a commerce. The next call there is refused, and a write that is running is waited for. With the last
 * role of all, the person's sessions end too.
 * @throws UnknownColleague
 * @throws LastOwner
 */
export async function removeStaff(
  tx: Tx,
  commerceId: number,
  staffId: number,
): Promise<Audited<{ email: string }>> {
  const { personId, email, role } = await lockColleague(tx, commerceId, staffId, { staysOwner: false });
  await sql`-- remove-staff
    update staff set removed_at = now() where commerce_id = ${commerceId} and id = ${staffId}`.execute(tx);
  await sql`-- end-sessions-without-role
    update staff_sessions
       set ended_at = now()
     where person_id = ${personId} and ended_at is null
       and not exists (select 1 from staff s where s.person_id = ${personId} and s.removed_at is null)`.execute(
    tx,
  );
  return { answer: { email }, entry: { action: 'staff.remove', subject: email, before: { role } } };
}
