import { sql } from '../../server/src/platform/db/database.ts';
import type { World } from '../faults/world.ts';

/** On which server of a cluster each shop is, by the port where the coordinator finds it. */
export async function readHomes({ db, tills }: World): Promise<{ commerceId: number; port: number }[]> {
  const { rows } = await sql<{ commerceId: number; port: number }>`
    select t.id as "commerceId", n.nodeport as port
      from unnest(${tills.map(({ commerceId }) => commerceId)}::bigint[]) as t(id)
      join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('movements', t.id)
      join pg_dist_node n on n.groupid = p.groupid
     order by t.id`.execute(db);
  return rows;
}
