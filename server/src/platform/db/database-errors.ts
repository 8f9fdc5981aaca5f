const UNAVAILABLE_STATES: ReadonlySet<string> = new Set([
  '40001', // serialization failure after all retries
  '40P01', // deadlock after all retries
  '55P03', // lock not available
  '57014', // statement cancelled by its timeout
  '25006', // read-only transaction: a failover is under way
  '25P03', // idle in transaction for too long
  '26000', // a pooler gave the call a connection on which its statement is not prepared
  '42P05', // or one on which somebody else has prepared it
  'XX001', // a page of a table is damaged
  'XX002', // a page of an index is damaged
]);

/** Resources that have run out (53), and the system or its storage reports an error (58). */
const UNAVAILABLE_CLASSES = /^(57P0|08|53|58)/;

/**
 * PostgreSQL gives a file system that has turned read-only the state of a missing right, and one that needs a repair that of an internal
 * error. Only the place in its source tells them from a role that lacks a right: here it opens, reads and writes files.
 */
const STORAGE_STATES: ReadonlySet<string> = new Set(['42501', 'XX000']);
const STORAGE_FILES: ReadonlySet<string> = new Set([
  'fd.c',
  'md.c',
  'smgr.c',
  'bufmgr.c',
  'buffile.c',
  'fileset.c',
  'slru.c',
  'xlog.c',
  'multixact.c',
  'relmapper.c',
]);

/** Where the coordinator of a cluster finds that a machine is gone. It calls that an internal error. */
const CLUSTER_FILES: ReadonlySet<string> = new Set(['remote_transaction.c', 'connection_management.c']);

/** It passes errors of its machines on, and what its client library says of a lost connection looks like one of them. */
const CLUSTER_ANSWERS = 'remote_commands.c';
const MACHINE_IS_LOST =
  /^(server closed the connection|connection not open|no connection to the server|could not (send|receive) data|lost synchronization)/;

/** A machine could not write what another one has sent it. */
const DISK_IS_FULL = /: No space left on device$/;

/** A statement was planned for a shard that was split or moved away before it ran. Citus calls that an internal error. */
const SHARD_IS_GONE = /^could not find valid entry for shard /;

const BUSY_STATES: ReadonlySet<string> = new Set(['40001', '40P01', '55P03', '57014']);

const UNUSABLE_TEXT_STATES: ReadonlySet<string> = new Set([
  '22021',
  '22P02',
  '22P05',
  '22003',
  '22007',
  '2201W',
  '2201X',
]);

const SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** pg gives these errors no code: a socket that closed during a query, a pool that had no free connection in time. */
const SOCKET_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|Client was closed|Query read timeout)/;

/** pg-pool's message if all connections stayed in use. */
const POOL_IS_FULL = /^timeout exceeded when trying to connect/;

const NO_CONNECTION =
  /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)/;

/** No connection to the database could be opened, for whatever reason. Nothing was done. */
export class NoConnection extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/**
 * Returns true if the database is unavailable or overloaded, so the call itself is not wrong. The caller cannot know
 * whether the call took effect, so the answer is a 503, which may be repeated, and never a 400.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof NoConnection) return true;
  const code = codeOf(error);
  if (
    code !== undefined &&
    (UNAVAILABLE_STATES.has(code) ||
      SOCKET_CODES.has(code) ||
      UNAVAILABLE_CLASSES.test(code) ||
      isOfStorage(error, code) ||
      isOfLostMachine(error, code) ||
      isShardGone(error))
  )
    return true;
  return SOCKET_MESSAGES.test(error.message) || isDatabaseAway(error.cause);
}

function isOfStorage(error: Error, code: string): boolean {
  const { file } = error as { file?: unknown };
  return STORAGE_STATES.has(code) && typeof file === 'string' && STORAGE_FILES.has(file);
}

function isOfLostMachine(error: Error, code: string): boolean {
  const { file } = error as { file?: unknown };
  if (code !== 'XX000' || typeof file !== 'string') return false;
  if (DISK_IS_FULL.test(error.message)) return true;
  return CLUSTER_FILES.has(file) || (file === CLUSTER_ANSWERS && MACHINE_IS_LOST.test(error.message));
}

/** Returns true if a shard of the cluster was split or moved away under a statement, which found nothing and did nothing. */
export function isShardGone(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === 'XX000' && SHARD_IS_GONE.test(error.message);
}

/** Returns true if no connection was free in time. Nothing was done, and another attempt would wait just as long. */
export function isWithoutConnection(error: unknown): boolean {
  return error instanceof NoConnection || (error instanceof Error && NO_CONNECTION.test(error.message));
}

/** Returns true if the database is there but too slow, or its rows are locked, so nothing points to an outage. */
export function isBusy(error: unknown): boolean {
  const root = rootOf(error);
  return BUSY_STATES.has(codeOf(root) ?? '') || POOL_IS_FULL.test(root.message);
}

/** Returns true if a statement was cancelled, because it took too long. */
export function isCancelled(error: unknown): boolean {
  return codeOf(rootOf(error)) === '57014';
}

/** Returns true if a prepared statement was not found where it was prepared, or where it was not. Only a pooler does that. */
export function hasLostStatement(error: unknown): boolean {
  return error instanceof Error && ['26000', '42P05'].includes(codeOf(error) ?? '');
}

/** Returns true if the database or this session refuses to write. Another server may have taken over. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(rootOf(error)) === '25006';
}

/**
 * Returns the name of the constraint that a row has violated, or an empty text. A cluster passes the errors of its machines on without that
 * field, so it is read from the message.
 */
export function constraintOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { constraint } = error as { constraint?: unknown };
  if (typeof constraint === 'string') return constraint;
  return /\bconstraint "([^"]+)"/.exec(error.message)?.[1] ?? '';
}

export function isDiskFull(error: unknown): boolean {
  const root = rootOf(error);
  return codeOf(root) === '53100' || (codeOf(root) === 'XX000' && DISK_IS_FULL.test(root.message));
}

/** Returns why the database was unavailable, without the stack, which always leads to the driver. */
export function describeUnavailable(error: unknown): { reason: string; code?: string } {
  const root = rootOf(error);
  const code = codeOf(root);
  return { reason: root.message, ...(code !== undefined && { code }) };
}

function rootOf(error: unknown): Error {
  const known = error instanceof Error ? error : new Error(String(error));
  return known.cause instanceof Error ? rootOf(known.cause) : known;
}

/** Returns true if the database rejected a value that the request validation should have rejected. */
export function isUnusableValue(error: unknown): boolean {
  return error instanceof Error && UNUSABLE_TEXT_STATES.has(codeOf(error) ?? '');
}

function codeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
