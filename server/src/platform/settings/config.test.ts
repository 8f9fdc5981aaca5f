import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test from 'node:test';
import { configSchema } from './config-variables.ts';
import { findMisspelt } from './misspelt-variables.ts';
import { type Config, ConfigRefused, readConfig, readEffective, readServiceConfig } from './config.ts';

const complete = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://db/loyalty',
  SECRET_KEY: 'o1Bc0QDrmYhmUcAKkxKs1wGq6aQZcCmAEYBLQjvQQvE=',
  PUBLIC_URL: 'https://club.example/',
  CONSOLE_URL: 'https://console.example/',
  SMTP_URL: 'smtp://mail.example',
  MAIL_FROM: 'points@club.example',
};

test('an empty environment gives a service for trying things out', () => {
  const config = readConfig({ PATH: '/bin', SMTP_URL: '' });
  assert.deepEqual(config, {
    production: false,
    cluster: null,
    port: 3000,
    host: '127.0.0.1',
    publicUrl: null,
    backups: { to: null, recipients: [], identity: null },
    consoleUrl: null,
    dataDir: resolve(import.meta.dirname, '../../../../data'),
    postgresBin: null,
    databaseUrl: null,
    databaseDirectUrl: null,
    databaseOwnerUrl: null,
    databasePoolSize: 10,
    preparedStatements: true,
    sealKey: null,
    sealPublish: { folders: [], addresses: [], everyHours: 24 },
    secretKey: null,
    otherSecretKeys: [],
    smtpUrl: null,
    mails: 'shown',
    demo: true,
    demoLanguage: 'en',
    sessionScope: 'installation',
    portalOffline: true,
    mailFrom: 'loyalty@localhost',
    mailHooks: { secret: null, sendgridKey: null, mailgunKey: null },
    rateLimits: { perKey: 1000, perUser: 10, perNetwork: 20 },
    unclaimedMonths: 24,
    orderLinesMonths: 24,
    invitationsPerDay: 10_000,
    undosPerDay: 100,
    webhooks: { ports: [443, 8443], loopback: false },
    sockets: { total: 10_000, perNetwork: 1000 },
    drainSeconds: 0,
    trustProxy: [],
    metricsPort: null,
    wallets: null,
    slowStatementMs: 1000,
    traces: null,
    accessLog: true,
    logLevel: 'info',
    logFormat: 'auto',
    warnings: [],
  });
});

test('every variable is in the configuration with its own type', () => {
  const config = readConfig({
    ...complete,
    PORT: '0',
    METRICS_PORT: '9090',
    DATABASE_POOL_SIZE: '25',
    PREPARED_STATEMENTS: 'off',
    RATE_LIMITS: 'off',
    INVITATIONS_PER_DAY: '0',
    TRUST_PROXY: '10.0.0.0/8,::1',
    DATABASE_DIRECT_URL: 'postgresql://direct/loyalty',
    DATA_DIR: '/srv/loyalty',
  });
  assert.equal(config.production, true);
  assert.equal(config.port, 0);
  assert.equal(config.metricsPort, 9090);
  assert.equal(config.databasePoolSize, 25);
  assert.equal(config.preparedStatements, false);
  assert.equal(config.rateLimits, null);
  assert.equal(config.invitationsPerDay, null);
  assert.deepEqual(config.trustProxy, ['10.0.0.0/8', '::1']);
  assert.equal(config.databaseDirectUrl, 'postgresql://direct/loyalty');
  assert.equal(config.dataDir, '/srv/loyalty');
  assert.equal(config.publicUrl, 'https://club.example');
});

test('in production all missing variables are reported at once, in one sentence each', () => {
  const issues = issuesOf({ NODE_ENV: 'production', PORT: 'http' });
  assert.equal(issues.length, 5);
  assert.equal(issues[0], 'PORT must be a port number from 0 to 65535, not "http".');
  for (const name of ['DATABASE_URL', 'SECRET_KEY', 'PUBLIC_URL', 'SMTP_URL']) {
    assert.ok(issues.some((issue) => issue.startsWith(`${name} is required in production: `)));
  }
});

