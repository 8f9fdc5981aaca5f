/** Certificates as Apple issues them, and a service account as Google does, made anew for each test process. */
import { generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';
import type { WalletVariables } from '../../src/platform/settings/wallet-settings.ts';

export interface Certified {
  readonly certificate: string;
  readonly key: string;
}

type Attribute = { type: string; value: string };

const CN = '2.5.4.3';
const OU = '2.5.4.11';
const UID = '0.9.2342.19200300.100.1.1';
const DAY_MS = 86_400_000;

export interface CertificateOptions {
  readonly subject: Attribute[];
  /** By default it signs itself. */
  readonly issuer?: Certified;
  readonly isAuthority?: boolean;
  readonly days?: number;
  readonly host?: string;
}

let serials = 1;

export function makeCertificate(options: CertificateOptions): Certified {
  const { subject, issuer, isAuthority = false, days = 365, host } = options;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' });
  const ownKey = forge.pki.privateKeyFromPem(key);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(ownKey.n, ownKey.e);
  certificate.serialNumber = `0${(serials += 1)}`;
  certificate.validity.notBefore = new Date(Date.now() - 400 * DAY_MS);
  certificate.validity.notAfter = new Date(Date.now() + days * DAY_MS);
  certificate.setSubject(subject);
  certificate.setIssuer(
    issuer === undefined ? subject : forge.pki.certificateFromPem(issuer.certificate).subject.attributes,
  );
  certificate.setExtensions([
    { name: 'basicConstraints', cA: isAuthority },
    ...(isAuthority ? [{ name: 'keyUsage', keyCertSign: true, digitalSignature: true }] : []),
    ...(host === undefined ? [] : [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }]),
  ]);
  certificate.sign(
    issuer === undefined ? ownKey : forge.pki.privateKeyFromPem(issuer.key),
    forge.md.sha256.create(),
  );
  return { certificate: forge.pki.certificateToPem(certificate), key };
}

export function makeAuthority(name = 'Test Intermediate', days?: number): Certified {
  return makeCertificate({
    subject: [{ type: CN, value: name }],
    isAuthority: true,
    ...(days !== undefined && { days }),
  });
}

export const PASS_TYPE_ID = 'pass.example.club';
export const TEAM_ID = 'ABCDE12345';

export function makePassCertificate(
  issuer: Certified,
  fields: { days?: number; team?: string; type?: string } = {},
) {
  const { days, team = TEAM_ID, type = PASS_TYPE_ID } = fields;
  return makeCertificate({
    subject: [
      { type: UID, value: type },
      { type: CN, value: `Pass Type ID: ${type}` },
      { type: OU, value: team },
    ],
    issuer,
    ...(days !== undefined && { days }),
  });
}

export function makeServiceAccount(): { json: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const json = JSON.stringify({
    type: 'service_account',
    client_email: 'club@example.iam.gserviceaccount.com',
    private_key_id: 'key-1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  });
  return { json, publicKey: publicKey.export({ type: 'spki', format: 'pem' }) };
}

/** All variables of wallets, as an operator sets them. */
export function makeVariables(): Required<WalletVariables> & { authority: Certified; publicKey: string } {
  const authority = makeAuthority();
  const pass = makePassCertificate(authority);
  const account = makeServiceAccount();
  return {
    PUBLIC_URL: 'https://club.example',
    APPLE_PASS_TYPE_ID: PASS_TYPE_ID,
    APPLE_TEAM_ID: TEAM_ID,
    APPLE_PASS_CERTIFICATE: pass.certificate,
    APPLE_PASS_KEY: pass.key,
    APPLE_WWDR_CERTIFICATE: authority.certificate,
    GOOGLE_WALLET_ISSUER_ID: '3388000000012345678',
    GOOGLE_WALLET_KEY: account.json,
    authority,
    publicKey: account.publicKey,
  };
}
