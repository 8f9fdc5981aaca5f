/** Where TypeBox is as a few files instead of 679. `server/build.ts` writes them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES = join(import.meta.dirname, '../../../node_modules');

/** The parts that are loaded, and the files that they become. */
export const PARTS = { typebox: 'index', 'typebox/value': 'value' };

/** The folder of this version's files. */
export const JOINED = join(PACKAGES, '.cache', `typebox-${readVersion()}`);

/** Returns true if all of the files are there. */
export function isJoined(): boolean {
  return Object.values(PARTS).every((file) => existsSync(join(JOINED, `${file}.mjs`)));
}

function readVersion(): string {
  const text = readFileSync(join(PACKAGES, 'typebox/package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
