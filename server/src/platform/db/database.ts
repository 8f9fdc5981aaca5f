import { Pool, types, type PoolClient, type PoolConfig, type QueryResult } from 'pg';
import { copyOut, type CopiedRow } from './copy-out.ts';
import type { Tracing } from '#base/tracing.ts';
import { watchStatements } from './client-statements.ts';
import {
  constraintOf,
  isBusy,
  isCancelled,
  isDatabaseAway,
  isReadOnly,
  isShardGone,
  NoConnection,
} from './database-errors.ts';
import type { Remembering } from './memory.ts';
import { ConnectionSilent, watchConnections } from './silent-connections.ts';
import { readStoredInstant } from './stored-instant.ts';
import { createSlowStatements, type SlowStatements } from './slow-statements.ts';
import { createTrouble, type Trouble, type TroubleLog } from './trouble.ts';
import { checkWritable } from './writable.ts';
import { leaveMark, newMark } from './cluster/commit-mark.ts';
import { askBeforeNext, askSoon, stayTogether } from './cluster/heartbeat.ts';
import { isOnCluster, noteCluster } from './cluster/is-on-cluster.ts';
import { readNewestPlace, ShardMoved } from './cluster/placements.ts';
import { settleCommit, type Begun } from './settle-commit.ts';
import type { Sql } from './sql.ts';
import { Refusal } from '#base/refusal.ts';
import { COMMAND_PATIENCE, PATIENCE, type Patience } from './patience.ts';

/** Runs statements, on the pool, on one connection or in a transaction. Code that only reads takes this. */
export interface Db extends Remembering {
  query(text: string, values: unknown[]): Promise<QueryResult>;
  /** Null if nothing is traced. */
  readonly tracing?: Tracing | null;
}

/** The pool. Each statement commits on its own. Only the pool can open a transaction, so transactions never nest. */
export interface Database extends Db {
  readonly pool: Pool;
  /** How to open it again, on another thread. */
  readonly address: DatabaseAddress;
  readonly trouble: Trouble;
  /** How long calls on this database wait. */
  readonly patience: Patience;
  /** How long callers have waited for a connection since the process started. */
  readonly waits: ConnectionWaits;
  /** Null if slow statements are not watched. */
  readonly slow: SlowStatements | null;
  readonly tracing: Tracing | null;
  /** Returns the process ids at the server of the connections that are open. Behind a pooler they mean nothing. */
  processes(): number[];
  /** Closes all connections, in bounded time even if the server does not answer. */
  destroy(): Promise<void>;
}

/** Counts connections that were taken from a pool. */
export interface ConnectionWaits {
  taken: number;
  seconds: number;
}

/** A transaction. Only `transaction` creates one. Code that locks or writes takes this, so it never runs without. */
export type Tx = Db & {
  readonly [isTransaction]: true;
  /** See `copyOut`. */
  copyOut(select: Sql, read: (row: CopiedRow) => void): Promise<void>;
};

declare const isTransaction: unique symbol;

/** Where a database is, and what stands before it. */
export interface DatabaseAddress {
  readonly url: string;
  /** False behind a pooler that shares connections between transactions. */
  readonly preparedStatements: boolean;
  /**
   * False if the settings of `SESSION_OPTIONS` and the time limits belong to the role, because a pooler refuses them at the
   * start of a connection.
   */
  readonly sendsSettings?: boolean;
  /** What keeps the tenants on several servers. By default they are on one. */
  readonly cluster?: 'citus' | null;
  /** True if statements run although a machine of the cluster may have an older state than the others: to look at it, or to mend it. */
  readonly trustsMachines?: boolean;
}

export interface DatabaseOptions extends DatabaseAddress {
  readonly poolSize: number;
  /** The longest that a statement may take, in milliseconds. 0 means no limit. */
  readonly statementTimeoutMs?: number;
  /** By default those of a command if statements have no time limit, else those of a call. */
  readonly patience?: Patience;
  /** Gets one line when an outage begins and one when it ends. */
  readonly log?: TroubleLog;
  /** That of another handle on the same database, so that an outage is told once. By default its own. */
  readonly trouble?: Trouble;
  /** Statements that take longer than this are logged, in milliseconds. By default none. */
  readonly slowStatementMs?: number | null;
  readonly tracing?: Tracing | null;
  /** Called with each new connection, so that measurements can observe its statements. */
  readonly onConnection?: (client: PoolClient) => void;
}

