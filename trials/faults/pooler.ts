/** The service behind PgBouncer in transaction mode. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, sql } from '../../server/src/platform/db/database.ts';
import {
  type PgBouncer,
  preparedStatements,
  type Settings,
  startPgBouncer,
} from '../../server/test/pgbouncer.ts';
import { startTcpProxy } from '../../server/test/tcp-proxy.ts';
import { concludeFault, sleepUntilAcknowledged, waitForAcknowledgements, type Outcome } from './fault.ts';
import { startLoad } from './journalled-load.ts';
import { makeWorld, sentenceIfEnded } from './world.ts';

/** It starts as documented, and the time limits hold on the pooler's connections. */
export async function behindPgBouncer(serverUrl: string, loadMs: number): Promise<Outcome> {
  const world = await makeWorld(serverUrl);
  const pooler = await startPgBouncer(world.url);
  const url = pooler.through(world.url);
  try {
    const service = await world.startService(behind(pooler, world.url));
    const load = startLoad({ bases: [service.base], tills: world.tills });
    await waitForAcknowledgements(load, 20);
    const limits = await readLimits(url);
    const endedAt = performance.now();
    await sleep(loadMs);
    return await concludeFault('PgBouncer, transaction mode', load, world.db, endedAt, { statuses: [201] }, [
      limits === '5s 2s 2s' ? null : `the limits are ${limits}`,
    ]);
  } finally {
    await world.remove();
    await pooler.stop();
  }
}

/** PgBouncer is killed and started again. Then others take all its places for clients, and leave. */
export async function restartedAndFullPgBouncer(serverUrl: string, fullMs: number): Promise<Outcome> {
  const world = await makeWorld(serverUrl);
  const few: Settings = { max_client_conn: '20' };
  const pooler = await startPgBouncer(world.url, few);
  try {
    const service = await world.startService(behind(pooler, world.url));
    const load = startLoad({ bases: [service.base], tills: world.tills });
    await waitForAcknowledgements(load, 20);
    await pooler.restart();
    const restartedAt = performance.now();
    await sleepUntilAcknowledged(load, restartedAt);
    // The first to come after a restart has the places, so others take all of them before the service comes back.
    const greedy = openDatabase({
      url: pooler.through(world.url),
      poolSize: 20,
      preparedStatements: false,
      sendsSettings: false,
    });
    await pooler.restart();
    const holds = Array.from({ length: 20 }, () => greedy.pool.connect().catch(() => null));
    const clients = await Promise.all(holds);
    await sleep(fullMs);
    for (const client of clients) client?.release(true);
    await greedy.destroy();
    const emptiedAt = performance.now();
    await sleepUntilAcknowledged(load, emptiedAt);
    return await concludeFault('PgBouncer restarted and full', load, world.db, [restartedAt, emptiedAt], {}, [
      sentenceIfEnded(service),
    ]);
  } finally {
    await world.remove();
    await pooler.stop();
  }
}

/** The address leads to a pooler that no longer carries prepared statements, as after an upgrade or a change of its settings. */
export async function lostPreparedStatements(serverUrl: string): Promise<Outcome> {
  const world = await makeWorld(serverUrl);
  const pooler = await startPgBouncer(world.url, preparedStatements(false));
  const proxy = await startTcpProxy({ host: world.url.hostname, port: Number(world.url.port) });
  const url = Object.assign(new URL(world.url), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
  try {
    const service = await world.startService({ DATABASE_URL: url, DATABASE_DIRECT_URL: world.url.href });
    const load = startLoad({ bases: [service.base], tills: world.tills });
    await waitForAcknowledgements(load, 20);
    proxy.turnTo({ host: '127.0.0.1', port: pooler.port });
    proxy.refuse();
    proxy.answerAgain();
    const turnedAt = performance.now();
    await sleepUntilAcknowledged(load, turnedAt);
    const said = service.log.filter((line) => line.includes('set PREPARED_STATEMENTS=off')).length;
    return await concludeFault('PgBouncer without prepared statements', load, world.db, turnedAt, {}, [
      sentenceIfEnded(service),
      said === 1 ? null : `the log says ${said} times what to set`,
    ]);
  } finally {
    await world.remove();
    await proxy.close();
    await pooler.stop();
  }
}

/** The settings of a service behind a pooler of any version. */
function behind(pooler: PgBouncer, direct: URL): Record<string, string> {
  return {
    DATABASE_URL: pooler.through(direct),
    DATABASE_DIRECT_URL: direct.href,
    PREPARED_STATEMENTS: 'off',
  };
}

async function readLimits(url: string): Promise<string> {
  const db = openDatabase({ url, poolSize: 1, preparedStatements: false, sendsSettings: false });
  try {
    const { rows } = await sql<{ limits: string }>`
      select concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'),
                       current_setting('idle_in_transaction_session_timeout')) as limits`.execute(db);
    return rows[0]!.limits;
  } finally {
    await db.destroy();
  }
}
