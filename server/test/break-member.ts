import { sql, type Database } from '#db/database.ts';

const tables = {
  members: 'id',
  movements: 'member_id',
  rewards: 'member_id',
  reminders: 'member_id',
} as const;

/** Makes the database refuse to write anything about a member, as bad rows may do. */
export async function breakMember(db: Database, memberId: number): Promise<void> {
  await sql`
    create or replace function refuse_member() returns trigger language plpgsql as
      $$ begin raise exception 'member % is broken', tg_argv[0]; end $$`.execute(db);
  for (const [table, column] of Object.entries(tables)) {
    await sql`
      create trigger ${sql.id(triggerOf(memberId))} before insert or update on ${sql.id(table)}
        for each row when (new.${sql.id(column)} = ${sql.lit(memberId)})
        execute function refuse_member(${sql.lit(memberId)})`.execute(db);
  }
}

export async function mendMember(db: Database, memberId: number): Promise<void> {
  for (const table of Object.keys(tables))
    await sql`drop trigger ${sql.id(triggerOf(memberId))} on ${sql.id(table)}`.execute(db);
}

function triggerOf(memberId: number): string {
  return `broken_${memberId}`;
}