for (const word of ['Production', 'prod', 'staging', 'PRODUCTION', 'development ']) {
  test(`NODE_ENV=${word} is refused, and the sentence says which words are allowed`, () => {
    assert.deepEqual(issuesOf({ NODE_ENV: word }), [
      `NODE_ENV must be \`development\`, \`production\` or \`test\`, not "${word}".`,
    ]);
  });
}

for (const host of ['0.0.0.0', '::', '192.168.1.5', 'loyalty.internal', '127.0.0.1.example', '128.0.0.1']) {
  test(`a service on HOST=${host} starts only with production's settings, or if INSECURE_HOST asks for it by name`, () => {
    const required = ['DATABASE_URL', 'SECRET_KEY', 'PUBLIC_URL', 'SMTP_URL'];
    const issues = issuesOf({ HOST: host }, readServiceConfig);
    assert.equal(issues.length, required.length + 1, issues.join('\n'));
    for (const [i, name] of required.entries())
      assert.match(issues[i]!, new RegExp(`^${name} is required while HOST is not a loopback address: `));
    assert.match(issues.at(-1)!, /INSECURE_HOST=on/);
    assert.deepEqual(issuesOf({ HOST: host, TRUST_PROXY: '10.0.0.1' }, readServiceConfig), issues);

    assert.equal(readServiceConfig({ HOST: host, INSECURE_HOST: 'on' }).demo, true);
    const { NODE_ENV: _, ...settings } = complete;
    assert.equal(readServiceConfig({ ...settings, HOST: host }).demo, false);
    // A command does not listen.
    assert.equal(readConfig({ HOST: host }).host, host);
  });
}

for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost']) {
  test(`a service on HOST=${host} starts without any settings`, () => {
    assert.equal(readServiceConfig({ HOST: host }).mails, 'shown');
  });
}

test('the demo is on with the embedded database, off with another, and not possible in production', () => {
  const databaseUrl = 'postgres://db/loyalty';
  assert.equal(readConfig({ DEMO: 'off' }).demo, false);
  assert.equal(readConfig({ DATABASE_URL: databaseUrl }).demo, false);
  assert.equal(readConfig({ DATABASE_URL: databaseUrl, DEMO: 'on' }).demo, true);
  assert.equal(readConfig(complete).demo, false);
  assert.deepEqual(issuesOf({ ...complete, DEMO: 'on' }), [
    'DEMO must not be `on` in production: every start would print an API key.',
  ]);
});

const MAILS: [Config['mails'], Record<string, string>][] = [
  ['shown', {}],
  ['shown', { PUBLIC_URL: 'http://localhost:3000' }],
  ['sent', { SMTP_URL: 'smtp://mail.example' }],
  ['kept', { DATABASE_URL: 'postgres://db/loyalty' }],
  ['kept', { DATABASE_URL: 'postgres://db/loyalty', DEMO: 'on' }],
  ['kept', { TRUST_PROXY: '127.0.0.1' }],
  ['kept', { PUBLIC_URL: 'https://club.example' }],
  ['kept', { PUBLIC_URL: 'http://localhost.example' }],
];
for (const [mails, env] of MAILS) {
  test(`with ${JSON.stringify(env)} mails are ${mails}`, () => {
    const config = readServiceConfig(env);
    assert.equal(config.mails, mails);
    const says = config.warnings.filter((warning) => warning.includes('Mails are not sent'));
    assert.equal(says.length, mails === 'kept' ? 1 : 0);
  });
}

const WEAK_KEYS = [
  'a'.repeat(32),
  'a'.repeat(1000),
  'ab'.repeat(40),
  'changeme'.repeat(4),
  '0123456789abcdef'.repeat(2),
  'abcdefghijklmnopqrstuvwxyz0123456789',
  'qwertyuiopasdfghjklzxcvbnm123456',
  'a secret of the tests, 32 characters',
  'this-is-the-production-secret-key-of-our-shop',
  'correct horse battery staple correct horse',
  'CHANGE_ME_CHANGE_ME_CHANGE_ME_123',
  '31415926535897932384626433832795',
  'Password1Password2Password3Password4',
  '0'.repeat(31) + 'x',
];
for (const key of WEAK_KEYS) {
  test(`the secret key ${key.slice(0, 40)} is refused in production, with a command that makes one`, () => {
    const says = ['SECRET_KEY must be random: `openssl rand -base64 32` makes a good one.'];
    assert.deepEqual(issuesOf({ ...complete, SECRET_KEY: key }), says);
    const { NODE_ENV: _, ...settings } = complete;
    assert.deepEqual(
      issuesOf({ ...settings, HOST: '0.0.0.0', SECRET_KEY: key }, readServiceConfig).slice(0, -1),
      says,
    );
    assert.equal(readServiceConfig({ SECRET_KEY: key }).secretKey, key);
  });
}