/** Opens a pool of connections. It connects only when the first statement runs. */
export function openDatabase(options: DatabaseOptions): Database {
  const {
    url,
    preparedStatements,
    sendsSettings = true,
    cluster = null,
    trustsMachines = false,
    statementTimeoutMs = STATEMENT_MS,
    patience = statementTimeoutMs === 0 ? COMMAND_PATIENCE : PATIENCE,
  } = options;
  const pool = new Pool({
    connectionString: url,
    max: options.poolSize,
    connectionTimeoutMillis: patience.connectionMs,
    application_name: 'loyalty',
    keepAlive: true,
    types: { getTypeParser },
    // Statements on one connection that do not wait for each other are sent together.
    pipeline: true,
    ...(sendsSettings && startUpSettings(statementTimeoutMs, { preparedStatements, cluster }, patience)),
  });
  const watch = watchConnections(pool, {
    probe: { connectionString: url, application_name: 'loyalty' },
    quietMs: patience.quietMs,
    probeMs: patience.probeMs,
    longestMs: statementTimeoutMs > 0 ? statementTimeoutMs + 500 : 0,
    knowsProcesses: sendsSettings,
  });
  const ownTrouble = createTrouble({ log: options.log, check: () => checkWritable(database) });
  const { trouble = ownTrouble } = options;
  const waits = { taken: 0, seconds: 0 };
  const slow =
    options.slowStatementMs == null ? null : createSlowStatements(options.slowStatementMs, options.log);
  const { tracing = null } = options;
  const preparing = {
    isOn: preparedStatements,
    onLost: ({ message }: Error) =>
      options.log?.warn(
        { reason: message },
        'statements are no longer prepared: the pooler at DATABASE_URL does not carry them; set PREPARED_STATEMENTS=off',
      ),
  };
  const lost = (error: Error) => {
    const isThere = error instanceof ConnectionSilent && error.isWorking;
    if (cluster !== null && !isThere) askBeforeNext(database);
    void trouble.note(error);
  };
  pool.on('error', lost);
  // A connection that is lost while in use emits 'error' on its client. Without a listener that would end the process.
  pool.on('connect', (client) => {
    client.on('error', lost);
    watchStatements(client, { preparing, slow, tracing });
    options.onConnection?.(client);
  });
  const database: Database = {
    pool,
    address: { url, preparedStatements, sendsSettings, cluster, trustsMachines },
    trouble,
    patience,
    waits,
    slow,
    tracing,
    memory: new Map(),
    query: (text, values) => onClient(database, (client) => client.query(text, values)),
    processes: () => watch.processes(),
    async destroy() {
      ownTrouble.stop();
      // Silent connections in use are ended by the watch, so this wait has an end.
      await pool.end();
      await watch.stop();
    },
  };
  if (cluster !== null) noteCluster(database);
  return database;
}

const STATEMENT_MS = 5_000;
function startUpSettings(statementMs: number, plans: Plans, patience: Patience): PoolConfig {
  const options = [
    // The driver leaves out a limit of 0, and then a limit of the role would apply.
    ...(statementMs === 0 ? ['-c statement_timeout=0'] : []),
    ...plannerOptions(plans),
  ];
  return {
    statement_timeout: statementMs,
    lock_timeout: patience.lockMs,
    idle_in_transaction_session_timeout: patience.idleInTransactionMs,
    ...(options.length > 0 && { options: options.join(' ') }),
  };
}

/** Returns the settings that connections for calls need, by the name of the setting, in PostgreSQL's units. */
export function sessionSettings(plans: Plans): Readonly<Record<string, string>> {
  return {
    statement_timeout: String(STATEMENT_MS),
    lock_timeout: String(PATIENCE.lockMs),
    idle_in_transaction_session_timeout: String(PATIENCE.idleInTransactionMs),
    ...plannerSettings(plans),
  };
}

/**
 * Returns the settings that the workers of a cluster need. The coordinator ends what takes too long, there too. A worker that did so by itself
 * would end commands, which may take longer than calls.
 */
export function workerSettings(plans: Plans): Readonly<Record<string, string>> {
  return {
    ...sessionSettings(plans),
    statement_timeout: '0',
    idle_in_transaction_session_timeout: String(6 * COMMAND_PATIENCE.idleInTransactionMs),
  };
}

/**
 * Runs `work` on one connection, without a transaction. Used for locks that belong to the session, and for reads that are sent
 * together. If the work fails, what it has sent is answered before the connection is given back.
 */
