import type { Day } from '#calendar/calendar.ts';
import { sql, type Database } from '#db/database.ts';
import { NeverJoined } from './refusals.ts';

/** The profile fields to change at one commerce. Absent fields do not change, and null clears a field. */
export interface ProfileEdit {
  readonly username?: string | null;
  readonly phone?: string | null;
  readonly birthDate?: Day | null;
}

/**
 * Changes a member's profile. Stores when a birth date was entered, because a date entered on the birthday itself
 * counts only from the next year on.
 * @throws NeverJoined
 */
export async function editProfile(
  database: Database,
  commerceId: number,
  userId: number,
  edit: ProfileEdit,
): Promise<void> {
  const { rows } = await sql`-- edit-profile
    update members m
       set username = case when ${edit.username !== undefined} then ${edit.username ?? null}::text else m.username end,
           phone = case when ${edit.phone !== undefined} then ${edit.phone ?? null}::text else m.phone end,
           birth_date_set_at = case when ${edit.birthDate !== undefined} and m.birth_date is distinct from ${edit.birthDate ?? null}::date
                                    then program_now(c) else m.birth_date_set_at end,
           birth_date = case when ${edit.birthDate !== undefined} then ${edit.birthDate ?? null}::date else m.birth_date end
      from commerces c
     where m.commerce_id = ${commerceId} and m.user_id = ${userId}
       and c.id = m.commerce_id
    returning 1`.execute(database);
  if (rows.length === 0) throw new NeverJoined();
}
