import { Refusal } from '#base/refusal.ts';
import { readUndecided } from '#db/cluster/undecided.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { TABLES, type TenantTable } from '#db/tables.ts';
import { readMovements } from '#partition/read-movements.ts';
import { inShortLock } from '#partition/short-lock.ts';
import { readCluster, readTables, readUnready, type ClusterState, type Kept } from './read-cluster.ts';

/** What is to be done until a cluster keeps the tables as it should. */
export interface Distribution {
  readonly state: ClusterState;
  /** The tables that change how they are kept, with how they will be. */
  readonly steps: readonly { readonly table: string; readonly to: Kept; readonly rows: number }[];
  readonly shards: number;
}

/**
 * Tables that no transaction writes together with others, so they need not be known to the cluster. A test watches the transactions of the
 * service.
 */
export const APART: ReadonlySet<string> = new Set([
  'jobs',
  'schema_migrations',
  'sign_in_failure_counts',
  'sign_in_networks',
  'watched_work',
  'wire_ids',
]);

/**
 * The table that the others of tenants are divided like. It takes its ids from the sequence of the movements, which Citus brings to the
 * machines for whoever owns the tables only if this table is divided before the movements.
 */
const FIRST = 'happenings' satisfies TenantTable;

/** How each table is to be kept, in the order in which that is done. */
const WANTED: ReadonlyMap<string, Kept> = new Map<string, Kept>([
  ...Object.keys(TABLES.reference).map((name) => [name, 'reference'] as const),
  ...[FIRST, ...TABLES.tenant].map((name) => [name, 'distributed'] as const),
  // A transaction that writes a shard and one of these is then committed in two phases.
  ...Object.keys(TABLES.installation).map((name) => [name, APART.has(name) ? 'plain' : 'managed'] as const),
]);

const SHARDS_AT_FIRST = 16;

/**
 * Finds what `distribute` would do. Empty if everything is as it should be.
 * @param wanted how many shards to make; by default the present number, at first 16
 * @param known how the cluster keeps the tables; read if omitted
 * @throws Refusal if it cannot be done here
 */
export async function planDistribution(
  database: Database,
  wanted?: number,
  known?: ClusterState,
): Promise<Distribution> {
  if ((await readMovements(database)).partitions > 1)
    throw new Refusal(
      'The movements are in partitions. A cluster divides them itself: run `loyalty partition --parts 1` first.',
    );
  const state = known ?? (await readCluster(database));
  if (state.version === null)
    throw new Refusal(
      'This server has no Citus. Install it on all machines, run `create extension citus` in the database on each, and add them with citus_add_node.',
    );
  await refuseUnready(database);
  if (state.nodes === 0)
    throw new Refusal('No machine of the cluster may hold shards: add one with citus_add_node.');
  const shards = wanted ?? (state.shards > 0 ? state.shards : SHARDS_AT_FIRST);
  if (state.shards > 0 && state.shards !== shards)
    throw new Refusal(
      `The tables have ${state.shards} shards already. Their number is changed by alter_distributed_table, not here.`,
    );
  const steps = stepsFrom(state.tables);
  const undecided = steps.length === 0 ? [] : await readUndecided(database);
  if (undecided.length > 0)
    throw new Refusal(
      `Transactions are prepared and not decided (${undecided.slice(0, 3).join(', ')}). Wait for the recovery, or run recover_prepared_transactions().`,
    );
  return { state, steps, shards };
}

async function refuseUnready(database: Database): Promise<void> {
  const unready = await readUnready(database);
  if (unready.length > 0)
    throw new Refusal(
      `Not all machines are ready: ${unready.join('; ')}. Set max_prepared_transactions to twice max_connections and restart them.`,
    );
}

function stepsFrom(tables: ClusterState['tables']): Distribution['steps'] {
  return [...WANTED]
    .filter(([table, to]) => tables.has(table) && tables.get(table)!.kept !== to)
    .map(([table, to]) => ({ table, to, rows: tables.get(table)!.rows }));
}

/**
 * Distributes the tables that migrations have added to a database that is distributed, and returns their names. They must not be used
 * before: what writes one of them and a shard would not be committed as a whole. Calls of the release before go on meanwhile: only those of
 * tables that the new ones refer to wait, for a moment. Does nothing on one server.
 */
export async function distributeNewTables(database: Database): Promise<string[]> {
  const state = await readCluster(database);
  const steps = stepsFrom(state.tables);
  if (state.shards === 0 || steps.length === 0) return [];
  await inShortLock(
    database,
    // Nobody waits for a machine that is away while calls wait.
    () => refuseUnready(database),
    async (tx) => {
      await prepare(tx, state.shards);
      await lockNew(
        tx,
        steps.map(({ table }) => table),
      );
      await place(tx);
    },
  );
  return steps.map(({ table }) => table);
}

/**
 * Distributes the tables, in one transaction: all of it or nothing. Calls wait meanwhile. Does nothing where everything is as it should be.
 * Returns for how many seconds writes waited.
 */
export async function distribute(
  database: Database,
  { state, steps, shards }: Distribution,
): Promise<number> {
  if (steps.length === 0) return 0;
  let since = 0;
  const work = async (tx: Tx) => {
    await prepare(tx, shards);
    await lockAll(tx, state);
    since = performance.now();
    await dropOldTriggers(tx);
    await place(tx);
  };
  await transaction(database, work, { placesShards: true });
  return (performance.now() - since) / 1000;
}

