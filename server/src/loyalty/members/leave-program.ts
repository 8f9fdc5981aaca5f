import { sql, type Database } from '#db/database.ts';

/**
 * A member leaves the program and keeps points and codes. Leaving again, or without having joined, changes nothing.
 */
export async function leaveProgram(database: Database, commerceId: number, userId: number): Promise<void> {
  await sql`-- leave-program
    with gone as (
      update members m
         set state = 'left', left_at = program_now(c.clock_offset)
        from commerces c
       where m.commerce_id = ${commerceId} and m.user_id = ${userId} and m.state = 'member'
         and c.id = m.commerce_id
      returning m.id, m.left_at
    )
    insert into happenings (commerce_id, type, member_id, at)
    select ${commerceId}::bigint, 'member.left', id, left_at from gone`.execute(database);
}