export function onConnection<T>(database: Database, work: (connection: Db) => Promise<T>): Promise<T> {
  const { memory } = database;
  return onClient(database, async (client) => {
    let isOver = false;
    // Statements of one connection are answered in order.
    let last: Promise<unknown> = Promise.resolve();
    const query: Db['query'] = (text, values) => {
      if (isOver) return Promise.reject(new Error('the connection was given back'));
      const result = client.query(text, values);
      last = result;
      return result;
    };
    try {
      return await work({ query, memory });
    } finally {
      isOver = true;
      await last.catch(() => {});
    }
  });
}

/**
 * Runs `work` in a transaction of this connection and rolls it back, so nothing that it stores or sets remains. If the work leaves the session
 * held up, nothing more is sent, and whoever has the connection must not use it again.
 */
export async function rolledBack<T>(connection: Db, work: () => Promise<T>): Promise<T> {
  const rollBack = () => connection.query('-- roll-back\nrollback', []);
  await connection.query('-- begin-to-roll-back\nbegin', []);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    if (!isHeldUp(connection, error)) await rollBack();
    throw error;
  }
  await rollBack();
  return result;
}

async function onClient<T>(database: Database, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await connect(database);
  let isUseless = false;
  try {
    return await work(client);
  } catch (error) {
    isUseless = isReadOnly(error) || isHeldUp(database, error);
    throw error;
  } finally {
    client.release(isUseless);
  }
}

/**
 * Whether a session may answer nothing more after this error: the coordinator of a cluster passes a cancellation on to the machine, and waits for
 * as long as that hangs.
 */
function isHeldUp(db: Remembering, error: unknown): boolean {
  return isOnCluster(db) && isCancelled(error);
}

/** @throws NoConnection whatever the reason, so that the caller gets a 503 */
async function connect(database: Database): Promise<PoolClient> {
  const { pool, waits, address } = database;
  const since = performance.now();
  try {
    if (address.cluster != null && address.trustsMachines !== true) await stayTogether(database);
    return await pool.connect();
  } catch (error) {
    throw new NoConnection(error as Error);
  } finally {
    waits.taken += 1;
    waits.seconds += (performance.now() - since) / 1000;
  }
}

/** How a transaction differs from the usual one. */
export interface TransactionOptions {
  /** The first statement of the work stores nothing if `begin` has failed, so both are sent in one packet. */
  readonly startsWithBegin?: boolean;
  /** The longest wait for a lock, in milliseconds; by default that of the connection. */
  readonly lockTimeoutMs?: number;
  /** Only reads, and sees one state of the database throughout: the one of that exported snapshot, if it is named. */
  readonly snapshot?: true | string;
  /**
   * A commerce whose rows it writes. On a cluster the transaction then leaves a mark on the machine of that commerce, so that its outcome can
   * be told if the answer to the commit is lost.
   */
  readonly writesOf?: number;
  /** False if `work` must not run again, because it also reads or writes a file. Work that would be repeated is refused instead. */
  readonly mayRepeat?: boolean;
  /** It places shards of a cluster itself. Any other transaction ends if a shard was placed while it was open. */
  readonly placesShards?: boolean;
}

/**
 * Runs `work` in one READ COMMITTED transaction and commits all of it or nothing. After a deadlock, a serialisation
 * failure, a random code that already exists or a shard that is gone, `work` runs again, up to five times in all, so it must contain
 * nothing but SQL. Statements that `work` does not await one by one (`Promise.all`) run in the order in which they
 * are sent, in a single round trip. If the answer to the commit is lost, asks the database what became of it.
 * @throws Refusal if `work` may not be repeated and would have to be
 * @throws CommitUnknown if the database does not say either: it may have happened
 */
export async function transaction<T>(
  database: Database,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(database, work, options);
    } catch (error) {
      if (attempt === 5 || !isWorthRepeating(error)) throw error;
      if (options.mayRepeat === false)
        throw new Refusal(`The database broke off: ${(error as Error).message}. Try again.`, {
          cause: error,
        });
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
    }
  }
}

