/** The storage of PostgreSQL fails: fsync reports errors, the volume of its log is full, the device below it fails. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, sql } from '../../server/src/platform/db/database.ts';
import { concludeFault, sleepUntilAcknowledged, waitForAcknowledgements, type Outcome } from './fault.ts';
import { mountSmallVolume, whyNoSmallVolume } from './full-disk.ts';
import type { Load } from './journalled-load.ts';
import { MIXED, startMixedLoad } from './mixed-load.ts';
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts';
import type { Random } from '../../server/test/create-random.ts';
import { makeWorld, sentenceIfEnded } from './world.ts';

/** Returns why no error of fsync can be injected here, or null if one can. */
export function whyNoInjection(): string | null {
  const tried = spawnSync('strace', ['-qq', '-e', 'trace=none', '-e', 'inject=fsync:error=EIO', 'true']);
  return tried.status === 0 ? null : 'strace is not installed or may not be used';
}

/** Returns why no failing device can be made here, or null if one can. */
export function whyNoFailingDevice(): string | null {
  const noVolume = whyNoSmallVolume();
  if (noVolume !== null) return noVolume;
  return spawnSync('losetup', ['--find']).status === 0 && spawnSync('mkfs.ext4', ['-V']).status === 0
    ? null
    : 'this system has no loop devices';
}

/** fsync fails with EIO in all processes of PostgreSQL. It panics, as it must, and recovers from its log. */
export async function failingSync(random: Random): Promise<Outcome> {
  const postgres = await startOwnPostgres();
  try {
    return await withFailingStorage('fsync fails', postgres, random, async () => {
      const tracer = await injectSyncErrors(await postgres.processes());
      return async () => {
        tracer.kill('SIGTERM');
        if (tracer.exitCode === null) await once(tracer, 'exit');
        // A tracer that ends can swallow the news of a dead process, for which the postmaster then waits for ever.
        await postgres.stop('SIGQUIT');
      };
    });
  } finally {
    await postgres.remove();
  }
}

/** The volume with everything of PostgreSQL is full, so that it cannot extend its log. It panics. */
export async function fullLog(random: Random): Promise<Outcome> {
  const volume = mkdtempSync(join(tmpdir(), 'loyalty-volume-'));
  if (!mountSmallVolume(volume, '400m')) throw new Error('the volume could not be mounted');
  const postgres = await startOwnPostgres({ parent: volume });
  try {
    return await withFailingStorage('the volume of the log is full', postgres, random, async () => {
      const filler = join(volume, 'filler');
      fill(filler, volume);
      return async () => unlinkSync(filler);
    });
  } finally {
    await postgres.remove();
    spawnSync('umount', [volume]);
    rmSync(volume, { recursive: true });
  }
}

/** The device below the file system fails, as thin storage does that has run out. The file system turns read-only. */
export async function failingDevice(random: Random): Promise<Outcome> {
  const storage = mkdtempSync(join(tmpdir(), 'loyalty-volume-'));
  if (!mountSmallVolume(storage, '700m')) throw new Error('the volume could not be mounted');
  const image = join(storage, 'image');
  const volume = join(storage, 'volume');
  writeFileSync(image, '');
  truncateSync(image, 2 * 2 ** 30);
  mkdirSync(volume);
  run('mkfs.ext4', ['-q', '-E', 'lazy_itable_init=1,lazy_journal_init=1', image]);
  const mount = () => run('mount', ['-o', 'loop,errors=remount-ro', image, volume]);
  mount();
  chmodSync(volume, 0o755);
  // A log on the device that fails would end before the failure.
  const elsewhere = mkdtempSync(join(tmpdir(), 'loyalty-log-'));
  chmodSync(elsewhere, 0o777);
  const readLog = () => readFileSync(join(elsewhere, 'server.log'), 'utf8');
  const postgres = await startOwnPostgres({
    parent: volume,
    settings: ['logging_collector=on', `log_directory='${elsewhere}'`, "log_filename='server.log'"],
  });
  try {
    return await withFailingStorage(
      'the device fails',
      postgres,
      random,
      async () => {
        // Put on the device everything that was written before, such as its configuration.
        spawnSync('sync');
        const filler = join(storage, 'filler');
        fill(filler, storage);
        return async () => {
          await postgres.stop('SIGQUIT');
          run('umount', [volume]);
          unlinkSync(filler);
          // 1 means that errors were found and corrected.
          spawnSync('e2fsck', ['-y', image]);
          mount();
        };
      },
      readLog,
    );
  } finally {
    await postgres.remove();
    rmSync(elsewhere, { recursive: true });
    spawnSync('umount', [volume]);
    spawnSync('umount', [storage]);
    rmSync(storage, { recursive: true });
  }
}

