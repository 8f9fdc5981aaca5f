/** Builds the portal into `dist/site`, compressed ahead. With `--if-needed`, only where the sources are newer. */
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

/** Gzipped, on the first load: what a phone on a slow network waits for. */
const MOST_JAVASCRIPT = 40 * 1024;

if (!(process.argv.includes('--if-needed') && (await isCurrent()))) await buildPortal();

async function buildPortal(): Promise<void> {
  // Built beside and then put in place, so that a service that starts meanwhile sees all of it or nothing.
  const draft = join(DIST, `draft-${randomUUID()}`);
  await build({
    root: HERE,
    configFile: false,
    logLevel: 'warn',
    base: './',
    resolve: { conditions: ['@loyalty/source', 'module', 'browser', 'production'] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: draft,
      assetsDir: '_assets',
      target: ['chrome111', 'firefox114', 'safari16.4'],
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
    },
  });
  const sizes = await compress(join(draft, '_assets'));
  await rm(SITE, { recursive: true, force: true });
  await rename(draft, SITE);
  console.log(
    `portal: ${sizes.js} bytes of JavaScript and ${sizes.css} of CSS, gzipped (at most ${MOST_JAVASCRIPT} of JavaScript)`,
  );
  if (sizes.js > MOST_JAVASCRIPT) process.exitCode = 1;
}

async function compress(folder: string): Promise<{ js: number; css: number }> {
  const sizes = { js: 0, css: 0 };
  for (const name of await readdir(folder)) {
    const content = await readFile(join(folder, name));
    const gzipped = gzipSync(content, { level: 9 });
    await writeFile(join(folder, `${name}.gz`), gzipped);
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(content));
    sizes[name.endsWith('.js') ? 'js' : 'css'] += gzipped.length;
  }
  return sizes;
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
