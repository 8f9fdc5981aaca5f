import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { generateKeyPairSync } from 'node:crypto';
import {
  makeAuthority,
  makePassCertificate,
  makeVariables,
  type Certified,
} from '#test/wallets/certificates.ts';
import { type ConfigRefused, readConfig } from './config.ts';
import { checkWallets, type WalletVariables } from './wallet-settings.ts';

let good: WalletVariables;
let authority: Certified;

before(() => {
  const { authority: made, publicKey: _, ...variables } = makeVariables();
  good = variables;
  authority = made;
});

const now = new Date();
const DAY_MS = 86_400_000;

const without = (name: keyof WalletVariables): WalletVariables =>
  Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));

test('complete settings are taken, for one wallet or both', () => {
  const both = checkWallets(good, now);
  assert.deepEqual([both.issues, both.warnings], [[], []]);
  assert.equal(both.settings?.base, 'https://club.example');
  assert.equal(both.settings.apple?.teamId, 'ABCDE12345');
  assert.equal(both.settings.google?.email, 'club@example.iam.gserviceaccount.com');
  const { PUBLIC_URL, GOOGLE_WALLET_ISSUER_ID, GOOGLE_WALLET_KEY, ...apple } = good;
  const google = { PUBLIC_URL, GOOGLE_WALLET_ISSUER_ID, GOOGLE_WALLET_KEY } as WalletVariables;
  assert.equal(checkWallets({ ...apple, PUBLIC_URL } as WalletVariables, now).settings?.google, null);
  assert.equal(checkWallets(google, now).settings?.apple, null);
  assert.deepEqual(checkWallets({ PUBLIC_URL: 'http://localhost' }, now), {
    settings: null,
    issues: [],
    warnings: [],
  });
});

test('a PEM text may be in one line, as files of variables have it', () => {
  const oneLine = (text: string) => text.trim().replaceAll(/\r?\n/g, String.raw`\n`);
  const variables = {
    ...good,
    APPLE_PASS_CERTIFICATE: oneLine(good.APPLE_PASS_CERTIFICATE!),
    APPLE_PASS_KEY: oneLine(good.APPLE_PASS_KEY!),
  };
  assert.deepEqual(checkWallets(variables, now).settings, checkWallets(good, now).settings);
});

test('each fault is one sentence', () => {
  const other = makePassCertificate(authority);
  const stranger = makeAuthority('Another Intermediate');
  const encrypted = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
  }).privateKey;
  const { privateKey: curve } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cases: [WalletVariables, RegExp][] = [
    [without('APPLE_TEAM_ID'), /^APPLE_TEAM_ID is not set, but passes for Apple Wallet need it\.$/],
    [without('GOOGLE_WALLET_KEY'), /^GOOGLE_WALLET_KEY is not set, but passes for Google Wallet need it\.$/],
    [without('PUBLIC_URL'), /^Wallet passes need a PUBLIC_URL that starts with https:\/\//],
    [{ ...good, PUBLIC_URL: 'http://club.example' }, /^Wallet passes need a PUBLIC_URL/],
    [
      { ...good, APPLE_PASS_KEY: other.key },
      /^APPLE_PASS_KEY is not the private key of APPLE_PASS_CERTIFICATE\.$/,
    ],
    [{ ...good, APPLE_PASS_KEY: encrypted }, /^APPLE_PASS_KEY has a passphrase/],
    [
      { ...good, APPLE_PASS_KEY: curve.export({ type: 'pkcs8', format: 'pem' }) },
      /^APPLE_PASS_KEY must be an RSA/,
    ],
    [{ ...good, APPLE_PASS_KEY: 'x' }, /^APPLE_PASS_KEY must be an RSA/],
    [{ ...good, APPLE_PASS_CERTIFICATE: 'x' }, /^APPLE_PASS_CERTIFICATE cannot be read as a PEM/],
    [{ ...good, APPLE_WWDR_CERTIFICATE: 'x' }, /^APPLE_WWDR_CERTIFICATE cannot be read as a PEM/],
    [{ ...good, APPLE_WWDR_CERTIFICATE: stranger.certificate }, /^APPLE_WWDR_CERTIFICATE has not signed/],
    [
      { ...good, APPLE_PASS_TYPE_ID: 'pass.other' },
      /^APPLE_PASS_CERTIFICATE is for pass\.example\.club, but APPLE_PASS_TYPE_ID is pass\.other\.$/,
    ],
    [{ ...good, APPLE_TEAM_ID: 'ZZZZZ00000' }, /^APPLE_PASS_CERTIFICATE belongs to the team ABCDE12345, but/],
    [
      { ...good, GOOGLE_WALLET_KEY: '{}' },
      /^GOOGLE_WALLET_KEY must be the JSON key file of a service account/,
    ],
    [{ ...good, GOOGLE_WALLET_KEY: '{' }, /^GOOGLE_WALLET_KEY must be the JSON key file/],
    [
      {
        ...good,
        GOOGLE_WALLET_KEY: JSON.stringify({
          type: 'service_account',
          client_email: 'a@b.c',
          private_key: 'x',
        }),
      },
      /^The private_key in GOOGLE_WALLET_KEY cannot be read/,
    ],
  ];
  for (const [variables, sentence] of cases) {
    const { settings, issues } = checkWallets(variables, now);
    assert.equal(settings, null);
    assert.equal(issues.length, 1, issues.join('\n'));
    assert.match(issues[0]!, sentence);
    assert.ok(!issues[0]!.includes('PRIVATE KEY'), 'a secret');
  }
});

