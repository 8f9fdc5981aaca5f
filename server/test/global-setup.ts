/**
 * One PostgreSQL for the whole run: test processes inherit its address in `TEST_DATABASE_SERVER`. What one of them has made
 * for all is kept in a folder.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCollected, whatIsWrong } from './statements/check-collected.ts';
import { type ScratchServer, startScratchServer } from './postgres.ts';

let server: ScratchServer | null = null;
let folder: string | null = null;

export async function globalSetup(): Promise<void> {
  server = await startScratchServer();
  folder = await mkdtemp(join(tmpdir(), 'loyalty-run-'));
  process.env['TEST_DATABASE_SERVER'] = server.adminUrl;
  process.env['TEST_DOCUMENTS'] = join(folder, 'documents.json');
  process.env['TEST_STATEMENTS'] = join(folder, 'statements');
  await mkdir(process.env['TEST_STATEMENTS']);
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
  const wrong = await whatIsWrong(readCollected(process.env['TEST_STATEMENTS']!));
  if (folder !== null) await rm(folder, { recursive: true });
  if (wrong.length === 0) return;
  process.exitCode = 1;
  console.error(
    `The service has sent statements that a cluster could not route (see server/test/statements/exceptions.ts):\n${wrong.join('\n\n')}`,
  );
}
