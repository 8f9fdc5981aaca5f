/**
 * The configuration: read once from the environment, checked as a whole, and passed on as a value. Every
 * variable may also come from a file, named by the variable's name with `_FILE`.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { join, resolve } from 'node:path';
import envSchema from 'env-schema';
import type { ErrorObject } from 'ajv';
import { type Static, Type } from 'typebox';

const onOff = { enum: ['on', 'off'], expects: '`on` or `off`' };
const postgresUrl = {
  pattern: '^postgres(ql)?://',
  expects: 'an address that begins with postgres://',
  secret: true,
};

/**
 * Every variable with its default. `description` is its line in the docs; `expects` completes the sentence
 * "NAME must be …"; `secret` values are never printed.
 */
export const configSchema = Type.Object({
  NODE_ENV: Type.String({
    default: 'development',
    expects: 'a word',
    description: '`production` refuses to start without the four variables that a real service needs.',
  }),
  PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 3000,
    expects: 'a port number from 0 to 65535',
    description: 'Port of the HTTP interface; 0 takes a free one.',
  }),
  HOST: Type.String({
    default: '127.0.0.1',
    expects: 'an address',
    description: 'Address that the HTTP interface listens on; `0.0.0.0` for all.',
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#]+(/[^?#]*)?$',
      expects: 'an address that begins with http:// or https://',
      description:
        'Address under which people reach the service, for links in mails. Required in production.',
    }),
  ),
  DATA_DIR: Type.String({
    default: './data',
    expects: 'a folder',
    description: 'Folder of the embedded database and of generated secrets; relative to the checkout.',
  }),
  DATABASE_URL: Type.Optional(
    Type.String({
      ...postgresUrl,
      description: 'PostgreSQL to use; without it the service starts one of its own. Required in production.',
    }),
  ),
  DATABASE_DIRECT_URL: Type.Optional(
    Type.String({
      ...postgresUrl,
      description:
        'The same database past a pooler, for migrations, jobs and notifications; default DATABASE_URL.',
    }),
  ),
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 10,
    expects: 'a whole number from 1 to 1000',
    description: 'Database connections that one process holds at most.',
  }),
  PREPARED_STATEMENTS: Type.String({
    ...onOff,
    default: 'on',
    description: '`off` for poolers that cannot keep prepared statements.',
  }),
  SECRET_KEY: Type.Optional(
    Type.String({
      minLength: 32,
      expects: 'at least 32 characters',
      secret: true,
      description:
        'Signs tokens and cursors; generated and kept in DATA_DIR where absent. Required in production.',
    }),
  ),
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://',
      expects: 'an address that begins with smtp:// or smtps://',
      secret: true,
      description: 'Mail server; without it mails are kept and shown at `/dev/mail`. Required in production.',
    }),
  ),
  MAIL_FROM: Type.String({
    default: 'loyalty@localhost',
    pattern: '^[^\\s@<>",;]+@[^\\s@<>",;]+$',
    expects: 'a bare e-mail address',
    description: 'Address that mails are sent from; the name beside it is the commerce’s.',
  }),
  RATE_LIMITS: Type.String({
    ...onOff,
    default: 'on',
    description:
      '`off` lifts the limits by key, user and client address, never those counted per e-mail address.',
  }),
  RATE_LIMIT_KEY: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1000,
    expects: 'a whole number from 0 to 1000000',
    description: 'Requests a second of one API key, in bursts of twice as many; 0 is no limit.',
  }),
  RATE_LIMIT_USER: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 10,
    expects: 'a whole number from 0 to 1000000',
    description: 'Requests a second of one member; 0 is no limit.',
  }),
  RATE_LIMIT_NETWORK: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 20,
    expects: 'a whole number from 0 to 1000000',
    description: 'Requests a second of one client network on public endpoints; 0 is no limit.',
  }),
  TRUST_PROXY: Type.String({
    default: '',
    separator: ',',
    expects: 'addresses or CIDR blocks, separated by commas',
    description:
      'Reverse proxies whose X-Forwarded-For counts, as addresses or CIDR blocks with commas between.',
  }),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      expects: 'a port number from 0 to 65535',
      description: 'Port of the metrics, apart from PORT; none are served without it.',
    }),
  ),
  LOG_LEVEL: Type.String({
    default: 'info',
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    expects: 'one of fatal, error, warn, info, debug, trace, silent',
    description: 'Least severity that is logged.',
  }),
});

export type ConfigName = keyof Static<typeof configSchema>;

export interface Config {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  /** Without a slash at its end; null until the port is known outside production. */
  readonly publicUrl: string | null;
  /** Absolute. */
  readonly dataDir: string;
  /** null means the embedded database. */
  readonly databaseUrl: string | null;
  /** Past a pooler; null means the embedded database. */
  readonly databaseDirectUrl: string | null;
  readonly databasePoolSize: number;
  readonly preparedStatements: boolean;
  /** Read it by `secretKey(config)`. */
  readonly secretKey: string | null;
  readonly smtpUrl: string | null;
  readonly mailFrom: string;
  /** Requests a second, 0 for no limit; null where all of them are lifted. */
  readonly rateLimits: {
    readonly perKey: number;
    readonly perUser: number;
    readonly perNetwork: number;
  } | null;
  /** Addresses and CIDR blocks; empty trusts nobody. */
  readonly trustProxy: readonly string[];
  readonly metricsPort: number | null;
  readonly logLevel: string;
}

