/** A database with shops and members, and service processes on it, for the programs that inject faults. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { applyProgram } from '../../server/src/loyalty/apply/apply-program.ts';
import { createKey } from '../../server/src/loyalty/commerces/api-keys.ts';
import { openDatabase, sql, transaction, type Database } from '../../server/src/platform/db/database.ts';
import { findFreePort } from '../../server/src/platform/db/embedded/free-port.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { enrolMember } from '../../server/src/loyalty/enrolment/enrol-member.ts';
import { findMember } from '../../server/src/loyalty/members/lock-members.ts';
import { distribute, planDistribution } from '../../server/src/operations/distribute/distribute.ts';
import { checkProgram } from '../../server/src/program/check-program.ts';

const MAIN = fileURLToPath(new URL('../../server/src/start/start.js', import.meta.url));

export interface Till {
  readonly commerceId: number;
  readonly key: string;
  readonly codes: readonly number[];
  readonly memberIds: readonly number[];
  /** Sessions of the same members, in the same order. */
  readonly sessions: readonly Session[];
}

/** A member who is signed in. */
export interface Session {
  readonly commerceId: number;
  readonly userId: number;
  readonly sessionId: number;
}

export interface World {
  /** The address of the database, past every proxy and pooler. */
  readonly url: URL;
  readonly db: Database;
  readonly tills: readonly Till[];
  /** Starts a service and waits until it is ready. With `PORT`, at that port. */
  startService(env?: Readonly<Record<string, string>>): Promise<Service>;
  /** Returns a load, which ends with the world if nobody stops it before, as when a step before the end fails. */
  attach<T extends { stop(): Promise<void> }>(load: T): T;
  /** Ends the services and the loads, and drops the database. */
  remove(): Promise<void>;
}

export interface Service {
  readonly child: ChildProcess;
  readonly base: string;
  /** Every line that it has logged. */
  readonly log: string[];
}

/** Creates a database with two shops of ten members each on a server that the caller has started, or with three on a cluster. */
export async function makeWorld(
  serverUrl: string,
  {
    tablespace = 'pg_default',
    members = 10,
    shards = 8,
    prepare,
    create,
    older,
  }: {
    readonly tablespace?: string;
    readonly members?: number;
    /** Of the database, on a cluster. */
    readonly shards?: number;
    /** Fills the database before it has the two shops. */
    readonly prepare?: (db: Database) => Promise<unknown>;
    /** Creates the database over a cluster, and returns its address. */
    readonly create?: (name: string) => Promise<string>;
    /** The database has only these migrations until it is distributed, and then `upgrade` applies the others. */
    readonly older?: {
      readonly migrations: readonly string[];
      readonly upgrade: (db: Database, url: URL) => Promise<unknown>;
    };
  } = {},
): Promise<World> {
  const name = `faults_${process.pid}_${randomBytes(4).toString('hex')}`;
  const admin = openDatabase({
    url: serverUrl,
    poolSize: 1,
    preparedStatements: false,
    statementTimeoutMs: 0,
  });
  if (create === undefined)
    await sql`create database ${sql.id(name)} tablespace ${sql.id(tablespace)}`.execute(admin);
  const url =
    create === undefined
      ? Object.assign(new URL(serverUrl), { pathname: `/${name}` })
      : new URL(await create(name));
  const db = openDatabase({
    url: url.href,
    poolSize: 4,
    preparedStatements: false,
    statementTimeoutMs: 0,
    cluster: create === undefined ? null : 'citus',
    // Whoever damages a cluster looks at it afterwards.
    trustsMachines: true,
  });
  await migrate(db, older?.migrations);
  await prepare?.(db);
  if (create !== undefined) await distribute(db, await planDistribution(db, shards));
  await older?.upgrade(db, url);
  const tills = [await makeTill(db, 'north', members), await makeTill(db, 'south', members)];
  // The first two are on the same machine.
  if (create !== undefined) tills.push(await makeTill(db, 'east', members));
  const services: Service[] = [];
  const loads: { stop(): Promise<void> }[] = [];
  return {
    url,
    db,
    tills,
    async startService(env = {}) {
      const service = await startAgain({ DATABASE_URL: url.href, ...env });
      services.push(service);
      return service;
    },
    attach(load) {
      loads.push(load);
      return load;
    },
    async remove() {
      for (const service of services) await endService(service, 'SIGKILL');
      for (const load of loads) await load.stop();
      await db.destroy();
      // After some faults the server is not there, or recovers. Then whoever started it deletes it as a whole.
      await sql`drop database if exists ${sql.id(name)} with (force)`.execute(admin).catch(() => {});
      await admin.destroy();
    },
  };
}

/** Sends a signal and waits until the process has ended. Returns its exit code, or null if the signal ended it. */
export async function endService({ child }: Service, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill(signal);
  const [code] = (await ended) as [number | null];
  return code;
}

/** The processes of the service outlive every fault of the database. */
export function sentenceIfEnded({ child }: Service): string | null {
  return child.exitCode === null && child.signalCode === null
    ? null
    : `a service exited with ${child.exitCode ?? child.signalCode}`;
}

