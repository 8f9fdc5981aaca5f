/** The volume of the database's tables is full. The write-ahead log is on another, as the documentation asks for. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, sql } from '../../server/src/platform/db/database.ts';
import { chooseUnprivilegedUser } from '../../server/src/platform/db/embedded/place.ts';
import { becomesReady, concludeFault, waitForAcknowledgements, type Outcome } from './fault.ts';
import { startLoad } from './journalled-load.ts';
import { makeWorld } from './world.ts';

const SIZE = '48m';

/** Returns why no small volume can be made here, or null if one can. */
export function whyNoSmallVolume(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'only root on Linux can mount a volume';
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-mount-'));
  const mounted = mountSmallVolume(folder, SIZE);
  if (mounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return mounted ? null : 'this system does not allow to mount a volume';
}

export async function fullDisk(serverUrl: string, fullMs: number): Promise<Outcome> {
  const volume = mkdtempSync(join(tmpdir(), 'loyalty-volume-'));
  if (!mountSmallVolume(volume, SIZE)) throw new Error('the volume could not be mounted');
  const tables = join(volume, 'tables');
  const filler = join(volume, 'filler');
  const { uid, gid } = chooseUnprivilegedUser(null);
  mkdirSync(tables);
  chownSync(tables, uid, gid);
  chmodSync(volume, 0o755);
  const admin = openDatabase({ url: serverUrl, poolSize: 1, preparedStatements: false });
  const tablespace = `small_${process.pid}`;
  await sql`create tablespace ${sql.id(tablespace)} location ${sql.raw(`'${tables}'`)}`.execute(admin);
  const world = await makeWorld(serverUrl, { tablespace });
  try {
    const service = await world.startService();
    const load = world.attach(startLoad({ bases: [service.base], tills: world.tills }));
    await waitForAcknowledgements(load, 50);
    const { bavail, bsize } = statfsSync(volume);
    try {
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    } catch (error) {
      // The database has taken some of the space meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
    // Pages that are already there take more rows until they are full.
    const isUnready = await becomesReady(service.base, 503);
    await sleep(fullMs);
    const wasUnready = await becomesReady(service.base, 503);
    unlinkSync(filler);
    const endedAt = performance.now();
    const isReady = await becomesReady(service.base, 200);
    await sleep(1_000);
    return await concludeFault('full disk', load, world.db, endedAt, {}, [
      isUnready && wasUnready ? null : '/readyz stayed 200 while writes failed',
      isReady ? null : '/readyz stayed 503',
    ]);
  } finally {
    await world.remove();
    await sql`drop tablespace ${sql.id(tablespace)}`.execute(admin);
    await admin.destroy();
    spawnSync('umount', [volume]);
    rmSync(volume, { recursive: true });
  }
}

/** Mounts an empty volume in memory. Returns false if this system does not allow it. */
export function mountSmallVolume(folder: string, size: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'none', folder]).status === 0;
}