/** All that is wrong with the configuration, a sentence each. */
export class ConfigProblem extends Error {
  readonly sentences: readonly string[];

  constructor(sentences: readonly string[]) {
    super(sentences.join('\n'));
    this.sentences = sentences;
  }
}

const names = Object.keys(configSchema.properties) as ConfigName[];
/** Relative paths are the checkout's: npm starts workspaces in their own folder, `npx` does not. */
const checkout = resolve(import.meta.dirname, '../..');

/** The configuration that the environment describes; an empty variable counts as absent. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const texts = readTexts(env, problems);
  const values = check(texts, problems);
  if (texts.NODE_ENV === 'production') problems.push(...missingInProduction(texts));
  if (values === null || problems.length > 0) throw new ConfigProblem(problems);
  return {
    production: values.NODE_ENV === 'production',
    port: values.PORT,
    host: values.HOST,
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    dataDir: resolve(checkout, values.DATA_DIR),
    databaseUrl: values.DATABASE_URL ?? null,
    databaseDirectUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL ?? null,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    preparedStatements: values.PREPARED_STATEMENTS === 'on',
    secretKey: values.SECRET_KEY ?? null,
    smtpUrl: values.SMTP_URL ?? null,
    mailFrom: values.MAIL_FROM,
    rateLimits:
      values.RATE_LIMITS === 'on'
        ? {
            perKey: values.RATE_LIMIT_KEY,
            perUser: values.RATE_LIMIT_USER,
            perNetwork: values.RATE_LIMIT_NETWORK,
          }
        : null,
    trustProxy: values.TRUST_PROXY,
    metricsPort: values.METRICS_PORT ?? null,
    logLevel: values.LOG_LEVEL,
  };
}

/** The key that signs; outside production one is made once and kept in `DATA_DIR/secret-key`. */
export function secretKey(config: Config): string {
  if (config.secretKey !== null) return config.secretKey;
  const path = join(config.dataDir, 'secret-key');
  const kept = readIfThere(path);
  if (kept !== null) return kept;
  mkdirSync(config.dataDir, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true });
  try {
    // Of two processes that start at once, the first one's key is the key of both.
    linkSync(unfinished, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
  return readFileSync(path, 'utf8');
}

type Texts = Partial<Record<ConfigName, string>>;
type Values = Omit<Static<typeof configSchema>, 'TRUST_PROXY'> & { TRUST_PROXY: string[] };

function readTexts(env: Readonly<Record<string, string | undefined>>, problems: string[]): Texts {
  const texts: Texts = {};
  for (const name of names) {
    const file = env[`${name}_FILE`];
    if (env[name] && file) problems.push(`${name} and ${name}_FILE are both set: keep one of them.`);
    else if (env[name]) texts[name] = env[name];
    else if (file) {
      const text = readIfThere(resolve(checkout, file));
      if (text) texts[name] = text;
      else problems.push(`${name}_FILE names ${file}, which cannot be read or is empty.`);
    }
  }
  return texts;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** null where something is wrong, which then is among the problems. */
function check(texts: Texts, problems: string[]): Values | null {
  try {
    const values = envSchema<Values>({
      schema: structuredClone(configSchema),
      data: { ...texts },
      env: false,
      ajv: { customOptions: (ajv) => ajv.addVocabulary(['expects', 'secret']) },
    });
    const wrong = values.TRUST_PROXY.filter((block) => !isBlock(block));
    if (wrong.length === 0) return values;
    problems.push(sentence('TRUST_PROXY', texts));
  } catch (error) {
    const { errors } = error as { errors?: ErrorObject[] };
    if (!errors) throw error;
    const wrong = new Set(errors.map(({ instancePath }) => instancePath.slice(1) as ConfigName));
    problems.push(...[...wrong].map((name) => sentence(name, texts)));
  }
  return null;
}

function sentence(name: ConfigName, texts: Texts): string {
  const { expects, secret } = configSchema.properties[name] as unknown as {
    expects: string;
    secret?: boolean;
  };
  return `${name} must be ${expects}${secret ? '' : `, not "${texts[name] ?? ''}"`}.`;
}

function isBlock(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  try {
    new BlockList().addSubnet(
      address,
      /^\d+$/.test(prefix) ? Number(prefix) : -1,
      family === 6 ? 'ipv6' : 'ipv4',
    );
    return true;
  } catch {
    return false;
  }
}

function missingInProduction(texts: Texts): string[] {
  const reasons = {
    DATABASE_URL: 'the embedded database is for trying things out',
    SECRET_KEY: 'every process has to sign with the same key; `openssl rand -base64 32` makes one',
    PUBLIC_URL: 'mails link to it',
    SMTP_URL: 'sign-in codes go out by mail',
  };
  return Object.entries(reasons)
    .filter(([name]) => !texts[name as ConfigName])
    .map(([name, reason]) => `${name} is required in production: ${reason}.`);
}
