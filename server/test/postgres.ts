/**
 * A throwaway PostgreSQL for one test run, in a temporary folder. It is the same as the service's embedded one,
 * except that it does not wait for the disk. To test on another PostgreSQL, set `PG_BIN` to the folder of its
 * programs.
 */
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '#db/embedded/alive.ts';
import { findBinaries, readBinaries } from '#db/embedded/binaries.ts';
import { createCluster, readPassword, superuser } from '#db/embedded/cluster.ts';
import { writeUrl } from '#db/embedded/embedded.ts';
import { chooseUnprivilegedUser } from '#db/embedded/place.ts';
import { findPostmaster, startPostmaster, stopPostmaster } from '#db/embedded/postmaster.ts';

export interface ScratchServer {
  /** The address for the superuser, on the database `postgres`. */
  readonly adminUrl: string;
  stop(): Promise<void>;
}

const prefix = 'loyalty-test-';

/** Starts the server. `stop` deletes it completely. Servers that killed runs have left behind are removed first. */
export async function startScratchServer({
  pgBin = process.env['PG_BIN'],
}: { pgBin?: string | undefined } = {}): Promise<ScratchServer> {
  await removeAbandoned();
  const base = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  const runAs = process.getuid?.() === 0 ? chooseUnprivilegedUser(null) : null;
  if (runAs) await chmod(base, 0o711);
  const folder = join(base, 'postgresql');
  const binaries = pgBin ? await readBinaries(pgBin) : await findBinaries({ runAs, copyTo: base });
  await createCluster({ folder, binaries, runAs, durable: false });
  const server = await startPostmaster({ folder, binaries, runAs, durable: false });
  if (!server) throw new Error(`Another process started PostgreSQL in ${folder}.`);
  return {
    adminUrl: writeUrl(superuser, await readPassword(folder), server.port, 'postgres'),
    stop: () => removeServer(base),
  };
}

async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
    if (owner > 0 && !isAlive(owner)) await removeServer(join(tmpdir(), name));
  }
}

async function removeServer(base: string): Promise<void> {
  const folder = join(base, 'postgresql');
  const server = await findPostmaster(folder);
  if (server) await stopPostmaster(folder, server.pid);
  await rm(base, { recursive: true, force: true });
}
