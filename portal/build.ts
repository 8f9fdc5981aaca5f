/**
 * Builds the portal into `dist/site` and compresses its files. With `--if-needed`, only if the sources are newer. With
 * `--before-start`, only if the service could start, because a build before a refusal is a wait for nothing.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compress, isCurrent } from '@loyalty/ui/build/site.ts';
import { build } from 'vite';
import { OPTIONS } from './vite.ts';

const HERE = import.meta.dirname;
const DIST = join(HERE, 'dist');
const SITE = join(DIST, 'site');

/** Limit of gzipped JavaScript on the first load: a phone on a slow network has to wait for all of it. */
const MAX_JAVASCRIPT_BYTES = 45 * 1024;

if (!(process.argv.includes('--if-needed') && (await isCurrent(HERE, join(SITE, 'index.html'))))) {
  if (process.argv.includes('--before-start') && !couldStart()) process.exit(1);
  await buildPortal();
}

/** Says on stderr why the service could not start. */
function couldStart(): boolean {
  const check = join(HERE, '../server/src/start/check-start.ts');
  return spawnSync(process.execPath, [check], { stdio: 'inherit' }).status === 0;
}

async function buildPortal(): Promise<void> {
  // Built in a folder of its own and then renamed, so a service that starts during the build never sees half a site.
  const draft = join(DIST, `draft-${randomUUID()}`);
  await build({ ...OPTIONS, build: { ...OPTIONS.build, outDir: draft } });
  const { build: options, ...common } = OPTIONS;
  await build({
    ...common,
    build: {
      ...options,
      outDir: draft,
      emptyOutDir: false,
      rolldownOptions: {
        input: join(HERE, 'src/service-worker.ts'),
        output: { entryFileNames: 'service-worker.js' },
      },
    },
  });
  await nameFiles(draft);
  const sizes = await compress(join(draft, '_assets'));
  const javascript = sizes.get('js')!;
  await compress(draft, (name) => name === 'service-worker.js');
  await rm(SITE, { recursive: true, force: true });
  await rename(draft, SITE);
  console.log(
    `portal: ${javascript} bytes of JavaScript and ${sizes.get('css')} bytes of CSS, gzipped (limit: ${MAX_JAVASCRIPT_BYTES} bytes of JavaScript)`,
  );
  if (javascript > MAX_JAVASCRIPT_BYTES) process.exitCode = 1;
}

/** Names all built files in the page, also those that it loads later: the service worker keeps what the page names. */
async function nameFiles(folder: string): Promise<void> {
  const path = join(folder, 'index.html');
  const names = (await readdir(join(folder, '_assets'))).map((name) => `_assets/${name}`);
  const html = await readFile(path, 'utf8');
  await writeFile(path, html.replace('<!-- files -->', `<meta name="files" content="${names.join(' ')}" />`));
}
