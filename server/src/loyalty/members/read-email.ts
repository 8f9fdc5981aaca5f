import { sql, type Db } from '#db/database.ts';

/** Reads the address of a person's account. Returns null if the person was erased. */
export async function readEmail(db: Db, userId: number): Promise<string | null> {
  const { rows } = await sql<{ email: string | null }>`-- read-email
    select email from users where id = ${userId}`.execute(db);
  return rows[0]?.email ?? null;
}
