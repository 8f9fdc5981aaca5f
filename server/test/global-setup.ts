/**
 * One PostgreSQL for the whole run: test processes inherit its address in `TEST_DATABASE_SERVER`. With `POOLER=pgbouncer`
 * PgBouncer stands before it, and what is tested reaches it that way. What one test process has made for all is kept in a folder.
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
import { sessionSettings } from '#db/database.ts';
import { readCollected, whatIsWrong } from './statements/check-collected.ts';
import type { TestPoolers } from './database.ts';
import { type ScratchServer, startScratchServer } from './postgres.ts';

let server: ScratchServer | null = null;
let poolers: readonly PgBouncer[] = [];
let folder: string | null = null;

export async function globalSetup(): Promise<void> {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), 'loyalty-run-'));
  process.env['TEST_DATABASE_SERVER'] = server.adminUrl;
  process.env['TEST_DOCUMENTS'] = join(folder, 'documents.json');
  process.env['TEST_STATEMENTS'] = join(folder, 'statements');
  await mkdir(process.env['TEST_STATEMENTS']);
  delete process.env['TEST_POOLERS'];
  if (process.env['POOLER'] === 'pgbouncer') await putPoolersBefore(server.adminUrl);
}

/** With `CITUS_BIN`, the folder that `trials/cluster/build-citus.sh` has filled, the server is a cluster of three. */
async function startServer(): Promise<ScratchServer> {
  delete process.env['TEST_CLUSTER'];
  const bin = process.env['CITUS_BIN'];
  if (bin === undefined) return startScratchServer();
  const { startCluster } = await import('../../trials/cluster/cluster.ts');
  const cluster = await startCluster(bin, { settings: ['fsync = off'] });
  process.env['CLUSTER'] = 'citus';
  process.env['TEST_CLUSTER'] = JSON.stringify(cluster.workers.map(({ adminUrl }) => adminUrl));
  return { adminUrl: cluster.coordinator.adminUrl, stop: () => cluster.remove() };
}

/** Each test process has databases of its own, with as many connections as its pool has. */
async function putPoolersBefore(adminUrl: string): Promise<void> {
  const version = readPgBouncerVersion();
  if (version === null) throw new Error('POOLER=pgbouncer needs PgBouncer, which is not installed');
  const carried = canCarryPreparedStatements();
  console.log(`behind PgBouncer ${version} with prepared statements ${carried ? 'on' : 'off'}`);
  const start = (connectQuery?: string) =>
    startPgBouncer(
      new URL(adminUrl),
      {
        ...preparedStatements(true),
        max_client_conn: '2000',
        default_pool_size: '70',
        server_idle_timeout: '10',
      },
      connectQuery,
    );
  const cluster = process.env['CLUSTER'] === 'citus' ? 'citus' : null;
  const settings = Object.entries(sessionSettings({ preparedStatements: carried, cluster })).map(
    ([name, value]) => `set ${name} = ${name.endsWith('_timeout') ? '60000' : value}`,
  );
  const [ofTests, ofServices] = await Promise.all([start(settings.join('; ')), start()]);
  poolers = [ofTests, ofServices];
  const found: TestPoolers = {
    ofTests: ofTests.port,
    ofServices: ofServices.port,
    preparedStatements: carried,
  };
  process.env['TEST_POOLERS'] = JSON.stringify(found);
}

export async function globalTeardown(): Promise<void> {
  for (const pooler of poolers) await pooler.stop();
  await server?.stop();
  const wrong = await whatIsWrong(
    readCollected(process.env['TEST_STATEMENTS']!),
    process.env['CLUSTER'] === 'citus',
  );
  if (folder !== null) await rm(folder, { recursive: true });
  if (wrong.length === 0) return;
  process.exitCode = 1;
  console.error(
    `The service has sent statements that a cluster could not route (see server/test/statements/exceptions.ts):\n${wrong.join('\n\n')}`,
  );
}