/** Keeps each table as it is to be kept. Another process may have done it before the tables were locked. */
async function place(tx: Tx): Promise<void> {
  const steps = stepsFrom(await readTables(tx));
  const tables = steps.map(({ table }) => table);
  const keys = await readForeignKeys(tx, tables);
  for (const { table, name } of keys)
    await sql`alter table ${sql.id(table)} drop constraint ${sql.id(name)}`.execute(tx);
  const triggers = await readTriggers(tx, tables);
  for (const { table, name } of triggers)
    await sql`drop trigger ${sql.id(name)} on ${sql.id(table)}`.execute(tx);
  for (const { table, to } of steps) await keep(tx, table, to);
  for (const { table, name, definition } of keys)
    await sql`alter table ${sql.id(table)} add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(tx);
  for (const { definition } of triggers) await sql.raw(definition).execute(tx);
}

async function prepare(tx: Tx, shards: number): Promise<void> {
  // Foreign keys between reference and distributed tables need one connection to each machine.
  await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(tx);
  await sql`set local citus.enable_unsafe_triggers = on`.execute(tx);
  await sql`set local citus.shard_replication_factor = 1`.execute(tx);
  await sql`set local citus.shard_count = ${sql.lit(shards)}`.execute(tx);
}

/** Writes of calls wait from here on. Reads wait as soon as a table is changed. */
async function lockAll(tx: Tx, { tables }: ClusterState): Promise<void> {
  const names = [...WANTED.keys()].filter((name) => tables.has(name)).toSorted();
  await sql`set local lock_timeout = '60s'`.execute(tx);
  await sql`lock table ${sql.join(names.map((name) => sql.id(name)))} in share row exclusive mode`.execute(
    tx,
  );
}

/**
 * Locks new tables and those at the other end of their foreign keys, for reads, too: where a key is taken away, they wait anyway. All locks
 * together take no longer than one may.
 */
async function lockNew(tx: Tx, tables: readonly string[]): Promise<void> {
  const keys = await readForeignKeys(tx, tables);
  const names = [...new Set([...tables, ...keys.flatMap(({ table, other }) => [table, other])])].toSorted();
  await sql`set local statement_timeout = 700`.execute(tx);
  await sql`lock table ${sql.join(names.map((name) => sql.id(name)))} in access exclusive mode`.execute(tx);
  await sql`set local statement_timeout = 0`.execute(tx);
}

/** They serve release 0.1, which never ran on a cluster. A worker refuses what one of them does. */
async function dropOldTriggers(tx: Tx): Promise<void> {
  const { rows } = await sql<{ table: string; name: string }>`
    select tgrelid::regclass::text as table, tgname as name from pg_trigger
     where not tgisinternal and tgname like '%\\_version\\_0\\_1%'`.execute(tx);
  for (const { table, name } of rows) await sql`drop trigger ${sql.id(name)} on ${sql.id(table)}`.execute(tx);
  await sql`alter table members drop constraint if exists a_tier_has_a_place`.execute(tx);
}

interface ForeignKey {
  readonly table: string;
  /** The table that it refers to. */
  readonly other: string;
  readonly name: string;
  readonly definition: string;
}

/** Returns the foreign keys from and to these tables. */
async function readForeignKeys(db: Db, tables: readonly string[]): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select c.conrelid::regclass::text as table, c.confrelid::regclass::text as other, c.conname as name, pg_get_constraintdef(c.oid) as definition
      from pg_constraint c
     where c.contype = 'f' and c.connamespace = current_schema()::regnamespace
       and (c.conrelid::regclass::text = any(${tables}::text[]) or c.confrelid::regclass::text = any(${tables}::text[]))
     order by c.conrelid::regclass::text, c.conname`.execute(db);
  return rows;
}

interface Trigger {
  readonly table: string;
  readonly name: string;
  /** The statement that creates it. */
  readonly definition: string;
}

/** Returns the triggers of these tables. The rows are copied into the shards, and what a trigger once wrote of them is copied, too. */
async function readTriggers(db: Db, tables: readonly string[]): Promise<Trigger[]> {
  const { rows } = await sql<Trigger>`
    select t.tgrelid::regclass::text as table, t.tgname as name, pg_get_triggerdef(t.oid) as definition
      from pg_trigger t
     where not t.tgisinternal and t.tgrelid::regclass::text = any(${tables}::text[])
     order by 1, 2`.execute(db);
  return rows;
}

async function keep(tx: Tx, table: string, to: Kept): Promise<void> {
  if (to === 'reference') await sql`select create_reference_table(${table}::regclass)`.execute(tx);
  if (to === 'distributed')
    await sql`
      select create_distributed_table(${table}::regclass, 'commerce_id', colocate_with => ${table === FIRST ? 'none' : FIRST})`.execute(
      tx,
    );
  if (to === 'managed') await manage(tx, table);
}

/** The cluster begins the ids of a table anew that it takes over. */
async function manage(tx: Tx, table: string): Promise<void> {
  const { rows } = await sql<{ column: string; last: number | null }>`
    select attname as column, pg_sequence_last_value(pg_get_serial_sequence(${table}, attname)::regclass) as last
      from pg_attribute
     where attrelid = ${table}::regclass and attidentity <> ''`.execute(tx);
  await sql`select citus_add_local_table_to_metadata(${table}::regclass)`.execute(tx);
  for (const { column, last } of rows)
    if (last !== null)
      await sql`select setval(pg_get_serial_sequence(${table}, ${column})::regclass, ${last}::bigint)`.execute(
        tx,
      );
}
