import { sql, type Database } from '#db/database.ts';

/**
 * A member leaves the program and keeps points and codes. Leaving again, or without having joined, changes nothing.
 */
export async function leaveProgram(database: Database, commerceId: number, userId: number): Promise<void> {
  await sql`-- leave-program
    with clock as materialized (
      select program_now(clock_offset) as now from commerces where id = ${commerceId}
    ), gone as (
      update members m
         set state = 'left', left_at = clock.now
        from clock
       where m.commerce_id = ${commerceId} and m.user_id = ${userId} and m.state = 'member'
      returning m.id, m.left_at
    )
    insert into happenings (commerce_id, type, member_id, at)
    select ${commerceId}::bigint, 'member.left', id, left_at from gone`.execute(database);
}
