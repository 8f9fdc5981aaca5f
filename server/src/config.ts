/**
 * The configuration. It is read once from the environment, checked as a whole and passed on as a value. Every
 * variable can also come from a file: `PORT_FILE` names a file with the value of `PORT`.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { join, resolve } from 'node:path';
import envSchema from 'env-schema';
import type { ErrorObject } from 'ajv';
import { type Static, Type } from 'typebox';
import { isLoopbackHost } from '#text/loopback.ts';
import { Refusal } from './refusal.ts';
import { looksRandom } from '#text/secret-strength.ts';
import { checkWallets, type WalletSettings } from './wallet-settings.ts';

const SHORTEST_KEY = 32;
const onOff = { enum: ['on', 'off'], expects: '`on` or `off`' };
const postgresUrl = {
  pattern: '^postgres(ql)?://',
  expects: 'an address that starts with postgres://',
  secret: true,
};

const pem = (kind: string) => ({
  pattern: `-----BEGIN ${kind}-----`,
  expects: 'a certificate in PEM format',
  secret: true,
});

/**
 * Every variable with its default. `description` is its line in the docs. `expects` completes the sentence "NAME must
 * be …". The values of `secret` variables are never printed.
 */
export const configSchema = Type.Object({
  NODE_ENV: Type.String({
    default: 'development',
    enum: ['development', 'production', 'test'],
    expects: '`development`, `production` or `test`',
    description:
      'With `production`, the program starts only if the variables that a real service needs are set. A staging service is `production` too.',
  }),
  PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 3000,
    expects: 'a port number from 0 to 65535',
    description: 'Port of the HTTP server. 0 picks a free port.',
  }),
  HOST: Type.String({
    default: '127.0.0.1',
    // A name has a letter, because `0` and `2130706433` are addresses too, and not the ones they seem to be.
    pattern: '^([0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%[A-Za-z0-9]+)?|(?=.*[A-Za-z])[A-Za-z0-9._-]+)$',
    expects: 'an IP address or a host name',
    description:
      'Address that the HTTP server listens on. `0.0.0.0` means all addresses. If it is not a loopback address, the service starts only with the settings that production requires.',
  }),
  INSECURE_HOST: Type.String({
    ...onOff,
    default: 'off',
    description:
      'Set to `on` to try the service out on a HOST that is not a loopback address, as in a container, without the settings that production requires. Anyone who can reach HOST can then use it, unencrypted.',
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#@\\s]+(/[^?#@\\s]*)?$',
      expects: 'an address that starts with http:// or https://',
      description:
        'Public address of the service, for links in mails and to pictures. Required in production.',
    }),
  ),
  CONSOLE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#@\\s]+/?$',
      expects: 'an address that starts with http:// or https:// and has no path',
      description:
        'Address of a host of its own for the console, where the staff works. It must lead to this service too, with its name in `Host`. Without it the console is at PUBLIC_URL, and a script that gets into a page there could act as the staff.',
    }),
  ),
  DATA_DIR: Type.String({
    default: './data',
    expects: 'a folder',
    description:
      'Folder for the embedded database and generated secrets. A relative path starts at the checkout.',
  }),
  DATABASE_URL: Type.Optional(
    Type.String({
      ...postgresUrl,
      description:
        'PostgreSQL database to use. If not set, the service starts its own PostgreSQL. Required in production.',
    }),
  ),
  DATABASE_DIRECT_URL: Type.Optional(
    Type.String({
      ...postgresUrl,
      description:
        'Direct address of the same database if DATABASE_URL is a pooler. Used for migrations and commands, and to store the time limits that a pooler does not pass on. Defaults to DATABASE_URL.',
    }),
  ),
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 10,
    expects: 'a whole number from 1 to 1000',
    description: 'Maximum number of database connections of one process.',
  }),
  PREPARED_STATEMENTS: Type.String({
    ...onOff,
    default: 'on',
    description: 'Set to `off` for a pooler that does not support prepared statements.',
  }),
  SECRET_KEY: Type.Optional(
    Type.String({
      minLength: SHORTEST_KEY,
      expects: `at least ${SHORTEST_KEY} characters`,
      secret: true,
      description:
        'Key that signs tokens and cursors. If not set, one is generated and kept in DATA_DIR. Required in production, where it must be random.',
    }),
  ),
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://',
      expects: 'an address that starts with smtp:// or smtps://',
      secret: true,
      description:
        'Mail server. If not set, mails are shown at `/dev/mail` to this machine only; with DATABASE_URL, TRUST_PROXY or a PUBLIC_URL elsewhere, they wait in the database instead. Required in production.',
    }),
  ),
  DEMO: Type.Optional(
    Type.String({
      ...onOff,
      description:
        'Whether to create the demo commerce in a database without any commerce and to print its API key. By default `on` with the embedded database and `off` with DATABASE_URL. Not possible in production.',
    }),
  ),
  SESSION_SCOPE: Type.String({
    default: 'installation',
    enum: ['installation', 'commerce'],
    expects: '`installation` or `commerce`',
    description:
      'Where a member’s tokens are good: at every commerce of the installation, or only at the one they were issued for. All processes must agree. Switching to `commerce` signs all members out.',
  }),
  PORTAL_OFFLINE: Type.String({
    ...onOff,
    default: 'on',
    description:
      'Whether the members’ pages also open without a network, by a service worker. Set to `off` to remove the service workers from all phones, each at its next visit.',
  }),
  MAIL_FROM: Type.String({
    default: 'loyalty@localhost',
    pattern: '^[^\\s@<>",;]+@[^\\s@<>",;]+$',
    expects: 'an e-mail address without a name',
    description: 'Address that mails are sent from. The name next to it is the commerce’s.',
  }),
  RATE_LIMITS: Type.String({
    ...onOff,
    default: 'on',
    description:
      '`off` lifts the limits per API key, member and client network, also those of connections. The limits per e-mail address always apply.',
  }),
  RATE_LIMIT_KEY: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1000,
    expects: 'a whole number from 0 to 1000000',
    description: 'Requests per second for one API key, with bursts of twice as many. 0 means no limit.',
  }),
  RATE_LIMIT_USER: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 10,
    expects: 'a whole number from 0 to 1000000',
    description: 'Requests per second for one member. 0 means no limit.',
  }),
  RATE_LIMIT_NETWORK: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 20,
    expects: 'a whole number from 0 to 1000000',
    description: 'Requests per second for one client network on public endpoints. 0 means no limit.',
  }),
  INVITATIONS_PER_DAY: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 10_000,
    expects: 'a whole number from 0 to 1000000000',
    description:
      'Invitations that one commerce may send on a day (UTC) to strangers who earn points. 0 means no limit.',
  }),
  CONNECTION_LIMIT: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 10_000,
    expects: 'a whole number from 0 to 1000000',
    description:
      'Open HTTP connections of this process. If all are taken, idle ones are closed for new ones. 0 means no limit.',
  }),
  CONNECTION_LIMIT_NETWORK: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1000,
    expects: 'a whole number from 0 to 1000000',
    description:
      'The same for one client network. Does not apply to the proxies in TRUST_PROXY. 0 means no limit.',
  }),
  DRAIN_SECONDS: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 3600,
      expects: 'a whole number from 0 to 3600',
      description:
        'How long a stopping service goes on serving while `/readyz` announces its end. Default: 0, in production 5.',
    }),
  ),
  TRUST_PROXY: Type.String({
    default: '',
    separator: ',',
    expects: 'addresses or CIDR blocks, separated by commas',
    description: 'Reverse proxies whose X-Forwarded-For header is trusted.',
  }),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      expects: 'a port number from 0 to 65535',
      description: 'Port of the metrics, other than PORT. If not set, no metrics are served.',
    }),
  ),
  APPLE_PASS_TYPE_ID: Type.Optional(
    Type.String({
      pattern: '^pass\\.[A-Za-z0-9.-]{1,200}$',
      expects: 'a pass type identifier that starts with `pass.`',
      description:
        'Pass type identifier of the passes for Apple Wallet. The five APPLE_ variables are set together. `docs/wallet-passes.md` explains them.',
    }),
  ),
  APPLE_TEAM_ID: Type.Optional(
    Type.String({
      pattern: '^[A-Z0-9]{10}$',
      expects: 'a team identifier of 10 capital letters and digits',
      description: 'Team identifier of the Apple developer account.',
    }),
  ),
  APPLE_PASS_CERTIFICATE: Type.Optional(
    Type.String({
      ...pem('CERTIFICATE'),
      description: 'Certificate of the pass type, as PEM.',
    }),
  ),
  APPLE_PASS_KEY: Type.Optional(
    Type.String({
      ...pem('[A-Z ]*PRIVATE KEY'),
      expects: 'a private key in PEM format',
      description: 'Private key of APPLE_PASS_CERTIFICATE, as PEM without a passphrase.',
    }),
  ),
  APPLE_WWDR_CERTIFICATE: Type.Optional(
    Type.String({
      ...pem('CERTIFICATE'),
      description: 'Intermediate certificate of Apple that has signed APPLE_PASS_CERTIFICATE, as PEM.',
    }),
  ),
  GOOGLE_WALLET_ISSUER_ID: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,30}$',
      expects: 'an issuer ID of digits',
      description:
        'Issuer ID of the passes for Google Wallet. Set together with GOOGLE_WALLET_KEY. `docs/wallet-passes.md` explains them.',
    }),
  ),
  GOOGLE_WALLET_KEY: Type.Optional(
    Type.String({
      pattern: '^\\s*\\{',
      expects: 'the JSON key file of a service account',
      secret: true,
      description:
        'Key of the service account that signs and updates them, as the JSON file that Google Cloud downloads.',
    }),
  ),
  LOG_LEVEL: Type.String({
    default: 'info',
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    expects: 'one of fatal, error, warn, info, debug, trace, silent',
    description: 'Lowest severity that is logged.',
  }),
  LOG_FORMAT: Type.String({
    default: 'auto',
    enum: ['auto', 'json', 'pretty'],
    expects: '`auto`, `json` or `pretty`',
    description:
      '`pretty` writes the log for people, `json` for machines. `auto` is `pretty` on a terminal and `json` elsewhere.',
  }),
});

