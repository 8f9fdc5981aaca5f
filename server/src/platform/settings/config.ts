/**
 * The configuration. It is read once from the environment, checked as a whole and passed on as a value. Every
 * variable can also come from a file: `PORT_FILE` names a file with the value of `PORT`. `config-variables.ts` lists them.
 */
import type { Language } from '#text/language.ts';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import type { Static } from 'typebox';
import { Value } from 'typebox/value';
import { isLoopbackHost } from '#text/loopback.ts';
import { configSchema, SHORTEST_KEY, type ConfigName } from './config-variables.ts';
import { findMisspelt } from './misspelt-variables.ts';
import { checkout, readSettingText } from './setting-text.ts';
import { Refusal } from '#base/refusal.ts';
import { readPublicKey, type MailHookSettings } from './mail-hook-settings.ts';
import { normaliseEmail } from '#text/email-address.ts';
import { looksRandom } from '#text/secret-strength.ts';
import { checkWallets, type WalletSettings } from './wallet-settings.ts';

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
  /** The folder with the programs of another PostgreSQL for the embedded database. Null means those that npm has installed. */
  readonly postgresBin: string | null;
  /** Null means the embedded database. */
  readonly databaseUrl: string | null;
  /** The address that bypasses the pooler. Null means the embedded database. */
  readonly databaseDirectUrl: string | null;
  /** The direct address by the role that owns the tables. Null if there is one role only. */
  readonly databaseOwnerUrl: string | null;
  readonly databasePoolSize: number;
  readonly preparedStatements: boolean;
  /** Null if the database is one server. */
  readonly cluster: 'citus' | null;
  /** Use `readSecretKeys(config)`, which also finds a generated key. */
  readonly secretKey: string | null;
  /** Other keys that are accepted. */
  readonly otherSecretKeys: readonly string[];
  /** Use `readSealKey(config)`. */
  readonly sealKey: string | null;
  /** Where the heads of the sealed history are sent. */
  readonly sealPublish: {
    /** Absolute paths. */
    readonly folders: readonly string[];
    readonly addresses: readonly string[];
    readonly everyHours: number;
  };
  readonly smtpUrl: string | null;
  /** `shown`: in the developer's mailbox. `kept`: they wait in the database until another process sends them. */
  readonly mails: 'sent' | 'shown' | 'kept';
  /** Whether a database without any commerce gets the demo. */
  readonly demo: boolean;
  /** The language of a new demo's own texts. */
  readonly demoLanguage: Language;
  readonly sessionScope: 'installation' | 'commerce';
  /** Whether the members' pages have a service worker. */
  readonly portalOffline: boolean;
  readonly mailFrom: string;
  readonly mailHooks: MailHookSettings;
  /** Requests per second, 0 for no limit. Null if all of these limits are lifted. */
  readonly rateLimits: {
    readonly perKey: number;
    readonly perUser: number;
    readonly perNetwork: number;
  } | null;
  /** Where webhooks may be sent to. `loopback` allows receivers on this machine, to try webhooks out. */
  readonly webhooks: { readonly ports: readonly number[]; readonly loopback: boolean };
  /** 0 means that they are never erased. */
  readonly unclaimedMonths: number;
  /** Months for which the lines of orders are kept; 0 means for ever. */
  readonly orderLinesMonths: number;
  /** Null means no limit. */
  readonly invitationsPerDay: number | null;
  /** Uses of codes that a key may undo on a day; null means no limit. */
  readonly undosPerDay: number | null;
  /** Open connections, 0 for no limit. */
  readonly sockets: { readonly total: number; readonly perNetwork: number };
  readonly drainSeconds: number;
  /** Addresses and CIDR blocks. If empty, no proxy is trusted. */
  readonly trustProxy: readonly string[];
  readonly metricsPort: number | null;
  readonly backups: {
    /** A folder or a bucket. Null if none is set. */
    readonly to: string | null;
    readonly recipients: readonly string[];
    /** The content of a key file. Null if none is set. */
    readonly identity: string | null;
  };
  /** Null if no wallet is configured. */
  readonly wallets: WalletSettings | null;
  /** Statements that take longer are logged. Null if none are. */
  readonly slowStatementMs: number | null;
  /** Null if nothing is traced. */
  readonly traces: TraceSettings | null;
  readonly accessLog: boolean;
  readonly logLevel: string;
  readonly logFormat: 'auto' | 'json' | 'pretty';
  /** Sentences for the log: what works, but is probably not meant. */
  readonly warnings: readonly string[];
}

