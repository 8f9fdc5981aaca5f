import { Refusal } from '#base/refusal.ts';
import { folderPlace } from './folder-place.ts';

/** Where backups are kept: a folder, or a prefix in a bucket. */
export interface Place {
  /** The address of a file in it, for people. */
  describe(name: string): string;
  /** Stores all bytes or nothing. Refuses to replace a file. */
  write(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  read(name: string): Promise<Content>;
  list(): Promise<Kept[]>;
  remove(name: string): Promise<void>;
}

export interface Content {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly length: number;
}

export interface Kept {
  readonly name: string;
  readonly length: number;
}

/** Opens a place: a folder that exists, or `s3://bucket/prefix`. */
export async function openPlace(address: string): Promise<Place> {
  if (address.startsWith('s3://')) {
    // The client takes longer to load than all other commands need to run.
    const { s3Place } = await import('./s3-place.ts');
    return s3Place(address);
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//.test(address))
    throw new Refusal(
      `Backups are kept in a folder or at s3://bucket/prefix, not at ${hidePassword(address)}.`,
    );
  return folderPlace(address);
}

/** Leaves out what stands before the host, because messages go into logs. */
export function hidePassword(address: string): string {
  return address.replace(/\/\/.*@/, '//…@');
}

/** Splits the address of one backup into its place and its name. */
export async function openBackupAddress(address: string): Promise<{ place: Place; name: string | null }> {
  const found = /^(.*?)([^/]+\.tar(?:\.age)?)$/.exec(address);
  if (found === null) return { place: await openPlace(address), name: null };
  return { place: await openPlace(found[1] === '' ? '.' : found[1]!), name: found[2]! };
}
