/**
 * One PostgreSQL for the whole run: test processes inherit its address in `TEST_DATABASE_SERVER`. What one of them has made
 * for all is kept in a folder.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ScratchServer, startScratchServer } from './postgres.ts';

let server: ScratchServer | null = null;
let folder: string | null = null;

export async function globalSetup(): Promise<void> {
  server = await startScratchServer();
  folder = await mkdtemp(join(tmpdir(), 'loyalty-run-'));
  process.env['TEST_DATABASE_SERVER'] = server.adminUrl;
  process.env['TEST_DOCUMENTS'] = join(folder, 'documents.json');
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
  if (folder !== null) await rm(folder, { recursive: true });
}
