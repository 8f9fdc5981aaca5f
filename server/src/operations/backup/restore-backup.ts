import { createHash } from 'node:crypto';
import type { Database } from '#db/database.ts';
import { fillDatabase } from '#db/copy/fill-database.ts';
import { Refusal } from '#base/refusal.ts';
import { decryptIfNeeded } from './encryption.ts';
import type { Content } from './place.ts';
import { openBackup, type OpenBackup } from './read-backup.ts';

/** The content of a backup, after every byte of it was read. */
export interface Held {
  readonly takenAt: Date;
  readonly program: string;
  readonly tables: number;
  readonly rows: number;
}

export interface ReadOptions {
  /** Secret keys, for an encrypted backup. */
  readonly identities: readonly string[];
  /** True if the name of the backup says that it is encrypted. */
  readonly isNamedEncrypted?: boolean;
  /** Refuses any backup but the one with this checksum of its file. */
  readonly sha256?: string | undefined;
  /** `fraction` is null for a step that gives no sign of its progress. */
  readonly onProgress: (fraction: number | null, words: string) => void;
}

/** More than a shop can have given out since the backup. On the wire, ids have 48 bits. */
const GAP = 1_000_000;

/** Readers of events have read what may not exist here, so each begins a new epoch. */
const READERS = ['event_feeds'];

/**
 * Fills an empty database from a backup: all of it or nothing. A backup of an older release is upgraded on the way. Ids that were
 * given out after the backup are known to shops, in links and in tokens, so new ones begin well above them. Cursors of events are lost.
 * @throws Damaged, NotEmpty
 */
export async function restoreBackup(
  database: Database,
  content: Content,
  options: ReadOptions,
): Promise<Held> {
  const { backup, measured, confirm } = await open(content, options);
  const { onProgress } = options;
  const rows = { ...backup, confirm };
  const filled = await fillDatabase(database, rows, {
    gap: GAP,
    without: READERS,
    onProgress: (words, _rows, isWriting) => onProgress(isWriting ? measured.fraction() : null, words),
  });
  return describe(
    backup,
    filled.reduce((sum, { rows }) => sum + rows, 0),
  );
}

/** Reads all of a backup and checks every sum in it, without a database. @throws Damaged */
export async function checkBackup(content: Content, options: ReadOptions): Promise<Held> {
  const { backup, measured, confirm } = await open(content, options);
  const { rows } = await backup.checkAll((table) => options.onProgress(measured.fraction(), table));
  await confirm();
  return describe(
    backup,
    Object.values(rows).reduce((sum, count) => sum + count, 0),
  );
}

async function open(content: Content, { identities, isNamedEncrypted = false, sha256 }: ReadOptions) {
  const measured = measure(content);
  const backup = await openBackup(decryptIfNeeded(measured.bytes, identities, isNamedEncrypted));
  const confirm = async () => {
    await backup.confirm();
    const found = measured.sha256();
    if (sha256 !== undefined && sha256 !== found)
      throw new Refusal(`This is another backup: its checksum is ${found}.`);
  };
  return { backup, measured, confirm };
}

function describe({ head }: OpenBackup, rows: number): Held {
  return { takenAt: new Date(head.taken_at), program: head.program, tables: head.tables.length, rows };
}

function measure({ bytes, length }: Content) {
  const hash = createHash('sha256');
  let read = 0;
  const counted = async function* () {
    for await (const chunk of bytes) {
      hash.update(chunk);
      read += chunk.length;
      yield chunk;
    }
  };
  return { bytes: counted(), fraction: () => read / length, sha256: () => hash.digest('hex') };
}