async function runOnce<T>(
  database: Database,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const client = await connect(database);
  const open = createTransaction(client, database);
  const isCluster = database.address.cluster != null;
  const mark = isCluster && options.writesOf !== undefined ? newMark(options.writesOf) : null;
  let result: T;
  let begun: Begun | null = null;
  try {
    const beginning = begin(client, options, isCluster, open.end);
    const staysPut = isCluster && options.snapshot === undefined && options.placesShards !== true;
    const placing = staysPut ? readNewestPlace(database, client) : null;
    placing?.catch(() => {});
    if (options.startsWithBegin !== true || isCluster) await beginning;
    const place = placing === null ? null : await placing;
    const working = work(open.tx);
    working.catch(() => {});
    begun = await beginning;
    result = await working;
    if (isCluster) {
      const [, placeNow] = await together(
        mark === null ? Promise.resolve() : leaveMark(open.tx, mark),
        place === null ? Promise.resolve(null) : readNewestPlace(database, client),
      );
      if (placeNow !== place) throw new ShardMoved();
    }
    open.end();
    await commit(client);
    client.release();
    return result;
  } catch (error) {
    open.end();
    if (isCluster && isDatabaseAway(error) && !isBusy(error)) askSoon(database);
    if (isHeldUp(database, error)) client.release(true);
    else
      await client.query('rollback').then(
        // A session that may not write could stay in the pool for ever, after the database has become writable again.
        () => client.release(isReadOnly(error)),
        (lost: Error) => client.release(lost),
      );
    if (!(error instanceof CommitUnknown)) throw error;
    // It has only read.
    if (begun === null) return result!;
    const outcome = await settleCommit(
      database,
      begun,
      database.patience.settleMs,
      isCluster ? { mark } : null,
    );
    if (outcome === 'committed') return result!;
    throw outcome === 'aborted' ? new CommitLost(error) : error;
  }
}

/**
 * Starts a transaction. Returns how the database knows it, to ask for its outcome, or null if it only reads. If it fails, calls `end`
 * before anybody learns the answer to the statement that was sent with it, so that none follows.
 */
async function begin(
  client: PoolClient,
  { lockTimeoutMs, snapshot }: TransactionOptions,
  isCluster: boolean,
  end: () => void,
): Promise<Begun | null> {
  if (snapshot !== undefined) {
    await client.query('begin isolation level repeatable read read only');
    if (snapshot !== true) await client.query(`set transaction snapshot ${client.escapeLiteral(snapshot)}`);
    return null;
  }
  const limit = lockTimeoutMs === undefined ? [] : [`set local lock_timeout = ${lockTimeoutMs}`];
  // A coordinator sends the whole text that has a `set local` on, and a machine would say each time that a transaction has begun already.
  const texts = isCluster ? ['begin', ...limit] : [['begin', ...limit].join('; ')];
  const beginnings = texts.map((text) => client.query(text));
  for (const beginning of beginnings) beginning.catch(end);
  const [{ rows }] = await Promise.all([
    client.query<Begun>('-- read-begun\nselect pg_current_xact_id()::text as xid, now()::text as at', []),
    ...beginnings,
  ]);
  return rows[0]!;
}

async function commit(client: PoolClient): Promise<void> {
  const { command } = await client.query('commit').catch((error: unknown) => {
    throw wasRefused(error) ? error : new CommitUnknown(error);
  });
  // If a statement of the transaction has failed, PostgreSQL answers the commit with ROLLBACK.
  if (command !== 'COMMIT')
    throw new Error('the transaction was rolled back because a statement failed and its error was ignored');
}

/** Creates a transaction that runs its statements on this connection, until `end` is called. */
function createTransaction(client: PoolClient, { memory, tracing }: Database): { tx: Tx; end: () => void } {
  let isOver = false;
  // A statement that nobody awaits can come after the end. It would run alone, or in somebody else's transaction.
  const unlessOver = <T>(run: () => Promise<T>): Promise<T> =>
    isOver ? Promise.reject(new Error('the transaction is over')) : run();
  let cause: unknown = null;
  // Statements behind one that has failed fail, too, and whoever awaits one of them wants to know why. An earlier one may have failed in a
  // savepoint that was rolled back.
  const explain = (error: unknown): never => {
    if (cause !== null && sqlState(error) === TRANSACTION_HAS_FAILED) throw cause;
    cause = error;
    throw error;
  };
  const query: Db['query'] = (text, values) => unlessOver(() => client.query(text, values).catch(explain));
  const copy: Tx['copyOut'] = (select, read) => unlessOver(() => copyOut(client, select, read));
  return { tx: { query, memory, tracing, copyOut: copy } as Tx, end: () => void (isOver = true) };
}

