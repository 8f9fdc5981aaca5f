/**
 * The program's own PostgreSQL, in the data folder. Every process that uses it holds a shared advisory lock on its
 * own connection, and the last process to leave stops the server. So a command does not stop the server of a running
 * service, and a service that is killed leaves a server that the next start adopts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { Refusal } from '#base/refusal.ts';
import { findBinaries, readBinaries } from './binaries.ts';
import { checkVersion, createCluster, readPassword, superuser } from './cluster.ts';
import { findExistingPlace, findPlace, type Place } from './place.ts';
import { findPostmaster, startPostmaster, stopPostmaster } from './postmaster.ts';
import { rememberPlace, tellOfTraces } from './remembered-place.ts';
import { createWaitTeller } from './wait-teller.ts';

export interface EmbeddedOptions {
  /** An absolute path. */
  readonly dataDir: string;
  /** The folder with PostgreSQL's programs. By default, those that npm has installed. */
  readonly postgresBin?: string | null;
  readonly log: (sentence: string) => void;
  /** Called whenever a program of PostgreSQL has begun to run, while this process only waits for it. */
  readonly onSpawn?: (() => void) | undefined;
}

export interface Embedded {
  /** The program's address: as the owner of the database `loyalty`, who is not a superuser. */
  readonly url: string;
  /** The address for backups of the whole cluster: as the superuser, on the database `postgres`. */
  readonly adminUrl: string;
  /** The folder to back up, with `cluster/` and its `password`. */
  readonly folder: string;
  /** True if the server was already running. */
  readonly adopted: boolean;
  /** True if this call created the database. */
  readonly initialised: boolean;
}

/** Only the service creates a database, so that a command in a wrong folder does not begin another one there. */
export class NoDatabase extends Refusal {
  constructor(dataDir: string) {
    super(
      `There is no database in ${dataDir} yet. Start the service once (\`npm start\`), or set DATABASE_URL or DATA_DIR.`,
    );
  }
}

export class AnotherServiceRuns extends Refusal {
  constructor(dataDir: string, holder: string | null) {
    super(
      `Another service${holder ? ` (${holder})` : ''} already runs on ${dataDir}. ` +
        'Stop it, or give this one its own DATA_DIR.',
    );
  }
}

/** The database was moved to another server, so nothing may be recorded in it any more. */
export class DatabaseMoved extends Refusal {
  constructor(mark: string, to: string) {
    super(
      `This database was moved to ${to}. Set DATABASE_URL to that address. To go on with the old data instead, delete ${mark}.`,
    );
  }
}

/** Something else uses the database, or somebody has it for himself. */
export class DatabaseInUse extends Refusal {}

