import { askMachines } from '#db/cluster/ask-machines.ts';
import { hasCitus } from '#db/cluster/shards.ts';
import { onConnection, sql, type Database, type Db } from '#db/database.ts';
import { TABLES } from '#db/tables.ts';

/** How a cluster keeps a table: in shards, whole on every machine, at the coordinator and known to the cluster, or unknown to it. */
export type Kept = 'distributed' | 'reference' | 'managed' | 'plain';

export interface ClusterState {
  /** The version of the extension; null if the server has none. */
  readonly version: string | null;
  /** Machines that hold shards. */
  readonly nodes: number;
  readonly tables: ReadonlyMap<string, { readonly kept: Kept; readonly rows: number }>;
  /** The shards of a tenant table; 0 before the distribution. */
  readonly shards: number;
}

/** Reads how the cluster keeps the tables of this program. Changes nothing. */
export async function readCluster(db: Db): Promise<ClusterState> {
  const tables = await readTables(db);
  if (!(await hasCitus(db))) return { version: null, nodes: 0, tables, shards: 0 };
  const { rows } = await sql<{ version: string; nodes: number; shards: number }>`
    select (select extversion from pg_extension where extname = 'citus') as version,
           (select count(*) from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards) as nodes,
           (select count(*) from pg_dist_shard
             where logicalrelid = 'movements'::regclass and shardminvalue is not null) as shards`.execute(db);
  return { ...rows[0]!, tables };
}

/** Returns the machines that did not answer, or do not keep prepared transactions, each with what is wrong there. */
export async function readUnready(database: Database): Promise<string[]> {
  const answers = await onConnection(database, (connection) =>
    askMachines(connection, 'show max_prepared_transactions'),
  );
  return answers.flatMap(({ machine, said, failure }) => {
    if (said === null) return [`${machine}: ${failure}`];
    return said === '0' ? [`${machine} has max_prepared_transactions = 0`] : [];
  });
}

/** Reads how the cluster keeps each table, and asks no machine. */
export async function readTables(db: Db): Promise<ClusterState['tables']> {
  const rowsOf = await readRows(db);
  const tables = new Map<string, { kept: Kept; rows: number }>();
  for (const [name, rows] of rowsOf) tables.set(name, { kept: 'plain', rows });
  if (!(await hasCitus(db))) return tables;
  const { rows: keeps } = await sql<{ name: string; kept: Kept }>`
    select c.relname::text as name,
           case when p.partmethod = 'h' then 'distributed' when p.repmodel = 't' then 'reference' else 'managed' end as kept
      from pg_dist_partition p
      join pg_class c on c.oid = p.logicalrelid
     where c.relname = any(${[...rowsOf.keys()]}::text[])`.execute(db);
  for (const { name, kept } of keeps) tables.set(name, { kept, rows: rowsOf.get(name)! });
  return tables;
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
