import { pino, type DestinationStream, type Logger } from 'pino';

/**
 * The log: JSON lines, no secrets. Bodies and headers are never logged by us; what might slip in through an error or
 * an object is cut out here.
 */
export function createLog(options: { level: string; to?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_PATHS, censor: '[redacted]' },
      serializers: { err: describeError },
    },
    options.to ?? pino.destination(1),
  );
}

const SECRET_NAMES = [
  'authorization',
  'cookie',
  'token',
  'access',
  'refresh',
  'otp',
  'key',
  'email',
  'password',
  'secret',
];
const SECRET_PATHS = SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** An error without the rows and parameters that a database driver puts into it, and without mail addresses. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: withoutAddresses(String(error)) };
  const { code, constraint, table, routine } = error as {
    code?: unknown;
    constraint?: unknown;
    table?: unknown;
    routine?: unknown;
  };
  return {
    type: error.name,
    message: withoutAddresses(error.message),
    code,
    constraint,
    table,
    routine,
    stack: withoutAddresses(error.stack ?? ''),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

function withoutAddresses(text: string): string {
  return text.replaceAll(/[\w.!#$%&'*+=?^`{|}~-]+@[\w-]+(\.[\w-]+)+/g, '[address]');
}
