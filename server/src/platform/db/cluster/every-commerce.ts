import { sql, type Db } from '../database.ts';
import { isOnCluster } from './is-on-cluster.ts';
import { hasCitus } from './shards.ts';

/**
 * Returns all commerces, for a job on a cluster. There no statement looks through the tables of all commerces for those that have something to
 * do, so the job visits each. Null where one server has them all, without a statement if the setting says so.
 * @param withClosed also those that are closed
 */
export async function everyCommerce(db: Db, { withClosed = false } = {}): Promise<number[] | null> {
  if (!isOnCluster(db) || !(await hasCitus(db))) return null;
  const { rows } = await sql<{ id: number }>`-- list-commerces-of-cluster
    select id from commerces where ${withClosed} or status <> 'closed' order by id`.execute(db);
  return rows.map(({ id }) => id);
}
