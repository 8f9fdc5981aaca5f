/** Which commerces a cluster keeps together. On one server, and on a cluster that nothing was distributed over yet, all of them are. */
import { sql, type Database, type Db, type Sql } from '../database.ts';
import { remembered } from '../memory.ts';
import { hashBigint } from './hash-bigint.ts';

/** A shard of the ledger. */
export interface Shard {
  /** The least hash that it has. */
  readonly from: number;
  /** The address of the machine that it is on. */
  readonly machine: string;
}

/** In ascending order of their hashes. Empty if there is one place for all. */
export type ShardMap = readonly Shard[];

interface Known {
  map: ShardMap | null;
  readAt: number;
  isReading: boolean;
}

const knownShards = remembered((): Known => ({ map: null, readAt: -Infinity, isReading: false }));

/** A shard that is split or moved waits for nobody. Calls of a map that is no longer right fail together and are run again apart. */
const FRESH_MS = 5_000;

/**
 * Returns a function that says which shard a commerce is on: calls of one shard can share a transaction. Undefined on one server, where
 * all can. Until the map has been read, every commerce is for itself. It is read again in the background while it is asked.
 */
export function shardsOf(database: Database): ((commerceId: number) => number) | undefined {
  if (database.address.cluster == null) return undefined;
  const known = knownShards(database);
  refresh(database, known);
  return (commerceId) => {
    refresh(database, known);
    return known.map === null ? commerceId : shardOf(known.map, commerceId);
  };
}

/** Returns the address of the machine that a commerce is on; null if it is not known, and on one server. */
export function machineOf(database: Database, commerceId: number): string | null {
  if (database.address.cluster == null) return null;
  const known = knownShards(database);
  refresh(database, known);
  return known.map?.[shardOf(known.map, commerceId) - 1]?.machine ?? null;
}

function refresh(database: Database, known: Known): void {
  if (known.isReading || performance.now() - known.readAt < FRESH_MS) return;
  known.isReading = true;
  void readShardMap(database)
    // Without a connection, calls fail on their own account.
    .then((map) => (known.map = map))
    .catch(() => {})
    .finally(() => {
      known.readAt = performance.now();
      known.isReading = false;
    });
}

/** Returns commerces in groups that one statement can work on: all together on one server, those of a shard on a cluster. */
export function byShard(database: Database, commerceIds: readonly number[]): readonly (readonly number[])[] {
  return apartByShard(database, commerceIds, (id) => id);
}

/** Returns what belongs to commerces in such groups. */
export function apartByShard<T>(
  database: Database,
  items: readonly T[],
  commerceOf: (item: T) => number,
): readonly (readonly T[])[] {
  const shardOf = shardsOf(database);
  if (shardOf === undefined) return [items];
  return [...Map.groupBy(items, (item) => shardOf(commerceOf(item))).values()];
}

/** Leaves rows that are locked elsewhere. A statement over all machines of a cluster waits for them instead: it can lock none. */
export function leaveLocked({ address }: Database): Sql {
  return address.cluster == null ? sql`for update skip locked` : sql``;
}

/** Returns the place of the shard that has a commerce. */
export function shardOf(map: ShardMap, commerceId: number): number {
  const hash = hashBigint(commerceId);
  const after = map.findIndex(({ from }) => from > hash);
  return after === -1 ? map.length : after;
}

/** Reads which hashes the shards of the ledger have, and where they are. Tables of the tenants are divided alike. */
export async function readShardMap(db: Db): Promise<ShardMap> {
  if (!(await hasCitus(db))) return [];
  const { rows } = await sql<Shard>`-- read-shard-map
    select s.shardminvalue::integer as "from",
           (select n.nodename || ':' || n.nodeport
              from pg_dist_placement p
              join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
             where p.shardid = s.shardid
             order by p.shardstate, p.placementid
             limit 1) as machine
      from pg_dist_shard s
     where s.logicalrelid = 'movements'::regclass and s.shardminvalue is not null
     order by 1`.execute(db);
  return rows;
}

/** Whether the database is the coordinator of a cluster, and not only one server that a cluster's settings are tried on. */
export async function hasCitus(db: Db): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`-- has-citus
    select to_regclass('pg_catalog.pg_dist_shard') is not null as has`.execute(db);
  return rows[0]!.has;
}