/** Where traces are sent, and how many. */
export interface TraceSettings {
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** From 0 to 1. */
  readonly share: number;
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

/**
 * Reads the configuration of a command from the environment. An empty variable counts as not set.
 * @throws ConfigRefused
 */
export function readConfig(env: Env): Config {
  return read(env, 'command');
}

/**
 * Reads the configuration of a process that serves HTTP, or of the one that prepares the database for several that do. Production's checks
 * also apply if other machines can reach them.
 * @throws ConfigRefused
 */
export function readServiceConfig(env: Env, use: 'service' | 'preparation' = 'service'): Config {
  return read(env, use);
}

/** Names the language that `DEMO` says, else that of the person's system, if there is a demo in it. */
function demoLanguageOf(demo: string | undefined, env: Env): Config['demoLanguage'] {
  if (demo === 'en' || demo === 'es') return demo;
  return /^es(?![a-z])/i.test(env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '') ? 'es' : 'en';
}

/** A variable as the program understands it, without secrets. */
export interface EffectiveVariable {
  readonly name: ConfigName;
  /** Null if it is not set and has no default. A secret is `(set)`, and an address stands without its password. */
  readonly value: string | null;
  readonly from: 'environment' | 'file' | 'default';
}

/** Returns all variables with their values, whether or not these are valid. */
export function readEffective(env: Env): EffectiveVariable[] {
  const texts = readTexts(env, []);
  return names.map((name) => {
    const { secret = false, default: fallback } = configSchema.properties[name] as {
      secret?: boolean;
      default?: string | number;
    };
    const text = texts[name];
    if (text === undefined)
      return {
        name,
        value: fallback === undefined ? null : String(fallback),
        from: 'default',
      };
    return { name, value: redact(text, secret), from: env[name] ? 'environment' : 'file' };
  });
}

function redact(text: string, secret: boolean): string {
  if (!URL.canParse(text) || !/^[a-z]+:\/\//.test(text)) return secret ? '(set)' : text;
  const url = new URL(text);
  if (url.password !== '') url.password = 'redacted';
  if (!secret) return url.href;
  // A password that is not encoded may have ended the address before its @, and stands behind it then.
  if (`${url.pathname}${url.search}${url.hash}`.includes('@')) return '(set)';
  // A password may stand there, too.
  url.search = '';
  url.hash = '';
  return url.href;
}

type Use = 'command' | 'service' | 'preparation';

function read(env: Env, use: Use): Config {
  const issues: string[] = [];
  const texts = readTexts(env, issues);
  const { values, wrong } = checkTexts(texts);
  issues.push(...wrong.map((name) => describeIssue(name, texts)));
  // A value that seems to be missing beside a wrong one may not be.
  const isAbout = (name: ConfigName) => (sentence: string) => new RegExp(`\\b${name}\\b`).test(sentence);
  const unlessWrong = (sentence: string) => !wrong.some((name) => isAbout(name)(sentence));
  issues.push(...findContradictions(values).filter(unlessWrong));
  if (texts.NODE_ENV === 'production') issues.push(...checkForProduction(texts, 'in production'));
  else if (use !== 'command' && isExposed(values)) issues.push(...checkForStrangers(texts));
  else if (texts.TRUST_PROXY) issues.push(...checkSecretKey(texts));
  const wallets = checkWallets(values, new Date());
  issues.push(...wallets.issues.filter(unlessWrong));
  const misspelt = findMisspelt(env);
  if (issues.length > 0) throw new ConfigRefused([...issues, ...misspelt]);
  const mails = decideMails(values);
  return {
    production: values.NODE_ENV === 'production',
    port: values.PORT,
    host: values.HOST,
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    consoleUrl: values.CONSOLE_URL?.replace(/\/+$/, '') ?? null,
    dataDir: resolve(checkout, values.DATA_DIR),
    postgresBin: values.POSTGRES_BIN ?? null,
    databaseUrl: values.DATABASE_URL ?? null,
    databaseDirectUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL ?? null,
    databaseOwnerUrl: values.DATABASE_OWNER_URL ?? null,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    preparedStatements: values.PREPARED_STATEMENTS === 'on',
    cluster: values.CLUSTER === 'citus' ? 'citus' : null,
    secretKey: values.SECRET_KEY ?? null,
    otherSecretKeys: readOtherKeys(values.SECRET_KEY_ALSO),
    sealKey: values.SEAL_KEY ?? null,
    sealPublish: {
      folders: values.SEAL_PUBLISH.filter((to) => !to.startsWith('mailto:')).map((to) =>
        resolve(checkout, to),
      ),
      addresses: values.SEAL_PUBLISH.filter((to) => to.startsWith('mailto:')).map((to) =>
        normaliseEmail(to.slice(7))!,
      ),
      everyHours: values.SEAL_PUBLISH_HOURS,
    },
    smtpUrl: values.SMTP_URL ?? null,
    mails,
    demo: (values.DEMO ?? (values.DATABASE_URL === undefined ? 'on' : 'off')) !== 'off',
    demoLanguage: demoLanguageOf(values.DEMO, env),
    sessionScope: values.SESSION_SCOPE as Config['sessionScope'],
    portalOffline: values.PORTAL_OFFLINE === 'on',
    mailFrom: values.MAIL_FROM,
    mailHooks: {
      secret: values.MAIL_HOOK_SECRET ?? null,
      sendgridKey: values.MAIL_HOOK_SENDGRID_KEY ?? null,
      mailgunKey: values.MAIL_HOOK_MAILGUN_KEY ?? null,
    },
    rateLimits:
      values.RATE_LIMITS === 'on'
        ? {
            perKey: values.RATE_LIMIT_KEY,
            perUser: values.RATE_LIMIT_USER,
            perNetwork: values.RATE_LIMIT_NETWORK,
          }
        : null,
    webhooks: {
      ports: values.WEBHOOK_PORTS.map(Number),
      loopback: values.WEBHOOK_LOOPBACK === 'on',
    },
    unclaimedMonths: values.UNCLAIMED_MONTHS,
    orderLinesMonths: values.ORDER_LINES_MONTHS,
    invitationsPerDay: values.INVITATIONS_PER_DAY === 0 ? null : values.INVITATIONS_PER_DAY,
    undosPerDay: values.UNDOS_PER_DAY === 0 ? null : values.UNDOS_PER_DAY,
    sockets: { total: values.CONNECTION_LIMIT, perNetwork: values.CONNECTION_LIMIT_NETWORK },
    backups: {
      to: values.BACKUP_TO ?? null,
      recipients: values.BACKUP_RECIPIENTS,
      identity: values.BACKUP_IDENTITY ?? null,
    },
    drainSeconds: values.DRAIN_SECONDS ?? (values.NODE_ENV === 'production' ? 5 : 0),
    trustProxy: values.TRUST_PROXY,
    metricsPort: values.METRICS_PORT ?? null,
    wallets: wallets.settings,
    slowStatementMs: values.SLOW_STATEMENT_MS === 0 ? null : values.SLOW_STATEMENT_MS,
    traces: readTraceSettings(values),
    accessLog: values.ACCESS_LOG === 'on',
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT as Config['logFormat'],
    warnings: [...misspelt, ...findWarnings(values, mails, use), ...wallets.warnings],
  };
}

type Env = Readonly<Record<string, string | undefined>>;
type Texts = Partial<Record<ConfigName, string>>;
type Values = Omit<Static<typeof configSchema>, Separated> & Record<Separated, string[]>;

/** Variables that hold several values, with commas between them. */
const SEPARATED = ['TRUST_PROXY', 'WEBHOOK_PORTS', 'SEAL_PUBLISH', 'BACKUP_RECIPIENTS'] as const;
type Separated = (typeof SEPARATED)[number];

const MAX_LENGTH = 4096;

function readTexts(env: Env, issues: string[]): Texts {
  const texts: Texts = {};
  for (const name of names) {
    const file = env[`${name}_FILE`];
    if (env[name] && file) {
      issues.push(`${name} and ${name}_FILE are both set: remove one of them.`);
      continue;
    }
    const text = readSettingText(env, name);
    if (text === null) issues.push(`${name}_FILE is ${file}, but that file is empty or cannot be read.`);
    else if (text !== undefined) texts[name] = text;
  }
  return texts;
}

/** Validates the variables. Those that are wrong have their defaults in `values`, so that the rest can be checked in the same start. */
function checkTexts(texts: Texts): { values: Values; wrong: readonly ConfigName[] } {
  const wrong = new Set<ConfigName>();
  for (;;) {
    const data = Object.fromEntries(Object.entries(texts).filter(([name]) => !wrong.has(name as ConfigName)));
    const found = readValues(data);
    const more = Array.isArray(found) ? found : findWrongValues(found, data);
    if (!Array.isArray(found) && more.length === 0)
      return { values: found, wrong: names.filter((name) => wrong.has(name)) };
    for (const name of more) wrong.add(name);
  }
}

/** Returns the values, or the names of the variables that are invalid. */
function readValues(texts: Texts): Values | ConfigName[] {
  const values: Record<string, unknown> = {};
  for (const name of names) values[name] = readValue(name, texts[name]);
  const isWrong = (name: ConfigName) =>
    values[name] !== undefined && !Value.Check(configSchema.properties[name], values[name]);
  const wrong = names.filter(isWrong);
  if (wrong.length > 0) return wrong;
  for (const name of SEPARATED) {
    const text = values[name] as string;
    values[name] = text === '' ? [] : text.split(',');
  }
  return values as unknown as Values;
}

/** Returns what a text stands for, or the default if there is none. What should be a number and is none stays a text. */
function readValue(name: ConfigName, text: string | undefined): unknown {
  const schema = configSchema.properties[name] as { readonly type: string; readonly default?: unknown };
  if (text === undefined) return schema.default;
  const isNumber = schema.type !== 'string' && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

/** Returns the variables that match their schema and are still not what they should be. */
function findWrongValues(values: Values, texts: Texts): ConfigName[] {
  const wrong: ConfigName[] = names.filter((name) => (texts[name]?.length ?? 0) > MAX_LENGTH);
  if (/^[0-9.]+$|:/.test(values.HOST) && isIP(values.HOST) === 0) wrong.push('HOST');
  if (values.PUBLIC_URL !== undefined && !URL.canParse(values.PUBLIC_URL)) wrong.push('PUBLIC_URL');
  if (values.CONSOLE_URL !== undefined && !URL.canParse(values.CONSOLE_URL)) wrong.push('CONSOLE_URL');
  if (!values.TRUST_PROXY.every(isBlock)) wrong.push('TRUST_PROXY');
  if (!values.WEBHOOK_PORTS.every(isPort)) wrong.push('WEBHOOK_PORTS');
  if (!values.SEAL_PUBLISH.every(isDestination)) wrong.push('SEAL_PUBLISH');
  if (!values.BACKUP_RECIPIENTS.every((key) => key.startsWith('age1'))) wrong.push('BACKUP_RECIPIENTS');
  if (values.MAIL_HOOK_SENDGRID_KEY !== undefined && !isPublicKey(values.MAIL_HOOK_SENDGRID_KEY))
    wrong.push('MAIL_HOOK_SENDGRID_KEY');
  if (!headersOf(values).every(([, value]) => isEncoded(value))) wrong.push('OTEL_EXPORTER_OTLP_HEADERS');
  return wrong;
}

function describeIssue(name: ConfigName, texts: Texts): string {
  const { expects, secret } = configSchema.properties[name] as unknown as {
    expects: string;
    secret?: boolean;
  };
  const text = texts[name] ?? '';
  // A secret key in the place of a public one.
  const isSecret = secret === true || /AGE-SECRET-KEY-/i.test(text);
  return `${name} must be ${expects}${isSecret ? '' : `, not "${text}"`}.`;
}

function isPublicKey(text: string): boolean {
  try {
    return readPublicKey(text).asymmetricKeyType === 'ec';
  } catch {
    return false;
  }
}

/** A folder, or a `mailto:` address. */
function isDestination(text: string): boolean {
  if (!text.startsWith('mailto:')) return text !== '' && !/^[a-z][a-z0-9+.-]+:/i.test(text);
  return normaliseEmail(text.slice(7)) !== null;
}

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
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

/** Returns the names of the headers of traces, with their encoded values. */
function headersOf({ OTEL_EXPORTER_OTLP_HEADERS: headers }: Values): [name: string, value: string][] {
  return (headers?.split(',') ?? []).map((header) => {
    const [name = '', ...value] = header.split('=');
    return [name, value.join('=').trim()];
  });
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function readTraceSettings(values: Values): TraceSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = values;
  if (endpoint === undefined) return null;
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    headers: Object.fromEntries(headersOf(values).map(([name, value]) => [name, decodeURIComponent(value)])),
    serviceName: values.OTEL_SERVICE_NAME,
    share: values.OTEL_TRACES_SAMPLER_ARG,
  };
}

/** Returns a sentence for each pair of values that cannot both be meant. */
function findContradictions(values: Values): string[] {
  const issues: string[] = [];
  if (values.METRICS_PORT === values.PORT && values.PORT !== 0)
    issues.push('METRICS_PORT must not be PORT: the metrics are for the operator, not for the public.');
  if (values.DATABASE_DIRECT_URL !== undefined && values.DATABASE_URL === undefined)
    issues.push('DATABASE_DIRECT_URL needs DATABASE_URL: it is the direct address of the same database.');
  if (values.DATABASE_OWNER_URL !== undefined && values.DATABASE_URL === undefined)
    issues.push(
      'DATABASE_OWNER_URL needs DATABASE_URL: it is the address of the same database by another role.',
    );
  if (values.SEAL_PUBLISH.some((to) => to.startsWith('mailto:')) && values.SMTP_URL === undefined)
    issues.push('SEAL_PUBLISH names an address, so SMTP_URL must be set.');
  if (isSameHost(values.CONSOLE_URL, values.PUBLIC_URL))
    issues.push('CONSOLE_URL must have another host than PUBLIC_URL, or must not be set.');
  for (const block of values.TRUST_PROXY.filter(isTooWide)) {
    issues.push(
      `TRUST_PROXY must not contain ${block}: it includes clients, who could then claim any address. Name the proxies themselves.`,
    );
  }
  if (values.NODE_ENV === 'production') {
    if (values.DEMO !== undefined && values.DEMO !== 'off')
      issues.push(`DEMO must not be \`${values.DEMO}\` in production: every start would print an API key.`);
    if (values.INSECURE_HOST === 'on')
      issues.push('INSECURE_HOST must not be `on` in production: it lifts what production requires.');
    if (values.WEBHOOK_LOOPBACK === 'on')
      issues.push(
        'WEBHOOK_LOOPBACK must not be `on` in production: a shop could reach what runs on this machine.',
      );
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
function checkSecretKey({ SECRET_KEY: key, SECRET_KEY_ALSO: others }: Texts): string[] {
  const isWeak = (text: string) => text.length >= SHORTEST_KEY && !looksRandom(text);
  return [
    ...(key && isWeak(key) ? ['SECRET_KEY must be random: `openssl rand -base64 32` makes a good one.'] : []),
    ...(readOtherKeys(others).some(isWeak)
      ? ['SECRET_KEY_ALSO must be random, because it opens what SECRET_KEY opens.']
      : []),
  ];
}

function readOtherKeys(text = ''): string[] {
  return text.split(/\s+/).filter((key) => key !== '');
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

function findWarnings(values: Values, mails: Config['mails'], use: Use): string[] {
  const warnings: string[] = [];
  if (use === 'service' && values.DATABASE_OWNER_URL !== undefined)
    warnings.push(
      'DATABASE_OWNER_URL is set for a process that serves and never uses it: whoever gets into the process could switch off the guards of the ledger. Set it only for `loyalty migrate`, `restore`, `partition` and `distribute`.',
    );
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
  if (values.NODE_ENV === 'production' && mails === 'sent' && values.MAIL_FROM.endsWith('@localhost'))
    warnings.push(
      `MAIL_FROM is ${values.MAIL_FROM}, which mail servers refuse: nobody will get a sign-in code. It must be an address of your domain.`,
    );
  const others = readOtherKeys(values.SECRET_KEY_ALSO).length;
  if (others > 0)
    warnings.push(
      `SECRET_KEY_ALSO holds ${others === 1 ? 'another key' : `${others} other keys`} that can do what SECRET_KEY can: remove what is no longer needed, and at once what has leaked.`,
    );
  return warnings;
}