/** The answer to a commit was lost, and it may have happened. Repeating the call may do it twice. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('the connection was lost before the commit was answered', { cause });
  }
}

/** The answer to a commit was lost, and it did not happen. */
class CommitLost extends Error {
  constructor(cause: unknown) {
    super('the connection was lost before the commit arrived', { cause });
  }
}

/**
 * Awaits two parts of a transaction whose statements go out together. Once a statement has failed, PostgreSQL refuses those behind it,
 * so if both parts fail, throws the error that says why.
 */
export async function together<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  const ended = await Promise.allSettled([one, other]);
  const errors = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  if (errors.length > 0)
    throw errors.find((error) => sqlState(error) !== TRANSACTION_HAS_FAILED) ?? errors[0];
  return Promise.all([one, other]);
}

const TRANSACTION_HAS_FAILED = '25P02';

/** Returns the SQLSTATE of a database error, or undefined if it has none. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns true if the database refused the commit (a deferred constraint, a conflict), so it did not happen. */
function wasRefused(error: unknown): boolean {
  return /^(23|40)/.test(sqlState(error) ?? '');
}

/** The keys of random codes. A server that keeps a table in shards adds the number of the shard. */
const CODE_KEY = /_code_key(?:_\d+)?$/;
/** The keys of accounts. On a cluster an account can be erased by others until it is referred to. */
const ACCOUNT_KEY = /_user_id_fkey(?:_\d+)?$/;

function isWorthRepeating(error: unknown): boolean {
  if (error instanceof CommitLost || isShardGone(error)) return true;
  const state = sqlState(error);
  if (state === '40P01' || state === '40001') return true;
  const constraint = constraintOf(error);
  return (
    (state === '23505' && CODE_KEY.test(constraint)) || (state === '23503' && ACCOUNT_KEY.test(constraint))
  );
}

/**
 * The first setting makes PostgreSQL keep one plan per statement. Statements take arrays, and PostgreSQL assumes ten
 * rows for an array of unknown length, so a plan for the one row at hand always looks cheaper and it would plan every
 * call anew. That takes longer than running the statement: `pgbench` makes 980 purchases a second without this
 * setting and 1,790 with it. No statement here needs different plans for different values.
 *
 * The second setting is for solid-state disks. With the page costs of a spinning disk, reading a catalog of 500
 * benefits from end to end looks cheaper than ten index lookups.
 */
const PLANNER_SETTINGS = { plan_cache_mode: 'force_generic_plan', random_page_cost: '1.1' };

export const SESSION_OPTIONS = asOptions(PLANNER_SETTINGS);

function asOptions(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** Keeps Citus from copying the settings of a role to other machines. Any role may say so. */
export const ONLY_HERE = 'citus.enable_alter_role_set_propagation';

/**
 * A cluster refuses generic plans of statements with values: it has to know the commerce to find the machine. What is set for one
 * transaction has to hold on that machine, too.
 */
const CLUSTER_SETTINGS = {
  random_page_cost: '1.1',
  'citus.propagate_set_commands': 'local',
  // One connection to each machine: a transaction that has used several may not write a table that others refer to.
  'citus.max_adaptive_executor_pool_size': '1',
  'citus.multi_shard_modify_mode': 'sequential',
  // What a machine keeps with the role is not what the coordinator keeps with it, also where a migration makes the role known there.
  [ONLY_HERE]: 'off',
};

type Plans = Pick<DatabaseAddress, 'preparedStatements' | 'cluster'>;

function plannerSettings({ preparedStatements, cluster }: Plans): Readonly<Record<string, string>> {
  if (cluster != null) return CLUSTER_SETTINGS;
  return preparedStatements ? PLANNER_SETTINGS : {};
}

function plannerOptions({ preparedStatements, cluster }: Plans): readonly string[] {
  if (cluster != null) return [asOptions(CLUSTER_SETTINGS)];
  return preparedStatements ? [SESSION_OPTIONS] : [];
}

const DATE = 1082;
const INT8 = 20;
const TIMESTAMPTZ = 1184;

/**
 * Reads points and amounts as numbers, and local days as strings because they are not instants. A number above 2^53 − 1,
 * which only an earlier release can have written, is rounded, so that it does not break a whole list.
 */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === INT8) return Number;
  if (oid === DATE) return String;
  if (oid === TIMESTAMPTZ) return readStoredInstant;
  return types.getTypeParser(oid, format) as (text: string) => unknown;
}

export { sql, type Sql } from './sql.ts';
