/**
 * The program's own PostgreSQL, in the data folder. Whoever uses it holds a shared lock on it for as long as
 * its connection lives, and the last one to leave stops the server: a command beside a running service leaves
 * it alone, and a service whose process was killed leaves a server that the next start adopts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { access } from 'node:fs/promises';
import { Client } from 'pg';
import { Refusal } from '../../refusal.ts';
import { findBinaries } from './binaries.ts';
import { checkVersion, createCluster, readPassword, superuser } from './cluster.ts';
import { findPlace, type Place } from './place.ts';
import { runningPostmaster, startPostmaster, stopPostmaster } from './postmaster.ts';

export interface EmbeddedOptions {
  /** Absolute. */
  readonly dataDir: string;
  /** Takes whole sentences. */
  readonly log: (sentence: string) => void;
}

export interface Embedded {
  /** For the program: the owner of the database `loyalty`, no superuser. */
  readonly url: string;
  /** For copies of the whole cluster: its superuser, on the database `postgres`. */
  readonly adminUrl: string;
  /** The folder that a copy of the database has to hold: `cluster/` and its `password`. */
  readonly folder: string;
  /** The server ran already. */
  readonly adopted: boolean;
  /** The database was made by this call. */
  readonly initialised: boolean;
}

export class AnotherServiceRuns extends Refusal {
  constructor(dataDir: string, holder: string | null) {
    super(
      `Another service${holder ? ` (${holder})` : ''} already runs on ${dataDir}: ` +
        'stop it, or give this one its own DATA_DIR.',
    );
  }
}

/**
 * For the service: at most one on a data folder, `AnotherServiceRuns` for a second one. While it runs, a server
 * that dies is started again on the same port. `stop` ends the server, unless a command still uses it.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded & { stop(): Promise<void> }> {
  const { dataDir, log } = options;
  const place = await findPlace(dataDir);
  let joined = await join(place, log, {});
  const life = { stopping: false };
  let rejoining: Promise<void> | null = null;
  const { port } = joined;

  if (!(await lockService(joined.client, 20))) {
    const holder = await serviceHolder(joined.client);
    await leave(place, joined);
    throw new AnotherServiceRuns(dataDir, holder);
  }
  watch();
  return {
    ...describe(place, joined),
    async stop() {
      life.stopping = true;
      await rejoining;
      await leave(place, joined);
    },
  };

  /** The lock is gone with its connection: that is taken again, and the server started where it is down. */
  function watch(): void {
    joined.client.once('end', () => {
      if (!life.stopping) rejoining = rejoin();
    });
  }

  async function rejoin(): Promise<void> {
    log('PostgreSQL went away; it is started again where it does not come back by itself.');
    while (!life.stopping) {
      try {
        joined = await join(place, log, { port });
        await lockService(joined.client, 20);
        watch();
        log('PostgreSQL is back.');
        return;
      } catch (error) {
        log(`PostgreSQL is not back yet: ${(error as Error).message}`);
        await sleep(1000);
      }
    }
  }
}

/**
 * For a command: the database of the running service, or one that is started for the command. `release` stops
 * the server if nobody else uses it.
 */
export async function borrowEmbedded(
  options: EmbeddedOptions,
): Promise<Embedded & { release(): Promise<void> }> {
  const place = await findPlace(options.dataDir);
  const joined = await join(place, options.log, {});
  return { ...describe(place, joined), release: () => leave(place, joined) };
}

interface Joined {
  readonly client: Client;
  readonly pid: number;
  readonly port: number;
  readonly password: string;
  readonly adopted: boolean;
  readonly initialised: boolean;
}

/** Application-wide constants; advisory locks on the database `postgres`, where the program takes no other. */
const usersLock = 727_001;
const serviceLock = 727_002;
const joinMs = 60_000;

/** Comes back with a connection that counts as a user, through other processes' starts and stops in between. */
async function join(
  place: Place,
  log: (sentence: string) => void,
  { port }: { port?: number },
): Promise<Joined> {
  const until = performance.now() + joinMs;
  let initialised = false;
  let adopted = true;
  for (;;) {
    let running = await runningPostmaster(place.folder);
    if (!running) {
      const binaries = await findBinaries({ runAs: place.runAs, copyTo: place.base });
      if (!(await exists(place.folder))) {
        log(`Making a database in ${place.folder}.`);
        initialised = await createCluster({ ...place, binaries, durable: true });
      }
      await checkVersion(place.folder, binaries);
      running = await startPostmaster({ ...place, binaries, durable: true, ...(port ? { port } : {}) });
      adopted = running === null;
    }
    try {
      if (running?.port) return { ...(await enter(place, running.port)), ...running, adopted, initialised };
    } catch (error) {
      if (!isComingOrGoing(error) || performance.now() > until) throw error;
    }
    await sleep(25);
  }
}

/** The password proves both sides: a server that does not know it is not the one of this folder. */
async function enter(place: Place, port: number): Promise<{ client: Client; password: string }> {
  const password = await readPassword(place.folder);
  const client = new Client({
    connectionString: urlOf(superuser, password, port, 'postgres'),
    application_name: `process ${process.pid}`,
    keepAlive: true,
  });
  // A connection that breaks ends; 'end' is what is listened to.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select pg_advisory_lock_shared($1)', [usersLock]);
    await createDatabase(client, password);
    return { client, password };
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** Once in the life of a cluster; two starts at the same time may both try. */
async function createDatabase(client: Client, password: string): Promise<void> {
  const { rowCount } = await client.query(`select from pg_database where datname = 'loyalty'`);
  if (rowCount === 1) return;
  await client
    .query(`create role loyalty login createdb password ${client.escapeLiteral(password)}`)
    .catch(unlessExists);
  await client.query('create database loyalty owner loyalty').catch(unlessExists);
}

function unlessExists(error: { code?: string }): void {
  if (!['42710', '42P04', '23505'].includes(error.code ?? '')) throw error;
}

/** A killed service's lock goes when PostgreSQL reads the end of its connection: a moment, so it is asked again. */
async function lockService(client: Client, attempts: number): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [
      serviceLock,
    ]);
    if (rows[0]?.got === true) return true;
    if (attempt === attempts) return false;
    await sleep(50);
  }
}

async function serviceHolder(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ holder: string }>(
    `select a.application_name as holder
       from pg_locks l
       join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.objid = $1 and l.granted`,
    [serviceLock],
  );
  return rows[0]?.holder ?? null;
}

/** Who gets the lock alone is the last one, and stops the server before anybody else can get in. */
async function leave(place: Place, { client, pid }: Joined): Promise<void> {
  let isLast = false;
  try {
    await client.query('select pg_advisory_unlock_all()');
    const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [
      usersLock,
    ]);
    isLast = rows[0]?.got === true;
  } catch {
    // The connection is gone, and with it every lock and every duty.
  }
  if (isLast) await stopPostmaster(place.folder, pid);
  await client.end().catch(() => {});
}

/** Errors of a server that starts, stops or is being replaced. */
function isComingOrGoing(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03'].includes(code ?? '') ||
    // The driver's own words carry no code: "Connection terminated …", "… and is not queryable".
    /^Connection terminated|is not queryable$/.test(message ?? '')
  );
}

function describe(place: Place, { port, password, adopted, initialised }: Joined): Embedded {
  return {
    url: urlOf('loyalty', password, port, 'loyalty'),
    adminUrl: urlOf(superuser, password, port, 'postgres'),
    folder: place.folder,
    adopted,
    initialised,
  };
}

/** Says `sslmode` because PGSSLMODE in the environment would else decide. */
export function urlOf(user: string, password: string, port: number, database: string): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
