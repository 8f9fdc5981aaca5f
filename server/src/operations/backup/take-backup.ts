import { createHash } from 'node:crypto';
import type { DatabaseAddress } from '#db/database.ts';
import { inSnapshot } from '#db/copy/read-tables.ts';
import { encrypt } from './encryption.ts';
import { removeOldBackups } from './keep-backups.ts';
import type { Place } from './place.ts';
import { estimateRows, writeBackup } from './write-backup.ts';

/** A backup that is complete and in its place. */
export interface Taken {
  readonly name: string;
  readonly address: string;
  /** The rows are as they were at this instant. */
  readonly takenAt: Date;
  readonly tables: number;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly encrypted: boolean;
  readonly seconds: number;
  /** Tables of somebody else in the same schema, which are not part of it. */
  readonly leftOut: readonly string[];
  /** The names of older backups that were removed. */
  readonly removed: readonly string[];
  /** The names of backups with a later time, which must be wrong. They are not counted. */
  readonly ahead: readonly string[];
  /** Why not all older backups could be removed. */
  readonly notRemoved: Error | null;
}

export interface TakeOptions {
  readonly place: Place;
  /** Public keys. With none, the backup is not encrypted. */
  readonly recipients: readonly string[];
  /** How many backups to keep in the place, this one included. Null keeps all. */
  readonly keep: number | null;
  /** The version of this program. */
  readonly program: string;
  /** `fraction` is an estimate, and null if there is none. */
  readonly onProgress: (fraction: number | null, words: string) => void;
}

/**
 * Copies the whole database into one file while the service goes on: all rows as they were at one moment. The file is either
 * complete or not there. Older ones are removed only after that.
 */
export async function takeBackup(address: DatabaseAddress, options: TakeOptions): Promise<Taken> {
  const { place, recipients, keep, program, onProgress } = options;
  const startedAt = performance.now();
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  const taken = await inSnapshot(address, async (snapshot) => {
    const expected = estimateRows(snapshot.tables);
    let rows = 0;
    const written = writeBackup(snapshot, {
      program,
      onProgress(table, done) {
        rows = done;
        onProgress(expected === 0 ? null : done / expected, table);
      },
    });
    const name = nameBackup(snapshot.takenAt, recipients.length > 0);
    await place.write(name, measure(recipients.length > 0 ? encrypt(written, recipients) : written));
    return {
      name,
      takenAt: snapshot.takenAt,
      tables: snapshot.tables.length,
      rows,
      leftOut: snapshot.foreignTables,
    };
  });
  return {
    ...taken,
    ...(await clear(place, taken.name, keep)),
    address: place.describe(taken.name),
    bytes,
    sha256: hash.digest('hex'),
    encrypted: recipients.length > 0,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  };
}

/** The new backup is complete, whatever becomes of the others. */
async function clear(place: Place, name: string, keep: number | null) {
  const none = { removed: [], ahead: [], notRemoved: null };
  if (keep === null) return none;
  try {
    return { ...none, ...(await removeOldBackups(place, name, keep)) };
  } catch (error) {
    return { ...none, notRemoved: error as Error };
  }
}

/** Names sort by time. */
function nameBackup(at: Date, encrypted: boolean): string {
  const instant = at.toISOString().replaceAll(':', '-').replace('.', '-');
  return `loyalty-${instant}.tar${encrypted ? '.age' : ''}`;
}
