/** Certificates that are right, expired, for another name, or of somebody else's authority. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const KINDS = ['right', 'expired', 'another name', 'another authority'] as const;
export type Kind = (typeof KINDS)[number];

export interface Certificates {
  /** The file with the authority that the service trusts. */
  readonly authority: string;
  readonly key: Record<Kind, string>;
  readonly certificate: Record<Kind, string>;
  remove(): void;
}

/** Returns why no certificates can be made here, or null if they can. */
export function whyNoCertificates(): string | null {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'openssl is not installed';
  }
}

/** The right one is good for 127.0.0.1. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-certificates-'));
  for (const authority of ['ours', 'theirs']) makeAuthority(folder, authority);
  const pairs = KINDS.map((kind, i) => [kind, makePair(folder, kind, String(i))] as const);
  const pick = (part: 'key' | 'certificate') =>
    Object.fromEntries(pairs.map(([kind, pair]) => [kind, pair[part]])) as Record<Kind, string>;
  return {
    authority: join(folder, 'ours.crt'),
    key: pick('key'),
    certificate: pick('certificate'),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function makeAuthority(folder: string, name: string): void {
  const file = (ending: string) => join(folder, `${name}.${ending}`);
  openssl(
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'],
    ['-subj', `/CN=${name}`, '-keyout', file('key'), '-out', file('crt')],
  );
}

function makePair(folder: string, kind: Kind, name: string): { key: string; certificate: string } {
  const file = (ending: string) => join(folder, `${name}.${ending}`);
  const authority = join(folder, kind === 'another authority' ? 'theirs' : 'ours');
  openssl(
    ['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ['-subj', '/CN=server', '-keyout', file('key'), '-out', file('csr')],
  );
  writeFileSync(
    file('ext'),
    `subjectAltName=${kind === 'another name' ? 'DNS:elsewhere.example' : 'IP:127.0.0.1'}\n`,
  );
  openssl(
    ['x509', '-req', '-in', file('csr'), '-CA', `${authority}.crt`, '-CAkey', `${authority}.key`],
    ['-CAcreateserial', '-extfile', file('ext'), '-out', file('crt')],
    // A certificate of no days is expired a second later.
    ['-days', kind === 'expired' ? '0' : '30'],
  );
  return { key: readFileSync(file('key'), 'utf8'), certificate: readFileSync(file('crt'), 'utf8') };
}

function openssl(...args: string[][]): void {
  execFileSync('openssl', args.flat(), { stdio: ['ignore', 'ignore', 'pipe'] });
}