export type ConfigName = keyof Static<typeof configSchema>;

export interface Config {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  /** Without a trailing slash. Null if not set: links then use HOST and PORT. */
  readonly publicUrl: string | null;
  /** The console's own host, without a trailing slash. Null if it has none. */
  readonly consoleUrl: string | null;
  /** An absolute path. */
  readonly dataDir: string;
  /** Null means the embedded database. */
  readonly databaseUrl: string | null;
  /** The address that bypasses the pooler. Null means the embedded database. */
  readonly databaseDirectUrl: string | null;
  readonly databasePoolSize: number;
  readonly preparedStatements: boolean;
  /** Use `readSecretKey(config)`, which also finds a generated key. */
  readonly secretKey: string | null;
  readonly smtpUrl: string | null;
  /** `shown`: in the developer's mailbox. `kept`: they wait in the database until another process sends them. */
  readonly mails: 'sent' | 'shown' | 'kept';
  /** Whether a database without any commerce gets the demo. */
  readonly demo: boolean;
  readonly sessionScope: 'installation' | 'commerce';
  /** Whether the members' pages have a service worker. */
  readonly portalOffline: boolean;
  readonly mailFrom: string;
  /** Requests per second, 0 for no limit. Null if all of these limits are lifted. */
  readonly rateLimits: {
    readonly perKey: number;
    readonly perUser: number;
    readonly perNetwork: number;
  } | null;
  /** Null means no limit. */
  readonly invitationsPerDay: number | null;
  /** Open connections, 0 for no limit. */
  readonly sockets: { readonly total: number; readonly perNetwork: number };
  readonly drainSeconds: number;
  /** Addresses and CIDR blocks. If empty, no proxy is trusted. */
  readonly trustProxy: readonly string[];
  readonly metricsPort: number | null;
  /** Null if no wallet is configured. */
  readonly wallets: WalletSettings | null;
  readonly logLevel: string;
  readonly logFormat: 'auto' | 'json' | 'pretty';
  /** Sentences for the log: what works, but is probably not meant. */
  readonly warnings: readonly string[];
}

