/** The settings of wallet passes: the certificates of Apple and the service account of Google, checked against each other. */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

/** The keys that sign Apple’s passes and open the connection over which their updates are announced. */
export interface AppleSettings {
  readonly passTypeId: string;
  readonly teamId: string;
  /** All three as PEM. */
  readonly certificate: string;
  readonly key: string;
  readonly intermediate: string;
  /** The earlier end of the two certificates. Passes that are signed later are refused by phones. */
  readonly expiresAt: Date;
}

/** The service account that signs Google’s links and updates its passes. */
export interface GoogleSettings {
  readonly issuerId: string;
  readonly email: string;
  readonly keyId: string;
  /** PKCS #8 as PEM. */
  readonly key: string;
}

export interface WalletSettings {
  /** The address of the service that phones use, without a trailing slash. */
  readonly base: string;
  readonly apple: AppleSettings | null;
  readonly google: GoogleSettings | null;
}

/** The variables of this part of the configuration. */
export interface WalletVariables {
  readonly PUBLIC_URL?: string;
  readonly APPLE_PASS_TYPE_ID?: string;
  readonly APPLE_TEAM_ID?: string;
  readonly APPLE_PASS_CERTIFICATE?: string;
  readonly APPLE_PASS_KEY?: string;
  readonly APPLE_WWDR_CERTIFICATE?: string;
  readonly GOOGLE_WALLET_ISSUER_ID?: string;
  readonly GOOGLE_WALLET_KEY?: string;
}

/** The settings, with one sentence for each fault. */
export interface CheckedWallets {
  /** Null if no wallet is configured. */
  readonly settings: WalletSettings | null;
  /** Faults that somebody made. The service does not start with them. */
  readonly issues: readonly string[];
  /** Faults that time made. They hide the passes, but must not keep a till from starting. */
  readonly warnings: readonly string[];
}

const WARN_DAYS = 30;
const DAY_MS = 86_400_000;

/** Checks all variables of wallets together. `now` is the time of this machine. */
export function checkWallets(values: WalletVariables, now: Date): CheckedWallets {
  const issues: string[] = [];
  const apple = checkApple(values, issues);
  const google = checkGoogle(values, issues);
  const base = values.PUBLIC_URL?.replace(/\/+$/, '') ?? null;
  const isAsked = [...APPLE_NAMES, ...GOOGLE_NAMES].some((name) => values[name] !== undefined);
  if (isAsked && base?.startsWith('https://') !== true) {
    issues.push('Wallet passes need a PUBLIC_URL that starts with https://: phones fetch them from there.');
  }
  if (issues.length > 0 || (apple === null && google === null) || base === null)
    return { settings: null, issues, warnings: [] };
  const warnings = apple === null ? [] : warnOfEnd(apple.expiresAt, now);
  return { settings: { base, apple, google }, issues, warnings };
}

const APPLE_NAMES = [
  'APPLE_PASS_TYPE_ID',
  'APPLE_TEAM_ID',
  'APPLE_PASS_CERTIFICATE',
  'APPLE_PASS_KEY',
  'APPLE_WWDR_CERTIFICATE',
] as const;
const GOOGLE_NAMES = ['GOOGLE_WALLET_ISSUER_ID', 'GOOGLE_WALLET_KEY'] as const;

function checkApple(values: WalletVariables, issues: string[]): AppleSettings | null {
  if (!areComplete(values, APPLE_NAMES, 'passes for Apple Wallet', issues)) return null;
  const certificate = readCertificate('APPLE_PASS_CERTIFICATE', values, issues);
  const intermediate = readCertificate('APPLE_WWDR_CERTIFICATE', values, issues);
  const key = readKey(values.APPLE_PASS_KEY!, issues);
  if (certificate === null || intermediate === null || key === null) return null;
  const passTypeId = readSubject(certificate, 'UID');
  const teamId = readSubject(certificate, 'OU');
  const wrong: string[] = [];
  if (!certificate.checkPrivateKey(key))
    wrong.push('APPLE_PASS_KEY is not the private key of APPLE_PASS_CERTIFICATE.');
  if (passTypeId !== values.APPLE_PASS_TYPE_ID)
    wrong.push(
      `APPLE_PASS_CERTIFICATE is for ${passTypeId ?? 'no pass type'}, but APPLE_PASS_TYPE_ID is ${values.APPLE_PASS_TYPE_ID}.`,
    );
  if (teamId !== values.APPLE_TEAM_ID)
    wrong.push(
      `APPLE_PASS_CERTIFICATE belongs to the team ${teamId ?? '(none)'}, but APPLE_TEAM_ID is ${values.APPLE_TEAM_ID}.`,
    );
  if (!certificate.checkIssued(intermediate) || !certificate.verify(intermediate.publicKey))
    wrong.push(
      'APPLE_WWDR_CERTIFICATE has not signed APPLE_PASS_CERTIFICATE: download the intermediate certificate that its issuer names.',
    );
  issues.push(...wrong);
  if (wrong.length > 0) return null;
  return {
    passTypeId: values.APPLE_PASS_TYPE_ID!,
    teamId: values.APPLE_TEAM_ID!,
    certificate: certificate.toString(),
    key: key.export({ type: 'pkcs1', format: 'pem' }),
    intermediate: intermediate.toString(),
    expiresAt:
      certificate.validToDate < intermediate.validToDate ? certificate.validToDate : intermediate.validToDate,
  };
}

