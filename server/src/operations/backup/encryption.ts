import { Refusal } from '#base/refusal.ts';
import { Damaged } from './read-backup.ts';
import { toWebStream } from './web-stream.ts';

/** Backups are encrypted with age (age-encryption.org), so its own tools open them too. */

/** It takes a tenth of the time that a command needs to start, and few need it. */
const loadAge = () => import('age-encryption');

/** A new pair of keys. `recipient` encrypts, and may be known to anybody; `identity` decrypts. */
export async function makeBackupKey(): Promise<{ identity: string; recipient: string }> {
  const { generateX25519Identity, identityToRecipient } = await loadAge();
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** Never prints the key: messages go into logs. */
class SecretKeyNamed extends Refusal {
  constructor() {
    super(
      'A secret key stands where a public one belongs. Name the public key, which starts with age1, and make a new pair if this one may be in a log or a history of commands.',
    );
  }
}

/** Encrypts for all of these recipients: each of their identities decrypts. @throws Refusal */
export async function* encrypt(
  bytes: AsyncIterable<Uint8Array>,
  recipients: readonly string[],
): AsyncGenerator<Uint8Array> {
  const encrypter = new (await loadAge()).Encrypter();
  for (const recipient of recipients) {
    if (/^AGE-SECRET-KEY-/i.test(recipient)) throw new SecretKeyNamed();
    try {
      encrypter.addRecipient(recipient);
    } catch (error) {
      throw new Refusal(`"${recipient}" is not the public key of a backup: it starts with age1.`, {
        cause: error,
      });
    }
  }
  yield* await encrypter.encrypt(toWebStream(bytes));
}

const AGE_HEADER = 'age-encryption.org/v1\n';

/**
 * Decrypts if the bytes are encrypted. With `isNamedEncrypted` they have to be.
 * @throws Refusal if no identity is the right one, Damaged at a byte that was changed
 */
export async function* decryptIfNeeded(
  bytes: AsyncIterable<Uint8Array>,
  identities: readonly string[],
  isNamedEncrypted: boolean,
): AsyncGenerator<Uint8Array> {
  const { start, all } = await peek(bytes, AGE_HEADER.length);
  if (start.toString('latin1') !== AGE_HEADER) {
    if (isNamedEncrypted)
      throw new Refusal(
        'The backup is not encrypted, although its name says so: it is not the one that was written.',
      );
    yield* all;
    return;
  }
  if (identities.length === 0)
    throw new Refusal('The backup is encrypted. Name the file with its key: --identity <file>.');
  const decrypter = new (await loadAge()).Decrypter();
  for (const identity of identities) {
    try {
      decrypter.addIdentity(identity);
    } catch (error) {
      throw new Refusal('The key of the backup is not one: it starts with AGE-SECRET-KEY-1.', {
        cause: error,
      });
    }
  }
  const decrypted = await decrypter.decrypt(toWebStream(all)).catch((error: Error) => {
    if (/no identity matched/.test(error.message))
      throw new Refusal('The backup was encrypted for another key.', { cause: error });
    throw new Damaged(error);
  });
  try {
    yield* decrypted;
  } catch (error) {
    throw error instanceof Refusal ? error : new Damaged(error);
  }
}

/** Reads the identities of a key file, as `age-keygen` writes it: one a line, and comments. */
export function readIdentities(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Returns the first bytes, and all of them again. */
async function peek(bytes: AsyncIterable<Uint8Array>, length: number) {
  const iterator = bytes[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let have = 0; have < length;) {
    const { value, done } = await iterator.next();
    if (done === true) break;
    first.push(value);
    have += value.length;
  }
  const all = async function* () {
    yield* first;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { start: Buffer.concat(first).subarray(0, length), all: all() };
}
