import { Refusal } from '#base/refusal.ts';
import { sql, type Database, type Db } from '../database.ts';
import { hasCitus } from './shards.ts';

/** Returns whether the tables of the shops are divided over the machines of a cluster. */
export async function isDistributed(db: Db): Promise<boolean> {
  if (!(await hasCitus(db))) return false;
  const { rows } = await sql<{ is: boolean }>`-- is-distributed
    select exists (select from pg_dist_partition where logicalrelid = to_regclass('movements') and partmethod = 'h') as is`.execute(
    db,
  );
  return rows[0]!.is;
}

/**
 * A program that takes a cluster for one server asks the coordinator alone how a lost commit ended, and would record some purchases twice.
 * @throws Refusal if the database is a cluster and the settings do not say so
 */
export async function refuseUnnamedCluster(database: Database): Promise<void> {
  if (database.address.cluster == null && (await isDistributed(database)))
    throw new Refusal(
      'The tables of this database are distributed over the machines of a cluster, and CLUSTER is not set. Set CLUSTER=citus, here and for every process of the service: without it some calls would fail, and some purchases count twice.',
    );
}