function checkGoogle(values: WalletVariables, issues: string[]): GoogleSettings | null {
  if (!areComplete(values, GOOGLE_NAMES, 'passes for Google Wallet', issues)) return null;
  const account = parseObject(values.GOOGLE_WALLET_KEY!);
  const { type, client_email: email, private_key: pem, private_key_id: keyId } = account ?? {};
  if (type !== 'service_account' || typeof email !== 'string' || typeof pem !== 'string') {
    issues.push(
      'GOOGLE_WALLET_KEY must be the JSON key file of a service account, as Google Cloud downloads it.',
    );
    return null;
  }
  const key = parseKey(pem);
  if (key?.asymmetricKeyType !== 'rsa') {
    issues.push(
      'The private_key in GOOGLE_WALLET_KEY cannot be read: create a new key for the service account.',
    );
    return null;
  }
  return {
    issuerId: values.GOOGLE_WALLET_ISSUER_ID!,
    email,
    keyId: typeof keyId === 'string' ? keyId : '',
    key: key.export({ type: 'pkcs8', format: 'pem' }),
  };
}

/**
 * Returns a field of the subject. `toLegacyObject` would do the same, but in Node 26.10 no TLS connection can be opened after
 * it, unless one was opened before.
 */
function readSubject({ subject }: X509Certificate, name: string): string | null {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(subject)?.[1] ?? null;
}

/** Returns whether all of these are set. If only some are, adds a sentence for each missing one. */
function areComplete(
  values: WalletVariables,
  names: readonly (keyof WalletVariables)[],
  purpose: string,
  issues: string[],
): boolean {
  const missing = names.filter((name) => values[name] === undefined);
  if (missing.length < names.length)
    issues.push(...missing.map((name) => `${name} is not set, but ${purpose} need it.`));
  return missing.length === 0;
}

function readCertificate(
  name: 'APPLE_PASS_CERTIFICATE' | 'APPLE_WWDR_CERTIFICATE',
  values: WalletVariables,
  issues: string[],
): X509Certificate | null {
  try {
    return new X509Certificate(withLineBreaks(values[name]!));
  } catch {
    issues.push(
      `${name} cannot be read as a PEM certificate: \`openssl x509 -inform der -in FILE.cer -out FILE.pem\` converts Apple’s download.`,
    );
    return null;
  }
}

function readKey(text: string, issues: string[]): KeyObject | null {
  if (/ENCRYPTED/.test(text)) {
    issues.push('APPLE_PASS_KEY has a passphrase: remove it with `openssl rsa -in KEY.pem -out PLAIN.pem`.');
    return null;
  }
  const key = parseKey(text);
  if (key?.asymmetricKeyType === 'rsa') return key;
  issues.push('APPLE_PASS_KEY must be an RSA private key in PEM format.');
  return null;
}

function parseKey(text: string): KeyObject | null {
  try {
    return createPrivateKey(withLineBreaks(text));
  } catch {
    return null;
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Files of variables keep a PEM text in one line, with `\n` for its line breaks. */
function withLineBreaks(text: string): string {
  return text.replaceAll(String.raw`\n`, '\n');
}

function warnOfEnd(expiresAt: Date, now: Date): string[] {
  const day = expiresAt.toISOString().slice(0, 10);
  const daysLeft = Math.floor((expiresAt.getTime() - now.getTime()) / DAY_MS);
  if (daysLeft < 0)
    return [
      `The certificates of Apple Wallet expired on ${day}. Its passes are hidden and not updated until APPLE_PASS_CERTIFICATE and APPLE_WWDR_CERTIFICATE are renewed.`,
    ];
  if (daysLeft >= WARN_DAYS) return [];
  return [
    `The certificates of Apple Wallet expire on ${day}: renew APPLE_PASS_CERTIFICATE or APPLE_WWDR_CERTIFICATE before then.`,
  ];
}
