import { Refusal } from '../refusal.ts';
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

/** Returns the name of the newest backup. */
export async function findNewest(place: Place): Promise<string> {
  const [newest] = await listBackups(place);
  if (newest === undefined) throw new Refusal(`There is no backup in ${place.describe('')}.`);
  return newest.name;
}

/** Removes all but the newest backups of a place. Returns the names of those that are gone. */
export async function removeOldBackups(place: Place, keep: number): Promise<string[]> {
  const old = (await listBackups(place)).slice(keep);
  for (const { name } of old) await place.remove(name);
  return old.map(({ name }) => name);
}
