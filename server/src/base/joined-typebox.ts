/** Where TypeBox is as a few files instead of 680. `server/build.ts` writes them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES = join(import.meta.dirname, '../../../node_modules');

/** The parts that are loaded, and the files that they become. */
export const PARTS = { typebox: 'index', 'typebox/value': 'value' };

/** The folder of this version's files. */
export const JOINED = join(PACKAGES, '.cache', `typebox-${readVersion()}`);

function readVersion(): string {
  const text = readFileSync(join(PACKAGES, 'typebox/package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
