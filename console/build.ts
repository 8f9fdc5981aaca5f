/** Builds the console into `dist/site` and compresses its files. With `--if-needed`, only if the sources are newer. */
import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compress, isCurrent } from '@loyalty/ui/build/site.ts';
import { build } from 'vite';
import { OPTIONS } from './vite.ts';

const HERE = import.meta.dirname;
const DIST = join(HERE, 'dist');
const SITE = join(DIST, 'site');

if (!(process.argv.includes('--if-needed') && (await isCurrent(HERE, join(SITE, 'index.html')))))
  await buildConsole();

async function buildConsole(): Promise<void> {
  // Built in a folder of its own and then renamed, so a service that starts during the build never sees half a site.
  const draft = join(DIST, `draft-${randomUUID()}`);
  await build({
    ...OPTIONS,
    // The test of the sizes reads the manifest: which page loads which files.
    build: { ...OPTIONS.build, manifest: 'manifest.json', outDir: draft },
  });
  const sizes = await compress(join(draft, '_assets'));
  await rm(SITE, { recursive: true, force: true });
  await rename(draft, SITE);
  console.log(`console: ${sizes.get('js')} bytes of JavaScript in all pages, gzipped`);
}
