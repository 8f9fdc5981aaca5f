/** Builds the console into `dist/site` and compresses its files. With `--if-needed`, only if the sources are newer. */
import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compress, isCurrent } from '@loyalty/ui/build/site.ts';
import { build } from 'vite';

const HERE = import.meta.dirname;
const DIST = join(HERE, 'dist');
const SITE = join(DIST, 'site');

if (!(process.argv.includes('--if-needed') && (await isCurrent(HERE, join(SITE, 'index.html')))))
  await buildConsole();

async function buildConsole(): Promise<void> {
  // Built in a folder of its own and then renamed, so a service that starts during the build never sees half a site.
  const draft = join(DIST, `draft-${randomUUID()}`);
  await build({
    root: HERE,
    configFile: false,
    logLevel: 'warn',
    base: './',
    resolve: { conditions: ['@loyalty/source', 'module', 'browser', 'production'] },
    build: {
      assetsDir: '_assets',
      // The test of the sizes reads it: which page loads which files.
      manifest: 'manifest.json',
      target: ['chrome114', 'firefox125', 'safari17'],
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rolldownOptions: {
        // The license of the icons asks for its notice in every copy.
        output: { comments: { legal: true } },
        onLog(level, log, report) {
          // Marks for servers that render React, of which there is none here.
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
        },
      },
      outDir: draft,
    },
  });
  const sizes = await compress(join(draft, '_assets'));
  await rm(SITE, { recursive: true, force: true });
  await rename(draft, SITE);
  console.log(`console: ${sizes.get('js')} bytes of JavaScript in all pages, gzipped`);
}
