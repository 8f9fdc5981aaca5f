/** Reads a signed package back, as a phone does before it shows it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, createVerify, X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import forge from 'node-forge';

const OPENSSL = '/usr/bin/openssl';

/** Returns the files of a package whose entries are not compressed. */
export function unzip(bytes: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    assert.equal(bytes.readUInt16LE(at + 10), 0, 'an entry is compressed');
    const size = bytes.readUInt32LE(at + 20);
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    files.set(name, bytes.subarray(start, start + size));
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return files;
}

/** The contents of `pass.json`, as far as tests look at them. */
export interface PassJson {
  readonly [key: string]: unknown;
  readonly serialNumber: string;
  readonly authenticationToken: string;
  readonly webServiceURL: string;
  readonly voided?: boolean;
  readonly barcodes?: readonly { readonly format: string; readonly message: string }[];
  readonly storeCard: Readonly<
    Record<string, readonly { readonly key: string; readonly label: string; readonly value: unknown }[]>
  >;
}

/**
 * Checks that the manifest names every file with its SHA-1, that the signature is the manifest’s, by a certificate that the
 * authority has signed, and returns the pass.
 */
export function readPackage(bytes: Buffer, authority: string): PassJson {
  const files = unzip(bytes);
  const manifest = files.get('manifest.json')!;
  const hashes = JSON.parse(manifest.toString()) as Record<string, string>;
  const names = [...files.keys()].filter((name) => name !== 'manifest.json' && name !== 'signature');
  assert.deepEqual(Object.keys(hashes).toSorted(), names.toSorted());
  for (const name of names)
    assert.equal(hashes[name], createHash('sha1').update(files.get(name)!).digest('hex'), name);
  for (const name of ['icon.png', 'icon@2x.png', 'icon@3x.png'])
    assert.equal(files.get(name)!.toString('latin1', 1, 4), 'PNG');
  verifySignature(manifest, files.get('signature')!, authority);
  return JSON.parse(files.get('pass.json')!.toString()) as PassJson;
}

function verifySignature(manifest: Buffer, signature: Buffer, authority: string): void {
  const signed = forge.pkcs7.messageFromAsn1(
    forge.asn1.fromDer(signature.toString('latin1')),
  ) as forge.pkcs7.PkcsSignedData & {
    rawCapture: { authenticatedAttributes: forge.asn1.Asn1[]; signature: string };
  };
  const issuer = new X509Certificate(authority);
  const signer = signed.certificates
    .map((certificate) => new X509Certificate(forge.pki.certificateToPem(certificate)))
    .find((certificate) => certificate.subject !== issuer.subject)!;
  assert.ok(signer.checkIssued(issuer) && signer.verify(issuer.publicKey), 'the chain');

  const { authenticatedAttributes: attributes, signature: value } = signed.rawCapture;
  const digest = createHash('sha1').update(manifest).digest('latin1');
  assert.ok(
    attributes.some((attribute) => forge.asn1.toDer(attribute).getBytes().endsWith(digest)),
    'the signature is about another manifest',
  );
  // They are signed as a SET.
  const set = forge.asn1.create(forge.asn1.Class.UNIVERSAL, forge.asn1.Type.SET, true, attributes);
  assert.ok(
    createVerify('sha1')
      .update(Buffer.from(forge.asn1.toDer(set).getBytes(), 'latin1'))
      .verify(signer.publicKey, Buffer.from(value, 'latin1')),
    'the signature',
  );
  if (existsSync(OPENSSL)) verifyWithOpenssl(manifest, signature, authority);
}

function verifyWithOpenssl(manifest: Buffer, signature: Buffer, authority: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'pass-'));
  try {
    const path = (name: string, content: string | Buffer) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    execFileSync(
      OPENSSL,
      `smime -verify -binary -inform DER -purpose any -in ${path('signature', signature)} -content ${path('manifest', manifest)} -CAfile ${path('authority', authority)}`.split(
        ' ',
      ),
      { stdio: 'pipe' },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