const CONTRADICTIONS: [Record<string, string>, RegExp][] = [
  [{ PORT: '4000', METRICS_PORT: '4000' }, /^METRICS_PORT must not be PORT: /],
  [{ METRICS_PORT: '3000' }, /^METRICS_PORT must not be PORT: /],
  [
    { PUBLIC_URL: 'https://club.example/a', CONSOLE_URL: 'https://club.example' },
    /^CONSOLE_URL must have another host than PUBLIC_URL/,
  ],
  [{ DATABASE_DIRECT_URL: 'postgres://db/loyalty' }, /^DATABASE_DIRECT_URL needs DATABASE_URL: /],
  [{ NODE_ENV: 'production', INSECURE_HOST: 'on' }, /^INSECURE_HOST must not be `on` in production: /],
  [{ NODE_ENV: 'production', WEBHOOK_LOOPBACK: 'on' }, /^WEBHOOK_LOOPBACK must not be `on` in production: /],
  [{ TRUST_PROXY: '0.0.0.0/0' }, /^TRUST_PROXY must not contain 0\.0\.0\.0\/0: /],
  [{ TRUST_PROXY: '10.0.0.1,::/0' }, /^TRUST_PROXY must not contain ::\/0: /],
  [{ TRUST_PROXY: '10.0.0.0/8,128.0.0.0/1' }, /^TRUST_PROXY must not contain 128\.0\.0\.0\/1: /],
  [{ TRUST_PROXY: '::ffff:0:0/96' }, /^TRUST_PROXY must not contain ::ffff:0:0\/96: /],
];
for (const [env, says] of CONTRADICTIONS) {
  test(`${JSON.stringify(env)} is refused with one sentence`, () => {
    const issues = issuesOf({ ...(env['NODE_ENV'] ? complete : {}), ...env });
    assert.equal(issues.length, 1, issues.join('\n'));
    assert.match(issues[0]!, says);
  });
}

test('a private network may be a trusted proxy, and two free ports may both be 0', () => {
  assert.equal(readConfig({ TRUST_PROXY: '10.0.0.0/8,fd00::/8,fc00::/7' }).trustProxy.length, 3);
  assert.equal(readConfig({ PORT: '0', METRICS_PORT: '0' }).metricsPort, 0);
});

test('a public address without TLS is warned of in production', () => {
  assert.deepEqual(readConfig(complete).warnings, []);
  assert.match(readConfig({ ...complete, PUBLIC_URL: 'http://club.example' }).warnings.join(), /^PUBLIC_URL/);
  assert.deepEqual(readConfig({ ...complete, PUBLIC_URL: 'http://127.0.0.1:3000' }).warnings, []);
  assert.match(readConfig({ ...complete, CONSOLE_URL: '' }).warnings.join(), /^CONSOLE_URL is not set/);
  assert.equal(readConfig(complete).consoleUrl, 'https://console.example');
});

test('a sender that mail servers refuse is warned of in production, and in development it is not', () => {
  assert.match(readConfig({ ...complete, MAIL_FROM: '' }).warnings.join(), /^MAIL_FROM is loyalty@localhost/);
  assert.deepEqual(readConfig({ ...complete, NODE_ENV: '', MAIL_FROM: '' }).warnings, []);
});

test('keys that are accepted besides SECRET_KEY are counted at each start, so that nobody forgets them', () => {
  const [one, other] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const warned = (keys: string) => readConfig({ ...complete, SECRET_KEY_ALSO: keys }).warnings.join();
  assert.match(warned(one), /^SECRET_KEY_ALSO holds another key/);
  assert.match(warned(`${one} ${other}`), /^SECRET_KEY_ALSO holds 2 other keys/);
});

