import { readFile } from 'node:fs/promises';
import { readIdentities } from '#backup/encryption.ts';
import { findNewest } from '#backup/keep-backups.ts';
import type { Content, Place } from '#backup/place.ts';
import { tellTrouble } from '#files/tell-trouble.ts';
import type { Config } from '#settings/config.ts';
import { Refusal } from '#base/refusal.ts';

/** A backup that a command reads, and the keys that may open it. */
export interface FoundBackup {
  readonly address: string;
  readonly content: Content;
  readonly identities: readonly string[];
  readonly isNamedEncrypted: boolean;
}

/** Finds a backup: the one that was named, or the newest of a place. */
export async function findBackup(
  { place, name }: { place: Place; name: string | null },
  config: Config,
  identityFile: string | undefined,
): Promise<FoundBackup> {
  const chosen = name ?? (await findNewest(place));
  const key = identityFile === undefined ? (config.backups.identity ?? '') : await readKeyFile(identityFile);
  return {
    address: place.describe(chosen),
    content: await place.read(chosen),
    identities: readIdentities(key),
    isNamedEncrypted: chosen.endsWith('.age'),
  };
}

async function readKeyFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Refusal(`The key of the backup cannot be read from ${path}: ${tellTrouble(error)}.`, {
      cause: error,
    });
  }
}