test('an expired certificate warns, and one that is about to expire warns too', () => {
  const withDays = (days: number) => {
    const { certificate, key } = makePassCertificate(authority, { days });
    return checkWallets({ ...good, APPLE_PASS_CERTIFICATE: certificate, APPLE_PASS_KEY: key }, now);
  };
  const expired = withDays(-1);
  assert.deepEqual(expired.issues, []);
  assert.match(
    expired.warnings[0]!,
    /^The certificates of Apple Wallet expired on \d{4}-\d\d-\d\d\. Its passes are hidden/,
  );
  assert.ok(expired.settings!.apple!.expiresAt < now);
  assert.match(
    withDays(29).warnings[0]!,
    /^The certificates of Apple Wallet expire on \d{4}-\d\d-\d\d: renew/,
  );
  assert.deepEqual(withDays(32).warnings, []);
  const intermediate = makeAuthority('Old Intermediate', 10);
  const { certificate, key } = makePassCertificate(intermediate);
  const soon = checkWallets(
    {
      ...good,
      APPLE_PASS_CERTIFICATE: certificate,
      APPLE_PASS_KEY: key,
      APPLE_WWDR_CERTIFICATE: intermediate.certificate,
    },
    new Date(now.getTime() + 11 * DAY_MS),
  );
  assert.match(soon.warnings[0]!, /expired on/);
});

test('TLS connections can be opened after the check', async () => {
  const script = `
    import { checkWallets } from '${new URL('wallet-settings.ts', import.meta.url).href}';
    checkWallets(JSON.parse(process.env.VARIABLES), new Date());
    await fetch('https://127.0.0.1:9443').catch((error) => console.log(error.cause.code));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, VARIABLES: JSON.stringify(good) },
  });
  assert.equal(stdout.trim(), 'ECONNREFUSED');
});

test('the configuration refuses what is wrong and keeps secrets out of its sentences', () => {
  assert.equal(readConfig({ ...good }).wallets?.apple?.passTypeId, 'pass.example.club');
  const issuesOf = (env: Record<string, string>) => {
    try {
      readConfig(env);
      return [];
    } catch (error) {
      return (error as ConfigRefused).issues;
    }
  };
  assert.deepEqual(issuesOf({ APPLE_PASS_TYPE_ID: 'club', APPLE_PASS_KEY: 'secret' }), [
    'APPLE_PASS_TYPE_ID must be a pass type identifier that starts with `pass.`, not "club".',
    'APPLE_PASS_KEY must be a private key in PEM format.',
  ]);
  assert.deepEqual(issuesOf({ GOOGLE_WALLET_KEY: 'secret', GOOGLE_WALLET_ISSUER_ID: 'x' }), [
    'GOOGLE_WALLET_ISSUER_ID must be an issuer ID of digits, not "x".',
    'GOOGLE_WALLET_KEY must be the JSON key file of a service account.',
  ]);
});