const refused: [string, string][] = [
  ['DEMO', 'yes'],
  ['SESSION_SCOPE', 'commerces'],
  ['INSECURE_HOST', 'true'],
  ['HOST', '127.0.0.1 0.0.0.0'],
  ['HOST', 'http://localhost'],
  ['HOST', '0'],
  ['HOST', '2130706433'],
  ['PUBLIC_URL', 'https://'],
  ['PUBLIC_URL', 'https://user:word@club.example'],
  ['PUBLIC_URL', 'https://club .example'],
  ['DATA_DIR', 'x'.repeat(5000)],
  ['PORT', '65536'],
  ['PORT', '3000.5'],
  ['RATE_LIMITS', 'yes'],
  ['LOG_LEVEL', 'loud'],
  ['LOG_FORMAT', 'xml'],
  ['PUBLIC_URL', 'club.example'],
  ['CONSOLE_URL', 'https://club.example/console'],
  ['CONSOLE_URL', 'https://'],
  ['SMTP_URL', 'http://mail.example'],
  ['MAIL_FROM', 'Luna <luna@example.com>'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', '10.0.0.0/x'],
  ['TRUST_PROXY', 'everybody'],
  ['DATABASE_POOL_SIZE', '0'],
  ['WEBHOOK_PORTS', '0'],
  ['WEBHOOK_PORTS', '443;8443'],
  ['WEBHOOK_PORTS', '443,65536'],
  ['WEBHOOK_LOOPBACK', 'yes'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'x-key=100%'],
];
for (const [name, value] of refused) {
  test(`${name}=${value} is refused with exactly one sentence`, () => {
    const issues = issuesOf({ [name]: value });
    assert.equal(issues.length, 1);
    assert.ok(issues[0]?.startsWith(`${name} must be `), issues.join());
  });
}

test('all problems of a configuration are reported at once, those of single values and those between them', () => {
  assert.deepEqual(
    issuesOf({
      PORT: 'abc',
      LOG_LEVEL: 'loud',
      DATABASE_DIRECT_URL: 'postgres://db/x',
      SEAL_PUBLISH: 'mailto:a@b.example',
      TRUST_PROXY: '0.0.0.0/0',
      SECRET_KEY: 'a'.repeat(40),
      GOOGLE_WALLET_ISSUER_ID: '12',
    }).map((issue) => issue.split(/ (?:must|needs|names|and) /)[0]),
    [
      'PORT',
      'LOG_LEVEL',
      'DATABASE_DIRECT_URL',
      'SEAL_PUBLISH',
      'TRUST_PROXY',
      'SECRET_KEY',
      'GOOGLE_WALLET_KEY is not set, but passes for Google Wallet need it.',
      'Wallet passes need a PUBLIC_URL that starts with https://: phones fetch them from there.',
    ],
  );
  // A wrong value is there, so nothing else complains that it is missing.
  assert.deepEqual(issuesOf({ DATABASE_URL: 'mysql://db/x', DATABASE_DIRECT_URL: 'postgres://db/x' }), [
    'DATABASE_URL must be an address that starts with postgres://.',
  ]);
  const strangers = issuesOf({ HOST: '0.0.0.0', PORT: 'abc' }, readServiceConfig);
  assert.match(
    strangers.join(),
    /PORT must be .*DATABASE_URL is required while HOST is not a loopback address/,
  );
});

test('a variable that nearly has one of our names is said, without its value, also beside what is missing', () => {
  const [sentence, ...others] = readConfig({ SMPT_URL: 'smtp://u:hunter2@mail.example' }).warnings;
  assert.equal(
    sentence,
    'SMPT_URL is set, but there is no such variable. If SMTP_URL is meant, correct its name.',
  );
  assert.deepEqual(others, []);
  const { SMTP_URL, ...rest } = complete;
  assert.deepEqual(issuesOf({ ...rest, SMPT_URL: SMTP_URL }), [
    'SMTP_URL is required in production: sign-in codes are sent by mail.',
    sentence,
  ]);
});

for (const [name, meant] of [
  ['SMPT_URL', 'SMTP_URL'],
  ['TRUST_PROXYS', 'TRUST_PROXY'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['SECRET_KEY_FLIE', 'SECRET_KEY_FILE'],
  ['PUBLIC_URI', 'PUBLIC_URL'],
  ['DATADIR', 'DATA_DIR'],
  ['NOD_ENV', 'NODE_ENV'],
  ['LOG_LEVELS', 'LOG_LEVEL'],
] as const)
  test(`${name} is taken for ${meant}, unless that is set`, () => {
    assert.match(readConfig({ [name]: 'x' }).warnings.join(), new RegExp(`If ${meant} is meant`));
    assert.deepEqual(
      findMisspelt({ [name]: 'x', [meant]: 'y' }).filter((said) => said.includes(`If ${meant} `)),
      [],
    );
  });

test('variables of other programs are not taken for ours', () => {
  const others = [
    'PATH',
    'HOME',
    'HOST_NAME',
    'HOSTNAME',
    'PORTS',
    'DEMOS',
    'PGHOST',
    'PGPORT',
    'PGDATABASE',
    'PGDATA',
    'NODE_OPTIONS',
    'NODE_PATH',
    'LANG',
    'LOGNAME',
    'MAIL',
    'MAILTO',
    'OTEL_TRACES_SAMPLER',
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'OTEL_EXPORTER_OTLP_TIMEOUT',
    'KUBERNETES_PORT',
    'LOYALTY_SERVICE_PORT',
    'SMTP_HOST',
    'TRUST_STORE',
    'DATA',
    'LOG_FILE',
    'API_KEY',
    'DATABASE_HOST',
    'HTTP_PROXY',
    'SECRET',
    'INVOCATION_ID',
    'CREDENTIALS_DIRECTORY',
    'npm_config_port',
    'POSTGRES_DB',
    'BACKUP_DIR',
  ];
  assert.deepEqual(findMisspelt(Object.fromEntries(others.map((name) => [name, 'x']))), []);
  const own = Object.keys(configSchema.properties).flatMap((name) => [name, `${name}_FILE`]);
  assert.deepEqual(findMisspelt(Object.fromEntries([...own, 'ENV_FILE'].map((name) => [name, 'x']))), []);
  for (const name of own) assert.deepEqual(findMisspelt({ [name]: 'x' }), [], name);
});

test('an invalid secret is reported by name without its value', () => {
  assert.deepEqual(issuesOf({ SECRET_KEY: 'hunter2', DATABASE_URL: 'mysql://u:hunter2@h/d' }), [
    'DATABASE_URL must be an address that starts with postgres://.',
    'SECRET_KEY must be at least 32 characters.',
  ]);
});

test('a variable can come from a file, but not from a file and the environment', (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'port');
  writeFileSync(file, '4000\n');
  assert.equal(readConfig({ PORT_FILE: file }).port, 4000);
  assert.match(issuesOf({ PORT_FILE: file, PORT: '1' })[0] ?? '', /both set/);
  assert.match(issuesOf({ PORT_FILE: join(folder, 'none') })[0] ?? '', /cannot be read/);
});

test('every variable has one line for the docs', () => {
  const properties = configSchema.properties as unknown as Record<string, { description?: string }>;
  for (const [name, { description }] of Object.entries(properties)) {
    assert.match(description ?? '', /^[^\n]+\.$/, name);
  }
});

function issuesOf(env: Record<string, string>, read = readConfig): readonly string[] {
  try {
    read(env);
  } catch (error) {
    assert.ok(error instanceof ConfigRefused);
    return error.issues;
  }
  return assert.fail('nothing was refused');
}

function temporaryFolder(t: { after(run: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-config-'));
  chmodSync(folder, 0o700);
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('what is shown of an address has no part of a password that was not encoded', () => {
  for (const [url, shown] of [
    ['postgres://loyalty:secret@db/loyalty?sslpassword=secret', 'postgres://loyalty:redacted@db/loyalty'],
    ['postgres://loyalty:/secret@db/loyalty', '(set)'],
    ['postgres://loyalty:#secret@db/loyalty', '(set)'],
    ['postgres://loyalty:12/secret@db/loyalty', '(set)'],
    ['postgres://loyalty:12?secret@db/loyalty', '(set)'],
    ['postgres://loyalty:sec/ret@db/loyalty', '(set)'],
  ] as const)
    assert.equal(
      readEffective({ DATABASE_URL: url }).find(({ name }) => name === 'DATABASE_URL')!.value,
      shown,
      url,
    );
});
