/**
 * Joins TypeBox, which is 679 small files, into a few that Node reads in a tenth of the time; `src/base/start-quickly.js` loads
 * them. If they are there, it does nothing. Nothing needs them, so if it fails, it only says so: each process and each command
 * then starts a fifth of a second later.
 */
import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { isJoined, JOINED, PARTS } from './src/base/joined-typebox.ts';

if (!isJoined()) await join();

async function join(): Promise<void> {
  // In a folder of its own and then renamed, so that a process that starts meanwhile never reads half of it.
  const draft = `${JOINED}-${randomUUID()}`;
  try {
    await buildInto(draft);
    // Another one that began at the same time may have been first, and its files may be in use.
    if (!isJoined()) {
      await rm(JOINED, { recursive: true, force: true });
      await rename(draft, JOINED);
    }
  } catch (error) {
    if (!isJoined())
      process.stderr.write(
        `${JOINED} could not be written (${String(error)}). Starts take a little longer without it.\n`,
      );
  } finally {
    await rm(draft, { recursive: true, force: true }).catch(() => {});
  }
}

async function buildInto(folder: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'esnext',
      outDir: folder,
      rolldownOptions: {
        input: Object.fromEntries(
          Object.entries(PARTS).map(([name, file]) => [file, fileURLToPath(import.meta.resolve(name))]),
        ),
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
        preserveEntrySignatures: 'strict',
      },
    },
  });
}
