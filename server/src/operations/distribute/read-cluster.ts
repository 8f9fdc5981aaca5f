import { hasCitus } from '#db/cluster/shards.ts';
import { sql, type Db } from '#db/database.ts';
import { TABLES } from '#db/tables.ts';

/** How a cluster keeps a table: in shards, whole on every machine, at the coordinator and known to the cluster, or unknown to it. */
export type Kept = 'distributed' | 'reference' | 'managed' | 'plain';

export interface ClusterState {
  /** The version of the extension; null if the server has none. */
  readonly version: string | null;
  /** Machines that hold shards. */
  readonly nodes: number;
  /** Machines that did not answer, or do not keep prepared transactions. */
  readonly unready: readonly string[];
  readonly tables: ReadonlyMap<string, { readonly kept: Kept; readonly rows: number }>;
  /** The shards of a tenant table; 0 before the distribution. */
  readonly shards: number;
}

/** Reads how the cluster keeps the tables of this program. Changes nothing. */
export async function readCluster(db: Db): Promise<ClusterState> {
  const rowsOf = await readRows(db);
  const tables = new Map<string, { kept: Kept; rows: number }>();
  for (const [name, rows] of rowsOf) tables.set(name, { kept: 'plain', rows });
  if (!(await hasCitus(db))) return { version: null, nodes: 0, unready: [], tables, shards: 0 };
  const { rows: keeps } = await sql<{ name: string; kept: Kept }>`
    select c.relname::text as name,
           case when p.partmethod = 'h' then 'distributed' when p.repmodel = 't' then 'reference' else 'managed' end as kept
      from pg_dist_partition p
      join pg_class c on c.oid = p.logicalrelid
     where c.relname = any(${[...rowsOf.keys()]}::text[])`.execute(db);
  for (const { name, kept } of keeps) tables.set(name, { kept, rows: rowsOf.get(name)! });
  const { rows } = await sql<{ version: string; nodes: number; shards: number }>`
    select (select extversion from pg_extension where extname = 'citus') as version,
           (select count(*) from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards) as nodes,
           (select count(*) from pg_dist_shard
             where logicalrelid = 'movements'::regclass and shardminvalue is not null) as shards`.execute(db);
  const { rows: unready } = await sql<{ says: string }>`
    select n.nodename || ':' || n.nodeport || case when success then ' has max_prepared_transactions = 0' else ': ' || result end as says
      from run_command_on_all_nodes('show max_prepared_transactions') r
      join pg_dist_node n on n.nodeid = r.nodeid
     where not r.success or r.result = '0'`.execute(db);
  return { ...rows[0]!, unready: unready.map(({ says }) => says), tables };
}

/** Estimates how many rows each table of the program has. */
async function readRows(db: Db): Promise<Map<string, number>> {
  const names = [...TABLES.tenant, ...Object.keys(TABLES.reference), ...Object.keys(TABLES.installation)];
  const { rows } = await sql<{ name: string; rows: number }>`
    select relname::text as name, greatest(reltuples, 0)::bigint as rows
      from pg_class
     where relname = any(${names}::text[]) and relnamespace = current_schema()::regnamespace`.execute(db);
  return new Map(rows.map(({ name, rows: count }) => [name, count]));
}