/** The configuration is invalid. Each issue is one sentence, and the message has one issue per line. */
export class ConfigRefused extends Refusal {
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(issues.join('\n'));
    this.issues = issues;
  }
}

const names = Object.keys(configSchema.properties) as ConfigName[];
/** Relative paths start here, because npm runs workspaces in their own folders but `npx` does not. */
const checkout = resolve(import.meta.dirname, '../..');

/**
 * Reads the configuration of a command from the environment. An empty variable counts as not set.
 * @throws ConfigRefused
 */
export function readConfig(env: Env): Config {
  return read(env, 'command');
}

/**
 * Reads the configuration of a process that serves HTTP. Production's checks also apply if other machines can reach it.
 * @throws ConfigRefused
 */
export function readServiceConfig(env: Env): Config {
  return read(env, 'service');
}

function read(env: Env, use: 'command' | 'service'): Config {
  const issues: string[] = [];
  const texts = readTexts(env, issues);
  const values = checkTexts(texts, issues);
  if (values !== null) issues.push(...findContradictions(values));
  if (texts.NODE_ENV === 'production') issues.push(...checkForProduction(texts, 'in production'));
  else if (texts.TRUST_PROXY) issues.push(...checkSecretKey(texts));
  else if (use === 'service' && values !== null && isExposed(values))
    issues.push(...checkForStrangers(texts));
  const wallets = values && checkWallets(values, new Date());
  issues.push(...(wallets?.issues ?? []));
  if (values === null || issues.length > 0) throw new ConfigRefused(issues);
  const mails = decideMails(values);
  return {
    production: values.NODE_ENV === 'production',
    port: values.PORT,
    host: values.HOST,
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    consoleUrl: values.CONSOLE_URL?.replace(/\/+$/, '') ?? null,
    dataDir: resolve(checkout, values.DATA_DIR),
    databaseUrl: values.DATABASE_URL ?? null,
    databaseDirectUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL ?? null,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    preparedStatements: values.PREPARED_STATEMENTS === 'on',
    secretKey: values.SECRET_KEY ?? null,
    smtpUrl: values.SMTP_URL ?? null,
    mails,
    demo: (values.DEMO ?? (values.DATABASE_URL === undefined ? 'on' : 'off')) === 'on',
    sessionScope: values.SESSION_SCOPE as Config['sessionScope'],
    portalOffline: values.PORTAL_OFFLINE === 'on',
    mailFrom: values.MAIL_FROM,
    rateLimits:
      values.RATE_LIMITS === 'on'
        ? {
            perKey: values.RATE_LIMIT_KEY,
            perUser: values.RATE_LIMIT_USER,
            perNetwork: values.RATE_LIMIT_NETWORK,
          }
        : null,
    invitationsPerDay: values.INVITATIONS_PER_DAY === 0 ? null : values.INVITATIONS_PER_DAY,
    sockets: { total: values.CONNECTION_LIMIT, perNetwork: values.CONNECTION_LIMIT_NETWORK },
    drainSeconds: values.DRAIN_SECONDS ?? (values.NODE_ENV === 'production' ? 5 : 0),
    trustProxy: values.TRUST_PROXY,
    metricsPort: values.METRICS_PORT ?? null,
    wallets: wallets?.settings ?? null,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT as Config['logFormat'],
    warnings: [...findWarnings(values, mails), ...(wallets?.warnings ?? [])],
  };
}

