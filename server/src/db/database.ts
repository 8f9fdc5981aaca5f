import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool, types, type DatabaseError, type PoolClient, type QueryResult } from 'pg';

/** Runs a statement: the pool or a transaction. Code that only reads takes it. */
export type Db = Kysely<Tables>;

/** The pool. Each statement commits by itself, and only the pool can open a transaction, so none opens inside another. */
export type Database = Db & { readonly [isPool]: true };

/** A transaction. Only `transaction` hands one out, so code that locks or writes takes it and cannot run without one. */
export type Tx = Db & { readonly [isTransaction]: true };

/** Statements are written out in SQL; the query builder, for lists whose filters vary, takes its tables from here. */
type Tables = Record<string, Record<string, unknown>>;
declare const isPool: unique symbol;
declare const isTransaction: unique symbol;

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Off behind a pooler that shares connections between transactions. */
  readonly preparedStatements: boolean;
  /** Longest statement, in milliseconds; 0 for work that may take as long as it takes. */
  readonly statementTimeoutMs?: number;
  /** Called when the server ends an idle connection. */
  readonly onConnectionLost?: (error: Error) => void;
  /** Called with each new connection, so that measurements can look at the statements that run on it. */
  readonly onConnection?: (client: PoolClient) => void;
}

/** Opens a pool of connections. Nothing is connected before the first statement. */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 2_000,
    statement_timeout: options.statementTimeoutMs ?? 5_000,
    lock_timeout: 2_000,
    idle_in_transaction_session_timeout: 10_000,
    application_name: 'loyalty',
    types: { getTypeParser },
    // Statements of one connection that do not wait for each other go out together.
    pipeline: true,
    ...(options.preparedStatements && { options: SESSION_OPTIONS }),
  });
  const lost = options.onConnectionLost ?? (() => {});
  pool.on('error', lost);
  // A connection that is lost while checked out emits on the client, and would end the process unheard.
  pool.on('connect', (client) => {
    client.on('error', lost);
    if (options.preparedStatements) prepareNamedStatements(client);
    options.onConnection?.(client);
  });
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }) as Database;
  pools.set(database, pool);
  return database;
}

const pools = new WeakMap<Database, Pool>();

/**
 * Runs `work` in one READ COMMITTED transaction and commits what it did, or nothing. A deadlock, a serialisation
 * failure or a random code that exists already is tried again, five times in all; `work` holds nothing but SQL.
 * Statements that `work` does not wait for one by one (`Promise.all`) run in the order in which it sends them, and
 * go to PostgreSQL and back in one piece.
 * @throws CommitUnknown where the connection was lost before the answer to the commit: it may have happened
 */
export async function transaction<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(pools.get(database)!, work);
    } catch (error) {
      if (attempt === 5 || !isWorthRepeating(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
    }
  }
}

/** Not Kysely's own transaction: that one sends a statement only once the one before it is answered. */
async function runOnce<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  const open = openOn(client);
  try {
    await client.query('begin');
    const result = await work(open.tx);
    open.end();
    await commit(client);
    client.release();
    return result;
  } catch (error) {
    open.end();
    await client.query('rollback').then(
      () => client.release(),
      (lost: Error) => client.release(lost),
    );
    throw error;
  }
}

async function commit(client: PoolClient): Promise<void> {
  const { command } = await client.query('commit').catch((error: unknown) => {
    throw wasRefused(error) ? error : new CommitUnknown(error);
  });
  // To the commit of a transaction in which a statement has failed PostgreSQL answers that it rolled it back.
  if (command !== 'COMMIT')
    throw new Error('a statement of the transaction failed unheard, so it was rolled back');
}

/** Runs statements on that connection alone, as they come, until the transaction ends. */
function openOn(client: PoolClient): { tx: Tx; end: () => void } {
  const query = client.query.bind(client) as (statement: unknown, values?: unknown) => Promise<QueryResult>;
  let isOver = false;
  // What nobody waited for may come after the end, and would then run by itself or in somebody else's transaction.
  const within = (statement: unknown, values?: unknown) =>
    isOver ? Promise.reject(new Error('the transaction is over')) : query(statement, values);
  const pinned = { query: within, release: () => {} } as PoolClient;
  const pool = { connect: () => Promise.resolve(pinned), end: () => Promise.resolve() };
  const tx = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }) as Tx;
  return { tx, end: () => void (isOver = true) };
}

/** The answer to a commit was lost. The caller must be told to try again, never that it failed. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('the connection was lost before the commit was answered', { cause });
  }
}

/** The SQLSTATE of a database error, where it has one. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** A commit that the database itself refuses (a constraint that was checked late, a conflict) did not happen. */
function wasRefused(error: unknown): boolean {
  return /^(23|40)/.test(sqlState(error) ?? '');
}

function isWorthRepeating(error: unknown): boolean {
  const state = sqlState(error);
  if (state === '40P01' || state === '40001') return true;
  return state === '23505' && (error as DatabaseError).constraint?.endsWith('_code_key') === true;
}

/**
 * Statements take arrays, and PostgreSQL takes an array it has not seen for ten rows long: it would find a plan for
 * the one row at hand cheaper, time and again, and spend more on planning than on running (`pgbench` 980 purchases
 * a second, 1,790 with this). No statement here wants another plan for other values.
 *
 * An array of unknown length counts as ten rows, and by the cost of a page on a spinning disk reading a catalog of
 * 500 benefits from end to end looks cheaper than ten looks into its index.
 */
export const SESSION_OPTIONS = '-c plan_cache_mode=force_generic_plan -c random_page_cost=1.1';

const STATEMENT_NAME = /^-- ([a-z][a-z-]*)\n/;

/** A statement that opens with the comment `-- its-name` is prepared once a connection, under that name. */
function prepareNamedStatements(client: PoolClient): void {
  const query = client.query.bind(client) as (statement: unknown, values?: unknown) => Promise<QueryResult>;
  const named = (statement: unknown, values?: unknown) => {
    const name = typeof statement === 'string' ? STATEMENT_NAME.exec(statement)?.[1] : undefined;
    return name === undefined ? query(statement, values) : query({ name, text: statement, values });
  };
  client.query = named as typeof client.query;
}

const DATE = 1082;
const INT8 = 20;

/** Points and amounts are numbers, and local days are strings, never instants. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === INT8) return safeInteger;
  if (oid === DATE) return String;
  return types.getTypeParser(oid, format) as (text: string) => unknown;
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond a safe integer`);
  return value;
}

export { sql };
