/**
 * The service is stopped, and all machines are restored to a restore point that was set under load: `node trials/cluster/restore-point.ts BIN`. Each is copied with
 * `pg_basebackup` and archives its log. What was acknowledged before the point is there, a purchase and its mail are there together or not at all, and the books agree.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, sql, type Database } from '../../server/src/platform/db/database.ts';
import { findFreePort } from '../../server/src/platform/db/embedded/free-port.ts';
import type { OwnPostgres } from '../faults/own-postgres.ts';
import { endService, makeWorld } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { askDoctor, runCommand } from './command.ts';
import { printOutcome, startLoads, untilDecided } from './loads.ts';

const [bin] = process.argv.slice(2);
if (bin === undefined) throw new Error('node trials/cluster/restore-point.ts BIN');
const POINT = 'before-the-fire';

const cluster = await startCluster(bin, {
  settings: ['archive_mode = on', "archive_command = 'mkdir -p ../archive && cp %p ../archive/%f'"],
});
const servers = [cluster.coordinator, ...cluster.workers];
let kept = true;
try {
  const world = await makeWorld(cluster.coordinator.adminUrl, {
    members: 20,
    create: (name) => cluster.createDatabase(name),
  });
  const owner = cluster.open(world.url.pathname.slice(1));
  try {
    const port = { CLUSTER: 'citus', PORT: String(await findFreePort()) };
    const service = await world.startService(port);
    const loads = startLoads(world, service);
    await loads.more(60);
    for (const server of servers) copyBase(server);
    await loads.more(100);
    await sql`select citus_create_restore_point(${POINT})`.execute(owner);
    const before = loads.acknowledged();
    await loads.more(200);
    for (const server of servers) await archive(server);
    await owner.destroy();
    await endService(service, 'SIGTERM');
    for (const server of servers) await server.stop('SIGINT');
    const stoppedAt = performance.now();
    for (const server of servers) await restore(server);
    const restoredAt = performance.now();
    console.log(`  all three were there again after ${Math.round(restoredAt - stoppedAt)} ms`);
    // Like a service that has just started, this process must know nothing of ids that will be given out again.
    world.db.memory.clear();
    await untilDecided(world.db);
    await beginAboveLostIds(world.url);
    const next = await world.startService(port);
    const doctor = await askDoctor(world, 'cluster');
    const verify = await runCommand(world, ['ledger', 'verify']);
    const atOnce = loads.acknowledged();
    await loads.more(100);
    const outcome = await loads.conclude('all machines are restored to a point', restoredAt, {
      longestMs: 60_000,
      firstAcknowledgedMs: 60_000,
    });
    printOutcome({ ...outcome, failed: [] }, next);
    const { acknowledged, lost, doubled, differences } = outcome.books;
    const halves = outcome.failed.filter((says) => says.includes('no mail') || says.includes('no purchase'));
    expect(
      acknowledged - lost >= before + 100,
      `${before} purchases were acknowledged before the point, ${acknowledged} in all, and ${lost} are gone`,
    );
    expect(
      lost <= atOnce - before,
      `${atOnce - before} were acknowledged after the point and before the restore`,
    );
    expect(lost > 0, 'what was acknowledged after the point is gone');
    expect(
      doubled === 0 && differences === 0,
      `${doubled} are there twice, and the books have ${differences} differences`,
    );
    expect(
      halves.length === 0,
      `${halves.length} purchases of strangers have no mail, or a mail has no purchase`,
    );
    expect(doctor.length === 0, `the doctor says: ${doctor.join(' ')}`);
    expect(
      verify.code === 0,
      `ledger verify exits with ${verify.code}: ${(verify.stdout + verify.stderr).slice(0, 3000)}`,
    );
  } finally {
    await world.remove();
  }
} finally {
  await cluster.remove();
}
console.log(kept ? 'every promise was kept' : 'promises were not kept');
process.exitCode = kept ? 0 : 1;

function expect(isTrue: boolean, says: string): void {
  console.log(`  ${isTrue ? '' : 'FAILED '}${says}`);
  kept &&= isTrue;
}

/** As docs/scaling.md says: shops still know the numbers of what is gone. */
async function beginAboveLostIds({ pathname }: URL): Promise<void> {
  const owner = cluster.open(pathname.slice(1));
  try {
    await sql`
      select setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, 0) + 1000000)
        from pg_sequences
       where schemaname = 'public'`.execute(owner);
  } finally {
    await owner.destroy();
  }
}

function copyBase({ adminUrl, folder, runAs }: OwnPostgres): void {
  execFileSync(
    join(bin!, 'pg_basebackup'),
    ['--dbname', adminUrl, '--pgdata', join(folder, 'base'), '--checkpoint=fast'],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], ...runAs },
  );
}

/** Ends the segment of the log that is written now, and waits until it is in the archive. */
async function archive({ adminUrl }: OwnPostgres): Promise<void> {
  await at(adminUrl, async (db) => {
    const { rows } = await sql<{
      name: string;
    }>`select pg_walfile_name(pg_switch_wal()) as name`.execute(db);
    for (;;) {
      const { rows: archived } = await sql`
        select from pg_stat_archiver where last_archived_wal >= ${rows[0]!.name}`.execute(db);
      if (archived.length > 0) return;
      await sleep(100);
    }
  });
}

/** Starts the copy in the place of the server, with its log up to the restore point. */
async function restore(server: OwnPostgres): Promise<void> {
  const folder = join(server.folder, 'cluster');
  execFileSync('rm', ['-r', folder]);
  execFileSync('mv', [join(server.folder, 'base'), folder]);
  appendFileSync(
    join(folder, 'postgresql.conf'),
    `restore_command = 'cp ../archive/%f %p'\nrecovery_target_name = '${POINT}'\nrecovery_target_action = 'promote'\n`,
  );
  const signal = join(folder, 'recovery.signal');
  writeFileSync(signal, '');
  if (server.runAs) chownSync(signal, server.runAs.uid, server.runAs.gid);
  await server.start();
  await at(server.adminUrl, async (db) => {
    for (;;) {
      const { rows } = await sql`select where not pg_is_in_recovery()`.execute(db);
      if (rows.length > 0) return;
      await sleep(100);
    }
  });
}

async function at(url: string, work: (db: Database) => Promise<unknown>): Promise<void> {
  const db = openDatabase({
    url,
    poolSize: 1,
    preparedStatements: false,
    statementTimeoutMs: 0,
  });
  try {
    await work(db);
  } finally {
    await db.destroy();
  }
}
