const UNAVAILABLE_STATES = new Set([
  '40001', // serialization failure, its retries used up
  '40P01', // deadlock, likewise
  '55P03', // lock not available
  '57014', // statement cancelled by its timeout
  '53300', // too many connections
  '53100', // disk full
  '53200', // out of memory
  '25006', // read-only transaction: a failover is under way
  '25P03', // idle in transaction for too long
]);

const UNUSABLE_TEXT_STATES = new Set(['22021', '22P02', '22P05', '22003', '22007', '2201W', '2201X']);

const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** pg gives these no code: a socket that ended under a query, a pool without a free connection in time. */
const SOCKET_WORDS =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|Client was closed|Query read timeout)/;

const NO_CONNECTION =
  /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)/;

/**
 * Whether the database is away or overloaded rather than the call wrong. Whether the effect happened is not known to
 * the caller, so this is a 503 that may be repeated, never a 400.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (
    code !== undefined &&
    (UNAVAILABLE_STATES.has(code) || SOCKET_CODES.has(code) || /^(57P0|08)/.test(code))
  )
    return true;
  return SOCKET_WORDS.test(error.message) || isDatabaseAway(error.cause);
}

/** Whether no connection was to be had in time: nothing was begun, and the next to ask would wait as long. */
export function isWithoutConnection(error: unknown): boolean {
  return error instanceof Error && NO_CONNECTION.test(error.message);
}

/** Whether the database refused a value as such: the door should have, so it is logged, yet it is no fault of ours. */
export function isUnusableValue(error: unknown): boolean {
  return error instanceof Error && UNUSABLE_TEXT_STATES.has(codeOf(error) ?? '');
}

function codeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
