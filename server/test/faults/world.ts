/** A database with shops and members, and service processes on it, for the programs that inject faults. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { applyProgram } from '#apply/apply-program.ts';
import { createKey } from '#commerces/api-keys.ts';
import { openDatabase, sql, transaction, type Database } from '#db/database.ts';
import { findFreePort } from '#db/embedded/free-port.ts';
import { migrate } from '#db/migrate.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { findMember } from '#members/lock-members.ts';
import { checkProgram } from '#program/check-program.ts';

const MAIN = fileURLToPath(new URL('../../src/start.js', import.meta.url));

export interface Till {
  readonly commerceId: number;
  readonly key: string;
  readonly codes: readonly number[];
  readonly memberIds: readonly number[];
}

export interface World {
  /** The address of the database, past every proxy and pooler. */
  readonly url: URL;
  readonly db: Database;
  readonly tills: readonly Till[];
  /** Starts a service and waits until it is ready. */
  startService(env?: Readonly<Record<string, string>>): Promise<Service>;
  /** Ends the services and drops the database. */
  remove(): Promise<void>;
}

export interface Service {
  readonly child: ChildProcess;
  readonly base: string;
  /** Every line that it has logged. */
  readonly log: readonly string[];
}

/** Creates a database with two shops of ten members each on a server that the caller has started. */
export async function makeWorld(serverUrl: string, { tablespace = 'pg_default' } = {}): Promise<World> {
  const name = `faults_${process.pid}_${randomBytes(4).toString('hex')}`;
  const admin = openDatabase({
    url: serverUrl,
    poolSize: 1,
    preparedStatements: false,
    statementTimeoutMs: 0,
  });
  await sql`create database ${sql.id(name)} tablespace ${sql.id(tablespace)}`.execute(admin);
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` });
  const db = openDatabase({ url: url.href, poolSize: 4, preparedStatements: false, statementTimeoutMs: 0 });
  await migrate(db);
  const tills = [await makeTill(db, 'north'), await makeTill(db, 'south')];
  const services: Service[] = [];
  return {
    url,
    db,
    tills,
    async startService(env = {}) {
      const service = await startService({ DATABASE_URL: url.href, ...env });
      services.push(service);
      return service;
    },
    async remove() {
      for (const service of services) await endService(service, 'SIGKILL');
      await db.destroy();
      await sql`drop database if exists ${sql.id(name)} with (force)`.execute(admin);
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

async function makeTill(db: Database, slug: string): Promise<Till> {
  const checked = checkProgram({
    slug,
    name: slug,
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 1 },
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked));
  const { commerceId } = await applyProgram(db, checked.program, { clock: checked.clock, dryRun: false });
  const { key } = await createKey(db, commerceId!, 'faults');
  const memberIds: number[] = [];
  const codes: number[] = [];
  for (let i = 0; i < 10; i++) {
    const email = `${slug}-${i}@example.com`;
    await transaction(db, (tx) => enrolMember(tx, commerceId!, email));
    const member = await findMember(db, { commerceId: commerceId!, email });
    memberIds.push(member!.id);
    codes.push(member!.code!);
  }
  return { commerceId: commerceId!, key, codes, memberIds };
}

async function startService(env: Readonly<Record<string, string>>): Promise<Service> {
  const port = await findFreePort();
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
const SECRET = randomBytes(32).toString('base64');

const LONGEST_START_MS = 120_000;

/** Not a variable of the service: the number of files that it may have open. */
export const LIMIT = 'ulimit -n';
