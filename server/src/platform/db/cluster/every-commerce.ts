import { sql, type Db } from '../database.ts';

/**
 * Returns all commerces, for a job on a cluster. There no statement looks through the tables of all commerces for those that have something to
 * do, so the job visits each. @param withClosed also those that are closed
 */
export async function everyCommerce(db: Db, { withClosed = false } = {}): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`-- list-commerces-of-cluster
    select id from commerces where ${withClosed} or status <> 'closed' order by id`.execute(db);
  return rows.map(({ id }) => id);
}
