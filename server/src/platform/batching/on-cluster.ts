import type { Database } from '#db/database.ts';
import { shardsOf } from '#db/cluster/shards.ts';
import type { BatchOptions } from './batch.ts';

/** Batches that run at a time. They wait for the network and for other machines, and not for the processors of this one. */
const IN_FLIGHT = 8;

/** Returns how batches differ on a cluster: each is of one shard, and several run side by side. Nothing differs on one server. */
export function onCluster(
  database: Database,
): Pick<BatchOptions<unknown, unknown>, 'shardOf' | 'inFlight' | 'aloneMs'> {
  const shardOf = shardsOf(database);
  return shardOf === undefined ? {} : { shardOf, inFlight: IN_FLIGHT, aloneMs: 0 };
}
