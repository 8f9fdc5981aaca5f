/**
 * The primary of two PostgreSQL servers is lost, and the address leads to its standby, which is promoted. Commits wait for
 * the standby, so nothing that was acknowledged may be lost.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, sql } from '../../server/src/platform/db/database.ts';
import { concludeFault, sleepUntilAcknowledged, waitForAcknowledgements, type Outcome } from './fault.ts';
import { MIXED, startMixedLoad } from './mixed-load.ts';
import { findSystemBinaries, startOwnPostgres } from './own-postgres.ts';
import type { Random } from '../../server/test/create-random.ts';
import { through } from './silence.ts';
import { sendSignal } from './stops.ts';
import { startTcpProxy } from '../../server/test/tcp-proxy.ts';
import { makeWorld, sentenceIfEnded } from './world.ts';

/** Returns why there can be no standby here, or null if there can. */
export function whyNoStandby(): string | null {
  return findSystemBinaries() === null ? 'no PostgreSQL with `pg_basebackup` is installed' : null;
}

export async function failover(random: Random): Promise<Outcome> {
  const binaries = findSystemBinaries()!;
  const primary = await startOwnPostgres({ binaries, settings: ['wal_level = replica'] });
  const standby = await startOwnPostgres({ binaries, standbyOf: primary });
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: primary.port });
  await waitForStandby(primary.adminUrl);
  const world = await makeWorld(through(new URL(primary.adminUrl), proxy.port), { members: 60 });
  try {
    const services = [await world.startService(), await world.startService()];
    const load = world.attach(
      startMixedLoad({ bases: services.map(({ base }) => base), tills: world.tills, random }),
    );
    await waitForAcknowledgements(load, 200);
    await sleep(random.below(1_000));
    // Dead, or alive and out of reach: then its open connections stay silent for ever.
    const isKilled = random.next() < 0.5;
    const lost = await primary.processes();
    if (!isKilled) proxy.silenceOpenConnections();
    for (const pid of lost) sendSignal(pid, isKilled ? 'SIGKILL' : 'SIGSTOP');
    const lostAt = performance.now();
    await promote(standby.adminUrl);
    proxy.turnTo({ host: '127.0.0.1', port: standby.port });
    const endedAt = performance.now();
    await sleepUntilAcknowledged(load, endedAt);
    // A connection that was open before may be silent for ever.
    const anew = openDatabase({ url: world.url.href, poolSize: 2, preparedStatements: false });
    try {
      return await concludeFault(
        'failover to a standby by address',
        load,
        anew,
        endedAt,
        { statuses: MIXED },
        services.map(sentenceIfEnded),
        { figures: { failovers: 1, 'ms until the standby was promoted': Math.round(endedAt - lostAt) } },
      );
    } finally {
      await anew.destroy();
    }
  } finally {
    await world.remove();
    await proxy.close();
    await standby.remove();
    // A frozen process does not hear that it should stop.
    for (const pid of await primary.processes()) sendSignal(pid, 'SIGKILL');
    await primary.remove();
  }
}

async function waitForStandby(primaryUrl: string): Promise<void> {
  const db = openDatabase({ url: primaryUrl, poolSize: 1, preparedStatements: false });
  try {
    // Set here and not in the file, which the standby has copied: after its promotion it has no standby to wait for.
    await sql`alter system set synchronous_standby_names = '*'`.execute(db);
    await sql`select pg_reload_conf()`.execute(db);
    const isSynchronous = async () => {
      const { rows } = await sql`select from pg_stat_replication where sync_state = 'sync'`.execute(db);
      return rows.length > 0;
    };
    while (!(await isSynchronous())) await sleep(50);
  } finally {
    await db.destroy();
  }
}

async function promote(standbyUrl: string): Promise<void> {
  const db = openDatabase({ url: standbyUrl, poolSize: 1, preparedStatements: false, statementTimeoutMs: 0 });
  try {
    await sql`select pg_promote()`.execute(db);
  } finally {
    await db.destroy();
  }
}
