/** Builds the console into `dist/site` and compresses its files. With `--if-needed`, only if the sources are newer. */
import { randomUUID } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';

const HERE = import.meta.dirname;
const DIST = join(HERE, 'dist');
const SITE = join(DIST, 'site');
const SOURCES = ['index.html', 'build.ts', 'package.json', 'src/**/*', '../sdk/src/**/*'];

if (!(process.argv.includes('--if-needed') && (await isCurrent()))) await buildConsole();

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
  const bytes = await compress(join(draft, '_assets'));
  await rm(SITE, { recursive: true, force: true });
  await rename(draft, SITE);
  console.log(`console: ${bytes} bytes of JavaScript in all pages, gzipped`);
}

/** Writes each file twice more, compressed. Returns the bytes of gzipped JavaScript. */
async function compress(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) {
    const content = await readFile(join(folder, name));
    const gzipped = gzipSync(content, { level: 9 });
    await writeFile(join(folder, `${name}.gz`), gzipped);
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(content));
    if (name.endsWith('.js')) bytes += gzipped.length;
  }
  return bytes;
}

async function isCurrent(): Promise<boolean> {
  const page = join(SITE, 'index.html');
  if (!existsSync(page)) return false;
  const builtAt = (await stat(page)).mtimeMs;
  const changes = await Promise.all(
    globSync(SOURCES, { cwd: HERE }).map(async (path) => (await stat(join(HERE, path))).mtimeMs),
  );
  return Math.max(...changes) <= builtAt;
}
