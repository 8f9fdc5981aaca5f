import type { Database } from '#db/database.ts';
import { machineOf, shardsOf } from '#db/cluster/shards.ts';
import type { BatchOptions } from './batch.ts';

/** Batches of a machine that run at a time. They wait for the network and for that machine, and not for the processors of this one. */
const IN_FLIGHT = 4;

/** Returns how batches differ on a cluster: each is of one shard, and several run side by side, on each machine. Nothing differs on one server. */
export function onCluster(
  database: Database,
): Pick<BatchOptions<unknown, unknown>, 'shardOf' | 'machineOf' | 'inFlight' | 'aloneMs'> {
  const shardOf = shardsOf(database);
  if (shardOf === undefined) return {};
  return {
    shardOf,
    machineOf: (commerceId) => machineOf(database, commerceId),
    inFlight: IN_FLIGHT,
    aloneMs: 0,
  };
}
