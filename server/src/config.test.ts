import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test from 'node:test';
import { ConfigRefused, configSchema, readConfig, readSecretKey } from './config.ts';

const complete = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://db/loyalty',
  SECRET_KEY: 'k'.repeat(32),
  PUBLIC_URL: 'https://club.example/',
  SMTP_URL: 'smtp://mail.example',
};

test('an empty environment gives a service for trying things out', () => {
  const config = readConfig({ PATH: '/bin', SMTP_URL: '' });
  assert.deepEqual(config, {
    production: false,
    port: 3000,
    host: '127.0.0.1',
    publicUrl: null,
    dataDir: resolve(import.meta.dirname, '../../data'),
    databaseUrl: null,
    databaseDirectUrl: null,
    databasePoolSize: 10,
    preparedStatements: true,
    secretKey: null,
    smtpUrl: null,
    mailFrom: 'loyalty@localhost',
    rateLimits: { perKey: 1000, perUser: 10, perNetwork: 20 },
    sockets: { total: 10_000, perNetwork: 1000 },
    drainSeconds: 0,
    trustProxy: [],
    metricsPort: null,
    logLevel: 'info',
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

const refused: [string, string][] = [
  ['PORT', '65536'],
  ['PORT', '3000.5'],
  ['RATE_LIMITS', 'yes'],
  ['LOG_LEVEL', 'loud'],
  ['PUBLIC_URL', 'club.example'],
  ['SMTP_URL', 'http://mail.example'],
  ['MAIL_FROM', 'Luna <luna@example.com>'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', '10.0.0.0/x'],
  ['TRUST_PROXY', 'everybody'],
  ['DATABASE_POOL_SIZE', '0'],
];
for (const [name, value] of refused) {
  test(`${name}=${value} is refused with exactly one sentence`, () => {
    const issues = issuesOf({ [name]: value });
    assert.equal(issues.length, 1);
    assert.ok(issues[0]?.startsWith(`${name} must be `), issues.join());
  });
}

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

test('without SECRET_KEY a key is generated once and kept in a file that only its owner can read', (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  const config = readConfig({ DATA_DIR: dataDir });
  const key = readSecretKey(config);
  assert.ok(key.length >= 32);
  assert.equal(readSecretKey(config), key);
  assert.equal(readFileSync(join(dataDir, 'secret-key'), 'utf8'), key);
  assert.equal(statSync(join(dataDir, 'secret-key')).mode & 0o777, 0o600);
  assert.equal(readSecretKey({ ...config, secretKey: 'given' }), 'given');
});

test('every variable has one line for the docs', () => {
  const properties = configSchema.properties as unknown as Record<string, { description?: string }>;
  for (const [name, { description }] of Object.entries(properties)) {
    assert.match(description ?? '', /^[^\n]+\.$/, name);
  }
});

function issuesOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
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
