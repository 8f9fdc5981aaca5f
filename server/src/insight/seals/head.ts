import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign, verify } from 'node:crypto';

/** The published state of a log: the root of its tree at one size. */
export interface Head {
  /** The name of the log, such as `loyalty/cafe-luna/1f0c…`. */
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

/** Writes a head as the text of a C2SP checkpoint. */
export function writeHead({ origin, size, root }: Head): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/** A head with the signatures below it, as it was read. */
export interface SignedHead extends Head {
  readonly signatures: { readonly name: string; readonly value: Buffer }[];
}

/** Signs heads, each in the name of its log. */
export interface HeadSigner {
  /** Returns the head as a signed note. */
  sign(head: Head): string;
  /** Returns the key that checks the signatures of a log, as tools for signed notes take it. */
  verifierKey(origin: string): string;
}

/**
 * Creates a signer whose Ed25519 key is derived from a secret. Anyone who has the key that checks can tell a head that this service gave
 * out from one that somebody made up.
 */
export function createHeadSigner(secret: string): HeadSigner {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', 'loyalty seals', 32));
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    sign(head) {
      const text = writeHead(head);
      const signature = Buffer.concat([keyIdOf(head.origin, publicKey), sign(null, Buffer.from(text), key)]);
      return `${text}\n— ${head.origin} ${signature.toString('base64')}\n`;
    },
    verifierKey: (origin) =>
      `${origin}+${keyIdOf(origin, publicKey).toString('hex')}+${Buffer.concat([ED25519, publicKey]).toString('base64')}`,
  };
}

/** The bytes before a seed in a DER file. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');
/** The byte for Ed25519 in signed notes. */
const ED25519 = Buffer.of(1);

function keyIdOf(name: string, publicKey: Buffer): Buffer {
  return createHash('sha256').update(`${name}\n`).update(ED25519).update(publicKey).digest().subarray(0, 4);
}

/**
 * Returns true if one of the signatures below a head was made by that key. All logs of an installation share a key and a signature
 * covers only the text, so the key must be the one that is named after the log of the text.
 */
export function isSignedBy(head: SignedHead, verifierKey: string): boolean {
  const [, name, id, key = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(verifierKey.trim()) ?? [];
  const bytes = Buffer.from(key, 'base64');
  if (name !== head.origin || bytes.length !== 33 || bytes[0] !== ED25519[0]) return false;
  const publicKey = createPublicKey({
    key: Buffer.concat([SPKI_ED25519, bytes.subarray(1)]),
    format: 'der',
    type: 'spki',
  });
  return head.signatures.some(
    (signature) =>
      signature.name === name &&
      signature.value.toString('hex', 0, 4) === id &&
      verify(null, Buffer.from(writeHead(head)), publicKey, signature.value.subarray(4)),
  );
}

const TEXT = /^([!-~]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)$/;
const SIGNATURE = /^— ([!-~]+) ([A-Za-z0-9+/]+={0,2})$/;

/** Reads heads that stand one below the other, with or without signatures. Returns null if the text holds anything else. */
export function readHeads(text: string): SignedHead[] | null {
  const heads: SignedHead[] = [];
  const paragraphs = text
    .replaceAll('\r\n', '\n')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim());
  for (const paragraph of paragraphs.filter((one) => one !== '')) {
    const [, origin, size, root] = TEXT.exec(paragraph) ?? [];
    if (origin !== undefined) {
      if (!Number.isSafeInteger(Number(size))) return null;
      heads.push({ origin, size: Number(size), root: Buffer.from(root!, 'base64'), signatures: [] });
      continue;
    }
    const head = heads.at(-1);
    if (head === undefined || head.signatures.length > 0) return null;
    for (const line of paragraph.split('\n')) {
      const [, name, value] = SIGNATURE.exec(line) ?? [];
      if (name === undefined) return null;
      head.signatures.push({ name, value: Buffer.from(value!, 'base64') });
    }
  }
  return heads.length === 0 ? null : heads;
}
