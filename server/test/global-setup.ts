/**
 * One PostgreSQL for the whole run: test processes inherit its address in `TEST_DATABASE_SERVER`. With `POOLER=pgbouncer` one PgBouncer
 * stands before it, and the tested code reaches it that way. Files that one test process has made for all are kept in a folder.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  canCarryPreparedStatements,
  type PgBouncer,
  preparedStatements,
  readPgBouncerVersion,
  startPgBouncer,
} from './pgbouncer.ts';
import { readCollected, whatIsWrong } from './statements/check-collected.ts';
import { type ScratchServer, startScratchServer } from './postgres.ts';

let server: ScratchServer | null = null;
let pooler: PgBouncer | null = null;
let folder: string | null = null;

export async function globalSetup(): Promise<void> {
  server = await startScratchServer();
  folder = await mkdtemp(join(tmpdir(), 'loyalty-run-'));
  process.env['TEST_DATABASE_SERVER'] = server.adminUrl;
  process.env['TEST_DOCUMENTS'] = join(folder, 'documents.json');
  process.env['TEST_STATEMENTS'] = join(folder, 'statements');
  await mkdir(process.env['TEST_STATEMENTS']);
  delete process.env['TEST_POOLER'];
  if (process.env['POOLER'] === 'pgbouncer') await putPoolerBefore(server.adminUrl);
}

/** Each test process has databases of its own, with as many connections as its pool has. */
async function putPoolerBefore(adminUrl: string): Promise<void> {
  const prepares = canCarryPreparedStatements() ? 'on' : 'off';
  console.log(`behind PgBouncer ${readPgBouncerVersion()} with prepared statements ${prepares}`);
  pooler = await startPgBouncer(new URL(adminUrl), {
    ...preparedStatements(true),
    max_client_conn: '2000',
    default_pool_size: '70',
    server_idle_timeout: '10',
  });
  process.env['TEST_POOLER'] = `${pooler.port} ${prepares}`;
}

export async function globalTeardown(): Promise<void> {
  await pooler?.stop();
  await server?.stop();
  const wrong = await whatIsWrong(readCollected(process.env['TEST_STATEMENTS']!));
  if (folder !== null) await rm(folder, { recursive: true });
  if (wrong.length === 0) return;
  process.exitCode = 1;
  console.error(
    `The service has sent statements that a cluster could not route (see server/test/statements/exceptions.ts):\n${wrong.join('\n\n')}`,
  );
}