/** The benefit that costs a third of what a member of the mixed load earns at once. */
export const CHEAP = { id: 'cheap', cost: 10 } as const;

/** Benefits that are sold a few times, at a cost that everybody can pay. */
export const LIMITED = { count: 200, limit: 7, idOf: (i: number) => `limited-${i}` } as const;

async function makeTill(db: Database, slug: string, members: number): Promise<Till> {
  const checked = checkProgram({
    slug,
    name: slug,
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 1 },
    benefits: [
      offer(CHEAP.id, CHEAP.cost, 0),
      ...Array.from({ length: LIMITED.count }, (_, i) => offer(LIMITED.idOf(i), 1, LIMITED.limit)),
    ],
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked));
  const { commerceId } = await applyProgram(db, checked.program, { clock: checked.clock, dryRun: false });
  const { key } = await createKey(db, commerceId!, 'faults');
  const memberIds: number[] = [];
  const codes: number[] = [];
  const userIds: number[] = [];
  for (let i = 0; i < members; i++) {
    const email = `${slug}-${i}@example.com`;
    const { userId } = await transaction(db, (tx) => enrolMember(tx, commerceId!, email));
    const member = await findMember(db, { commerceId: commerceId!, email });
    userIds.push(userId);
    memberIds.push(member!.id);
    codes.push(member!.code!);
  }
  const sessions = await openSessions(db, commerceId!, userIds);
  return { commerceId: commerceId!, key, codes, memberIds, sessions };
}

function offer(id: string, cost: number, buyLimit: number): object {
  return {
    id,
    type: 'percentage_discount',
    title: id,
    description: id,
    cost,
    value: 10,
    buy_limit: buyLimit,
  };
}

async function openSessions(db: Database, commerceId: number, userIds: number[]): Promise<Session[]> {
  const { rows } = await sql<Session>`
    insert into sessions (handle, user_id, commerce_id, ends_at)
    select decode(md5(user_id || ' at ' || ${commerceId}), 'hex'), user_id, ${commerceId}, now() + interval '1 year'
      from unnest(${userIds}::bigint[]) user_id
    returning commerce_id as "commerceId", user_id as "userId", id as "sessionId"`.execute(db);
  const byUser = new Map(rows.map((row) => [row.userId, row]));
  return userIds.map((userId) => byUser.get(userId)!);
}

/** The machine had no time for PostgreSQL, which says nothing about the service. */
export class NeverAnswered extends Error {
  constructor() {
    super('PostgreSQL never answered in time');
  }
}

/**
 * Starts a service, again if it fails, as a supervisor would. If PostgreSQL answers too late, as it does on a very busy
 * machine, that says nothing.
 */
export async function startAgain(env: Readonly<Record<string, string>>): Promise<Service> {
  const refusals: string[] = [];
  for (let tries = 0; tries < 30 && refusals.length < 3; tries += 1) {
    try {
      return await startService(env);
    } catch (error) {
      const { message } = error as Error;
      if (!/connection timeout/.test(message)) refusals.push(message);
    }
  }
  throw refusals.length === 0 ? new NeverAnswered() : new Error(refusals.join('\n'));
}

async function startService(env: Readonly<Record<string, string>>): Promise<Service> {
  const port = Number(env['PORT'] ?? (await findFreePort()));
  const { [LIMIT]: limit, ...variables } = env;
  const [program, args] =
    limit === undefined
      ? [process.execPath, [MAIN]]
      : ['/bin/sh', ['-c', `ulimit -n ${limit}; exec "$0" "$@"`, process.execPath, MAIN]];
  const child = spawn(program, args, {
    env: {
      PATH: process.env['PATH'],
      ENV_FILE: 'off',
      NODE_ENV: 'production',
      SECRET_KEY: SECRET,
      PUBLIC_URL: 'https://luna.example',
      SMTP_URL: 'smtp://127.0.0.1:1',
      ACCESS_LOG: 'off',
      HOST: '127.0.0.1',
      PORT: String(port),
      RATE_LIMITS: 'off',
      DATABASE_POOL_SIZE: '10',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => log.push(line));
  const base = `http://127.0.0.1:${port}`;
  const until = performance.now() + LONGEST_START_MS;
  while ((await fetch(`${base}/readyz`).catch(() => null))?.status !== 200) {
    const hasExited = child.exitCode !== null || child.signalCode !== null;
    if (hasExited || performance.now() > until) {
      await sleep(50);
      child.kill('SIGKILL');
      throw new Error(
        `the service ${hasExited ? 'exited' : 'never became ready'}:\n${log.slice(0, 20).join('\n')}`,
      );
    }
    await sleep(25);
  }
  return { child, base, log };
}

/** All services of a run share it, as all processes of an installation do. */
export const SECRET = randomBytes(32).toString('base64');

/** A machine with sixty processes for two cores takes more than half a minute. */
const LONGEST_START_MS = 120_000;

/** Not a variable of the service: the number of files that it may have open. */
export const LIMIT = 'ulimit -n';
