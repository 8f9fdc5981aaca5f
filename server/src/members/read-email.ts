import { sql, type Db } from '#db/database.ts';

/** The address of a person's account; null once the person is erased. */
export async function readEmail(db: Db, userId: number): Promise<string | null> {
  const { rows } = await sql<{ email: string | null }>`-- read-email
    select email from users where id = ${userId}`.execute(db);
  return rows[0]?.email ?? null;
}
