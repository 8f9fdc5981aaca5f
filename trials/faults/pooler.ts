/** The service behind PgBouncer in transaction mode. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, sql } from '../../server/src/platform/db/database.ts';
import { type PgBouncer, preparedStatements, startPgBouncer } from '../../server/test/pgbouncer.ts';
import { startTcpProxy } from '../../server/test/tcp-proxy.ts';
import {
  concludeFault,
  sleepUntilAcknowledged,
  waitForAcknowledgements,
  waitUntil,
  type Outcome,
} from './fault.ts';
import { startLoad } from './journalled-load.ts';
import { makeWorld, sentenceIfEnded } from './world.ts';

/** It starts as documented, and the time limits hold on the pooler's connections. */
export async function behindPgBouncer(serverUrl: string, loadMs: number): Promise<Outcome> {
  const world = await makeWorld(serverUrl);
  const pooler = await startPgBouncer(world.url);
  const url = pooler.through(world.url);
  try {
    const service = await world.startService(behind(pooler, world.url));
    const load = world.attach(startLoad({ bases: [service.base], tills: world.tills }));
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

/**
 * PgBouncer is killed and started again. Then others take all its places for clients before the service comes back, and
 * leave once a call was refused. Reads need connections of their own, so one place that the service might still get is not enough for it.
 */
export async function restartedAndFullPgBouncer(serverUrl: string, fullMs: number): Promise<Outcome> {
  const world = await makeWorld(serverUrl);
  const pooler = await startPgBouncer(world.url);
  try {
    const service = await world.startService(behind(pooler, world.url));
    const load = world.attach(startLoad({ bases: [service.base], tills: world.tills, alsoReads: true }));
    await waitForAcknowledgements(load, 20);
    await pooler.restart();
    const restartedAt = performance.now();
    await sleepUntilAcknowledged(load, restartedAt);
    // Frozen, the service cannot be faster than the others.
    service.child.kill('SIGSTOP');
    await pooler.restart({ max_client_conn: String(PLACES) });
    const leave = await takePlaces(pooler.through(world.url));
    service.child.kill('SIGCONT');
    const fullAt = performance.now();
    const isRefused = () => load.calls.some(({ status, startedAt }) => status === 503 && startedAt > fullAt);
    await waitUntil(isRefused);
    await sleep(fullMs);
    const wasRefused = isRefused();
    await leave();
    const emptiedAt = performance.now();
    await sleepUntilAcknowledged(load, emptiedAt);
    return await concludeFault(
      'PgBouncer restarted and full',
      load,
      world.db,
      [restartedAt, emptiedAt],
      { statuses: [200, 201, 503] },
      [sentenceIfEnded(service), wasRefused ? null : 'no call was refused although the pooler was full'],
    );
  } finally {
    await world.remove();
    await pooler.stop();
  }
}

const PLACES = 5;

/** Takes all places for clients that are free: one that is refused says that none is left. Returns how to leave them. */
async function takePlaces(url: string): Promise<() => Promise<void>> {
  const others = openDatabase({ url, poolSize: PLACES, preparedStatements: false, sendsSettings: false });
  const asked = await Promise.allSettled(Array.from({ length: PLACES }, () => others.pool.connect()));
  const taken = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (taken.length === 0) throw new Error('PgBouncer had no place at all');
  return async () => {
    for (const client of taken) client.release(true);
    await others.destroy();
  };
}

/**
 * The address leads to a pooler that no longer carries prepared statements, as after an upgrade or a change of its settings. The first
 * statement fails when two connections meet on one of the server, which may take a moment.
 */
export async function lostPreparedStatements(serverUrl: string): Promise<Outcome> {
  const world = await makeWorld(serverUrl);
  const pooler = await startPgBouncer(world.url, preparedStatements(false));
  const proxy = await startTcpProxy({ host: world.url.hostname, port: Number(world.url.port) });
  const url = Object.assign(new URL(world.url), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
  try {
    const service = await world.startService({ DATABASE_URL: url, DATABASE_DIRECT_URL: world.url.href });
    const load = world.attach(startLoad({ bases: [service.base], tills: world.tills, alsoReads: true }));
    await waitForAcknowledgements(load, 20);
    proxy.turnTo({ host: '127.0.0.1', port: pooler.port });
    proxy.refuse();
    proxy.answerAgain();
    const turnedAt = performance.now();
    const countSaid = () => service.log.filter((line) => line.includes('set PREPARED_STATEMENTS=off')).length;
    await waitUntil(() => countSaid() > 0);
    await sleepUntilAcknowledged(load, performance.now());
    const said = countSaid();
    return await concludeFault(
      'PgBouncer without prepared statements',
      load,
      world.db,
      turnedAt,
      { statuses: [200, 201, 503] },
      [sentenceIfEnded(service), said === 1 ? null : `the log says ${said} times what to set`],
    );
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