/**
 * Starts the database for the service, and restarts it on the same port if it dies. Only one service may run on a
 * data folder. `stop` stops the server, unless a command still uses it.
 * @throws AnotherServiceRuns
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded & { stop(): Promise<void> }> {
  const { dataDir, log, postgresBin, onSpawn } = options;
  const place = await findPlace(dataDir);
  const traces = await tellOfTraces(dataDir);
  let joined = await joinServer(place, log, { postgresBin, onSpawn });
  if (joined.initialised && traces !== null) log(traces);
  await rememberPlace(dataDir, place.base);
  const life = { stopping: false };
  let rejoining: Promise<void> | null = null;
  const { port } = joined;

  if (!(await lockService(joined.client, 20))) {
    const holder = await serviceHolder(joined.client);
    await leaveServer(place, joined);
    throw new AnotherServiceRuns(dataDir, holder);
  }
  watchConnection();
  return {
    ...describe(place, joined),
    async stop() {
      life.stopping = true;
      await rejoining;
      await leaveServer(place, joined);
    },
  };

  /** Waits for the loss of the connection, which also loses the lock, and then takes both again. */
  function watchConnection(): void {
    joined.client.once('end', () => {
      if (!life.stopping) rejoining = rejoin();
    });
  }

  async function rejoin(): Promise<void> {
    log('The connection to PostgreSQL was lost. PostgreSQL is restarted if it is down.');
    while (!life.stopping) {
      try {
        joined = await joinServer(place, log, { samePort: port, postgresBin });
        await lockService(joined.client, 20);
        watchConnection();
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
 * Returns the database for a command: that of the running service, or one that is started for the command. `release`
 * stops the server if nobody else uses it.
 * @throws NoDatabase if no service has created it
 */
export async function borrowEmbedded(
  options: EmbeddedOptions,
): Promise<Embedded & { release(): Promise<void> }> {
  const place = await findExistingPlace(options.dataDir);
  if (place === null) throw new NoDatabase(options.dataDir);
  const { postgresBin, onSpawn } = options;
  const joined = await joinServer(place, options.log, { postgresBin, onSpawn });
  return { ...describe(place, joined), release: () => leaveServer(place, joined) };
}

/**
 * Takes the database of a data folder for one command alone: no service and no other command uses it, and none begins to before
 * `release`. After `markMoved`, nobody can use it any more.
 * @throws NoDatabase, AnotherServiceRuns, DatabaseInUse, DatabaseMoved
 */
export async function seizeEmbedded(
  options: EmbeddedOptions,
): Promise<Embedded & { markMoved(to: string): Promise<void>; release(): Promise<void> }> {
  const { dataDir, log, postgresBin } = options;
  const place = await findExistingPlace(dataDir);
  if (place === null) throw new NoDatabase(dataDir);
  const joined = await joinServer(place, log, { postgresBin });
  const { client } = joined;
  const holder = await serviceHolder(client);
  await client.query('select pg_advisory_unlock_shared($1)', [usersLock]);
  const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [
    usersLock,
  ]);
  if (rows[0]?.got !== true) {
    await client.end();
    if (holder !== null) throw new AnotherServiceRuns(dataDir, holder);
    throw new DatabaseInUse(`Another command is using the database in ${dataDir}. Wait until it has ended.`);
  }
  return {
    ...describe(place, joined),
    markMoved: (to) => writeFile(markIn(place), JSON.stringify({ to }), { flush: true }),
    release: () => leaveServer(place, joined),
  };
}

function markIn({ folder }: Place): string {
  return join(folder, 'moved.json');
}

/** @throws DatabaseMoved */
async function refuseMoved(place: Place): Promise<void> {
  const mark = markIn(place);
  if (!(await exists(mark))) return;
  const { to } = JSON.parse(await readFile(mark, 'utf8')) as { to: string };
  throw new DatabaseMoved(mark, to);
}

interface Joined {
  readonly client: Client;
  readonly pid: number;
  readonly port: number;
  readonly password: string;
  readonly adopted: boolean;
  readonly initialised: boolean;
}

/** The keys of advisory locks on the database `postgres`, where the program takes no other locks. */
const usersLock = 727_001;
const serviceLock = 727_002;
const joinMs = 60_000;

/** Connects to the server and starts it if needed, even while other processes start or stop it. */
async function joinServer(
  place: Place,
  log: (sentence: string) => void,
  options: {
    /** The port of the server before this one, whose address is in use. By default a free one. */
    readonly samePort?: number;
    readonly postgresBin?: string | null | undefined;
    readonly onSpawn?: (() => void) | undefined;
  },
): Promise<Joined> {
  const { samePort: port, postgresBin, onSpawn } = options;
  const until = performance.now() + joinMs;
  const tell = createWaitTeller(log);
  let initialised = false;
  let adopted = true;
  for (;;) {
    await refuseMoved(place);
    let running = await findPostmaster(place.folder);
    if (!running) {
      const binaries = postgresBin
        ? await readBinaries(postgresBin)
        : await findBinaries({ runAs: place.runAs, copyTo: place.base });
      if (!(await exists(place.folder))) {
        log(`Creating a database in ${place.folder}.`);
        initialised = await createCluster({ ...place, binaries, durable: true, onSpawn });
      }
      await checkVersion(place.folder, binaries);
      const server = { ...place, binaries, durable: true, onSpawn, tell };
      running = await startPostmaster({ ...server, ...(port ? { port } : {}) });
      adopted = running === null;
    }
    try {
      if (running?.port) {
        const joined = { ...(await connectAsUser(place, running.port)), ...running, adopted, initialised };
        // It may have been moved while this waited for its turn.
        await refuseMoved(place).catch(async (error: unknown) => {
          await leaveServer(place, joined);
          throw error;
        });
        return joined;
      }
    } catch (error) {
      if (!isComingOrGoing(error) || performance.now() > until) throw error;
      tell(() => (error as Error).message);
    }
    await sleep(25);
  }
}

/** Connects and takes the users' lock. A server that does not accept the password belongs to another folder. */
async function connectAsUser(place: Place, port: number): Promise<{ client: Client; password: string }> {
  const password = await readPassword(place.folder);
  const client = new Client({
    connectionString: writeUrl(superuser, password, port, 'postgres'),
    application_name: `process ${process.pid}`,
    keepAlive: true,
  });
  // A broken connection also emits 'end', which is handled elsewhere.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(`set lock_timeout = '5s'`);
    await client
      .query('select pg_advisory_lock_shared($1)', [usersLock])
      .catch((error: { code?: string }) => {
        if (error.code !== '55P03') throw error;
        throw new DatabaseInUse(`The database in ${place.folder} is being moved. Wait until that has ended.`);
      });
    await client.query('reset lock_timeout');
    await createDatabase(client, password);
    return { client, password };
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** Creates the database if it does not exist yet. Two starts may try at the same time. */
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

/** Takes the service's lock. Retries, because PostgreSQL needs a moment to release the lock of a killed service. */
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

/** Leaves the server. A process that gets the exclusive lock is the last one, so it stops the server. */
async function leaveServer(place: Place, { client, pid }: Joined): Promise<void> {
  let isLast = false;
  try {
    await client.query('select pg_advisory_unlock_all()');
    const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [
      usersLock,
    ]);
    isLast = rows[0]?.got === true;
  } catch {
    // The connection is lost and its locks with it, so this process must not stop the server.
  }
  if (isLast) await stopPostmaster(place.folder, pid);
  await client.end().catch(() => {});
}

/** Returns true for the errors of a server that is starting, stopping or being replaced. */
function isComingOrGoing(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03'].includes(code ?? '') ||
    // The driver's own errors have no code: "Connection terminated …", "… and is not queryable".
    /^Connection terminated|is not queryable$/.test(message ?? '')
  );
}

function describe(place: Place, { port, password, adopted, initialised }: Joined): Embedded {
  return {
    url: writeUrl('loyalty', password, port, 'loyalty'),
    adminUrl: writeUrl(superuser, password, port, 'postgres'),
    folder: place.folder,
    adopted,
    initialised,
  };
}

/** Writes the address of a database, with `sslmode` because otherwise PGSSLMODE in the environment would apply. */
export function writeUrl(user: string, password: string, port: number, database: string): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
