import { pino, type DestinationStream, type Logger } from 'pino';
import type { Config } from '#settings/config.ts';

/** Returns true if the log is for people: on a terminal, unless LOG_FORMAT says otherwise. */
export function isLogForPeople({ logFormat }: Pick<Config, 'logFormat'>): boolean {
  return logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY);
}

/** Opens the log of a process on stdout. `process` is its number, if there are several: each line then has it. */
export async function openLog(
  config: Pick<Config, 'logFormat' | 'logLevel'>,
  process?: number,
): Promise<Logger> {
  const level = config.logLevel;
  const base = process === undefined ? null : { process };
  if (!isLogForPeople(config)) return createLog({ level, base });
  // Loaded only here, so that a service with a log for machines does without it.
  const { openLogForPeople } = await import('./log-for-people.ts');
  return createLog({ level, base, to: openLogForPeople() });
}

/**
 * Creates the log: JSON lines without secrets. We never log bodies or headers. Secrets that get in through an error or
 * an object are redacted.
 */
export function createLog(options: {
  level: string;
  base?: { process: number } | null;
  to?: DestinationStream;
}): Logger {
  return pino(
    {
      level: options.level,
      base: options.base ?? null,
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

/** Describes an error without e-mail addresses and without the rows and parameters that database drivers attach. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: redactAddresses(String(error)) };
  const { code, constraint, table, routine } = error as {
    code?: unknown;
    constraint?: unknown;
    table?: unknown;
    routine?: unknown;
  };
  return {
    type: error.name,
    message: redactAddresses(error.message),
    code,
    constraint,
    table,
    routine,
    stack: redactAddresses(error.stack ?? ''),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

function redactAddresses(text: string): string {
  return text.replaceAll(/[\w.!#$%&'*+=?^`{|}~-]+@[\w-]+(\.[\w-]+)+/g, '[address]');
}