async function withFailingStorage(
  fault: string,
  postgres: OwnPostgres,
  random: Random,
  fail: () => Promise<() => Promise<void>>,
  readLogElsewhere = () => '',
): Promise<Outcome> {
  const world = await makeWorld(postgres.adminUrl, { members: 60 });
  try {
    const service = await world.startService();
    const load = world.attach(startMixedLoad({ bases: [service.base], tills: world.tills, random }));
    await waitForAcknowledgements(load, 200);
    const repair = await fail();
    const failedAt = performance.now();
    await waitUntilNothingIsAcknowledged(load, postgres.adminUrl);
    const log = (await postgres.readLog()) + readLogElsewhere();
    await repair();
    // Some failures end PostgreSQL, others only its backends.
    await postgres.start();
    const endedAt = performance.now();
    await sleepUntilAcknowledged(load, endedAt);
    return await concludeFault(
      fault,
      load,
      world.db,
      endedAt,
      { statuses: MIXED, longestMs: 10_000 },
      [
        sentenceIfEnded(service),
        // The service's log counts as well.
        NOTICED.test(log) || service.log.some((line) => NOTICED.test(line))
          ? null
          : `PostgreSQL did not notice the failure. It said: ${lastLines(log.split('\n'))}. The service: ${lastLines(service.log)}`,
      ],
      {
        figures: {
          [`${fault}: ms`]: Math.round(endedAt - failedAt),
          panics: (log.match(/PANIC/g) ?? []).length,
        },
      },
    );
  } finally {
    await world.remove();
  }
}

const NOTICED =
  /PANIC|could not (fsync|write|extend|create|open|read|access|link)|Input\/output|No space|Read-only/;

function lastLines(lines: readonly string[]): string {
  return lines.slice(-4).join(' / ').slice(-1_000);
}

/** Writes go on for as long as there is room in what PostgreSQL has already. */
async function waitUntilNothingIsAcknowledged(load: Load, adminUrl: string): Promise<void> {
  const admin = openDatabase({ url: adminUrl, poolSize: 1, preparedStatements: false });
  const until = performance.now() + 60_000;
  try {
    for (;;) {
      const from = load.calls.length;
      // Each needs a new file of the log.
      await sql`select pg_switch_wal()`.execute(admin).catch(() => {});
      await sleep(2_000);
      const recent = load.calls.slice(from);
      if (recent.length > 0 && !recent.some(({ status }) => status === 200 || status === 201)) return;
      if (performance.now() > until) throw new Error('writes went on although the storage fails');
    }
  } finally {
    await admin.destroy();
  }
}

/** From its next fsync on, each of these processes and of their children gets an error. */
async function injectSyncErrors(pids: readonly number[]): Promise<ChildProcess> {
  const calls = 'fsync,fdatasync';
  const tracer = spawn(
    'strace',
    [
      '-f',
      '-qq',
      '-e',
      `trace=${calls}`,
      '-e',
      `inject=${calls}:error=EIO`,
      ...pids.flatMap((pid) => ['-p', String(pid)]),
    ],
    { stdio: 'ignore' },
  );
  await once(tracer, 'spawn');
  return tracer;
}

function fill(path: string, volume: string): void {
  const { bavail, bsize } = statfsSync(volume);
  try {
    writeFileSync(path, Buffer.alloc(bavail * bsize));
  } catch (error) {
    // PostgreSQL has taken some of the space meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}
