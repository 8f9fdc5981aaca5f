/**
 * Joins TypeBox, which is 680 small files, into a few that Node reads in a tenth of the time. `src/base/keep-compiled.js` loads
 * them instead. Nothing needs them: without them, each process and each command starts a fifth of a second later.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { JOINED, PARTS } from './src/base/joined-typebox.ts';

if (!(process.argv.includes('--if-needed') && existsSync(JOINED))) await join();

async function join(): Promise<void> {
  // In a folder of its own and then renamed, so that a process that starts meanwhile never reads half of it.
  const draft = `${JOINED}-${randomUUID()}`;
  await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'esnext',
      outDir: draft,
      rolldownOptions: {
        input: Object.fromEntries(
          Object.entries(PARTS).map(([name, file]) => [file, fileURLToPath(import.meta.resolve(name))]),
        ),
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
        preserveEntrySignatures: 'strict',
      },
    },
  });
  await rm(JOINED, { recursive: true, force: true });
  await rename(draft, JOINED);
}
