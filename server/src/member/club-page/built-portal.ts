import {
  nullIfMissing,
  readBuiltFile,
  readBuiltSite,
  type BuiltFile,
  type BuiltSite,
} from '#http/built-files.ts';

const SITE = new URL('../../../../portal/dist/site/', import.meta.url);

/** The built portal. Its page has no shop's name and color. */
export interface BuiltPortal extends BuiltSite {
  readonly worker: BuiltFile;
}

/** Reads the files that `npm run build -w portal` has built. Returns null if it has not been run. */
export function readBuiltPortal(): BuiltPortal | null {
  const site = readBuiltSite(SITE);
  const worker = nullIfMissing(() => readBuiltFile(new URL('service-worker.js', SITE)));
  return site === null || worker === null ? null : { ...site, worker };
}
