import { Refusal } from '#base/refusal.ts';
import type { Kept, Place } from './place.ts';

/** A backup in its place, and when it was taken. */
export interface KeptBackup extends Kept {
  readonly takenAt: Date;
  readonly encrypted: boolean;
}

const NAME = /^loyalty-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.tar(\.age)?$/;

/** Lists the backups of a place, newest first. Files with other names are not looked at. */
export async function listBackups(place: Place): Promise<KeptBackup[]> {
  const kept = (await place.list()).flatMap((file) => {
    const found = NAME.exec(file.name);
    if (found === null) return [];
    const [, day, hour, minute, second, ms, age] = found;
    const takenAt = new Date(`${day}T${hour}:${minute}:${second}.${ms}Z`);
    return [{ ...file, takenAt, encrypted: age !== undefined }];
  });
  return kept.sort((a, b) => Number(b.takenAt) - Number(a.takenAt));
}

/** Returns the name of the newest backup. Nobody knows how old one with a wrong time is. */
export async function findNewest(place: Place): Promise<string> {
  const [newest] = await listBackups(place);
  if (newest === undefined) throw new Refusal(`There is no backup in ${place.describe('')}.`);
  if (Number(newest.takenAt) > Date.now() + HOUR_MS)
    throw new Refusal(
      `${place.describe(newest.name)} has a time in the future. Name the backup that you mean.`,
    );
  return newest.name;
}

/** The clocks of two machines may differ. */
const HOUR_MS = 60 * 60 * 1000;

/** The names of other backups in the place of a new one. */
export interface Others {
  readonly removed: readonly string[];
  /** Those with a later time than the new one. Their time must be wrong, so they are not counted. */
  readonly ahead: readonly string[];
}

/** Removes all backups of a place but the newest ones. The new one is always among these. */
export async function removeOldBackups(place: Place, name: string, keep: number): Promise<Others> {
  const names = (await listBackups(place)).map((backup) => backup.name);
  const at = names.indexOf(name);
  const removed = at === -1 ? [] : names.slice(at + keep);
  for (const old of removed) await place.remove(old);
  return { removed, ahead: names.slice(0, Math.max(at, 0)) };
}