/** Returns the signing key. If none is configured, generates one and keeps it in `DATA_DIR/secret-key`. */
export function readSecretKey(config: Config): string {
  if (config.secretKey !== null) return config.secretKey;
  const path = join(config.dataDir, 'secret-key');
  const kept = readIfPresent(path);
  if (kept !== null) return kept;
  mkdirSync(config.dataDir, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true });
  try {
    // If two processes start at once, both use the key that is linked first.
    linkSync(unfinished, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
  return readFileSync(path, 'utf8');
}

type Env = Readonly<Record<string, string | undefined>>;
type Texts = Partial<Record<ConfigName, string>>;
type Values = Omit<Static<typeof configSchema>, 'TRUST_PROXY'> & { TRUST_PROXY: string[] };

const MAX_LENGTH = 4096;

function readTexts(env: Env, issues: string[]): Texts {
  const texts: Texts = {};
  for (const name of names) {
    const file = env[`${name}_FILE`];
    if (env[name] && file) issues.push(`${name} and ${name}_FILE are both set: remove one of them.`);
    else if (env[name]) texts[name] = env[name];
    else if (file) {
      const text = readIfPresent(resolve(checkout, file));
      if (text) texts[name] = text;
      else issues.push(`${name}_FILE is ${file}, but that file is empty or cannot be read.`);
    }
  }
  return texts;
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** Validates the variables. If any is invalid, adds to `issues` and returns null. */
function checkTexts(texts: Texts, issues: string[]): Values | null {
  try {
    const values = envSchema<Values>({
      schema: structuredClone(configSchema),
      data: { ...texts },
      env: false,
      ajv: { customOptions: (ajv) => ajv.addVocabulary(['expects', 'secret']) },
    });
    const wrong = findWrongValues(values, texts);
    if (wrong.length === 0) return values;
    issues.push(...wrong.map((name) => describeIssue(name, texts)));
  } catch (error) {
    const { errors } = error as { errors?: ErrorObject[] };
    if (!errors) throw error;
    const wrong = new Set(errors.map(({ instancePath }) => instancePath.slice(1) as ConfigName));
    issues.push(...[...wrong].map((name) => describeIssue(name, texts)));
  }
  return null;
}

/** Returns the variables that match their schema and are still not what they should be. */
function findWrongValues(values: Values, texts: Texts): ConfigName[] {
  const wrong: ConfigName[] = names.filter((name) => (texts[name]?.length ?? 0) > MAX_LENGTH);
  if (/^[0-9.]+$|:/.test(values.HOST) && isIP(values.HOST) === 0) wrong.push('HOST');
  if (values.PUBLIC_URL !== undefined && !URL.canParse(values.PUBLIC_URL)) wrong.push('PUBLIC_URL');
  if (values.CONSOLE_URL !== undefined && !URL.canParse(values.CONSOLE_URL)) wrong.push('CONSOLE_URL');
  if (!values.TRUST_PROXY.every(isBlock)) wrong.push('TRUST_PROXY');
  return wrong;
}

function describeIssue(name: ConfigName, texts: Texts): string {
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

/** Returns a sentence for each pair of values that cannot both be meant. */
function findContradictions(values: Values): string[] {
  const issues: string[] = [];
  if (values.METRICS_PORT === values.PORT && values.PORT !== 0)
    issues.push('METRICS_PORT must not be PORT: the metrics are for the operator, not for the public.');
  if (values.DATABASE_DIRECT_URL !== undefined && values.DATABASE_URL === undefined)
    issues.push('DATABASE_DIRECT_URL needs DATABASE_URL: it is the direct address of the same database.');
  if (isSameHost(values.CONSOLE_URL, values.PUBLIC_URL))
    issues.push('CONSOLE_URL must have another host than PUBLIC_URL, or must not be set.');
  for (const block of values.TRUST_PROXY.filter(isTooWide)) {
    issues.push(
      `TRUST_PROXY must not contain ${block}: it includes clients, who could then claim any address. Name the proxies themselves.`,
    );
  }
  if (values.NODE_ENV === 'production') {
    if (values.DEMO === 'on')
      issues.push('DEMO must not be `on` in production: every start would print an API key.');
    if (values.INSECURE_HOST === 'on')
      issues.push('INSECURE_HOST must not be `on` in production: it lifts what production requires.');
  }
  return issues;
}

function isSameHost(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return new URL(one).host === new URL(other).host;
}

/** The widest private networks are 10.0.0.0/8 and fc00::/7. */
function isTooWide(block: string): boolean {
  const [address = '', prefix] = block.split('/');
  if (prefix === undefined) return false;
  if (isIPv4(address)) return Number(prefix) < 8;
  // IPv4 addresses written as IPv6 have 96 bits in front.
  return Number(prefix) < (/^(0*:)*:?ffff:/i.test(address) ? 104 : 7);
}

/** Whether other machines can reach the service, and nobody said that this is meant. */
function isExposed({ HOST, INSECURE_HOST }: Values): boolean {
  return INSECURE_HOST === 'off' && !isLoopbackHost(HOST);
}

function checkForStrangers(texts: Texts): string[] {
  const issues = checkForProduction(texts, 'while HOST is not a loopback address');
  if (issues.length === 0) return [];
  const way =
    'To try the service out where no stranger can reach it, as in a container, set INSECURE_HOST=on instead.';
  return [...issues, way];
}

/** A key that somebody can guess lets them sign in as anybody. */
function checkSecretKey({ SECRET_KEY: key }: Texts): string[] {
  if (!key || key.length < SHORTEST_KEY || looksRandom(key)) return [];
  return ['SECRET_KEY must be random: `openssl rand -base64 32` makes a good one.'];
}

function checkForProduction(texts: Texts, when: string): string[] {
  const reasons = {
    DATABASE_URL: 'the embedded database is only for trying things out',
    SECRET_KEY: 'all processes must sign with the same key (`openssl rand -base64 32` generates one)',
    PUBLIC_URL: 'mails contain links to it',
    SMTP_URL: 'sign-in codes are sent by mail',
  };
  const issues = Object.entries(reasons)
    .filter(([name]) => !texts[name as ConfigName])
    .map(([name, reason]) => `${name} is required ${when}: ${reason}.`);
  issues.push(...checkSecretKey(texts));
  return issues;
}

/**
 * The developer's mailbox shows everyone's sign-in codes, so it exists only where everyone is the developer: with the
 * embedded database, and without any sign of a proxy or of a public address.
 */
function decideMails(values: Values): Config['mails'] {
  if (values.SMTP_URL !== undefined) return 'sent';
  const isShared =
    values.NODE_ENV === 'production' ||
    values.DATABASE_URL !== undefined ||
    values.TRUST_PROXY.length > 0 ||
    !isLoopbackUrl(values.PUBLIC_URL);
  return isShared ? 'kept' : 'shown';
}

function isLoopbackUrl(url: string | undefined): boolean {
  return url === undefined || isLoopbackHost(new URL(url).hostname);
}

function findWarnings(values: Values, mails: Config['mails']): string[] {
  const warnings: string[] = [];
  if (mails === 'kept') {
    warnings.push(
      'Mails are not sent, because SMTP_URL is not set. They wait in the database until a process with SMTP_URL sends them.',
    );
  }
  if (
    values.NODE_ENV === 'production' &&
    !isLoopbackUrl(values.PUBLIC_URL) &&
    values.PUBLIC_URL?.startsWith('http:')
  )
    warnings.push('PUBLIC_URL starts with http://: tokens and sign-in codes will travel unencrypted.');
  if (
    values.NODE_ENV === 'production' &&
    values.CONSOLE_URL === undefined &&
    !isLoopbackUrl(values.PUBLIC_URL)
  )
    warnings.push(
      'CONSOLE_URL is not set, so the console shares its host with the portal: a script that gets into a page there could act as the staff.',
    );
  return warnings;
}
