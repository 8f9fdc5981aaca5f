/**
 * A PgBouncer in front of a PostgreSQL, as the documentation sets it up: transaction mode and no other settings. `PGBOUNCER_BIN` names the
 * program of another version.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { findFreePort } from '#db/embedded/free-port.ts';

export interface PgBouncer {
  readonly port: number;
  /** Returns an address of the PostgreSQL behind it as one that leads through it. */
  through(url: string | URL): string;
  /** Runs a command in its console. */
  tell(command: 'reconnect'): Promise<void>;
  /** Kills it and starts it again at the same port. */
  restart(settings?: Settings): Promise<void>;
  stop(): Promise<void>;
}

export type Settings = Readonly<Record<string, string>>;

/** Packages put the program where only root looks. */
const BIN =
  process.env['PGBOUNCER_BIN'] ??
  [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
    .map((folder) => join(folder, 'pgbouncer'))
    .find((file) => existsSync(file)) ??
  'pgbouncer';

/** Returns its version as a number such as 1.18, or null if it is not installed. */
export function readPgBouncerVersion(): number | null {
  const { status, stdout } = spawnSync(BIN, ['--version'], { encoding: 'utf8' });
  return status === 0 ? Number(/PgBouncer (\d+\.\d+)/.exec(stdout)![1]) : null;
}

/** Returns why there is no PgBouncer here, or null if there is one. */
export function whyNoPgBouncer(): string | null {
  return readPgBouncerVersion() === null ? 'PgBouncer is not installed' : null;
}

/** From this version on it knows prepared statements, if it is told so. */
const KNOWS_PREPARED_STATEMENTS = 1.21;

/** Returns true if the one that is installed can carry prepared statements. */
export function canCarryPreparedStatements(): boolean {
  return (readPgBouncerVersion() ?? 0) >= KNOWS_PREPARED_STATEMENTS;
}

/** Settings for an installed one of any version to carry prepared statements, if it can, or not to carry them. */
export function preparedStatements(carried: boolean): Settings {
  return canCarryPreparedStatements() ? { max_prepared_statements: carried ? '200' : '0' } : {};
}

/** @param connectQuery what it runs on each new connection to the server */
export async function startPgBouncer(
  target: URL,
  settings: Settings = {},
  connectQuery?: string,
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await findFreePort();
  let child = await run(folder, { target, connectQuery }, port, settings);
  const kill = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const through = (url: string | URL) =>
    Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href;
  return {
    port,
    through,
    async tell(command) {
      const console = new Client(through(Object.assign(new URL(target), { pathname: '/pgbouncer' })));
      await console.connect();
      await console.query(command);
      await console.end();
    },
    async restart(changed = settings) {
      await kill();
      child = await run(folder, { target, connectQuery }, port, changed);
    },
    async stop() {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}

async function run(
  folder: string,
  { target, connectQuery }: { target: URL; connectQuery?: string | undefined },
  port: number,
  settings: Settings,
): Promise<ChildProcess> {
  const users = join(folder, 'users.txt');
  const user = decodeURIComponent(target.username);
  writeFileSync(users, `"${user}" "${decodeURIComponent(target.password)}"\n`);
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    admin_users: user,
    pool_mode: 'transaction',
    logfile: join(folder, 'log'),
    ...settings,
  };
  const text = [
    '[databases]',
    `* = host=${target.hostname} port=${target.port}${connectQuery === undefined ? '' : ` connect_query='${connectQuery}'`}`,
    '[pgbouncer]',
    ...Object.entries(lines).map(([name, value]) => `${name} = ${value}`),
  ].join('\n');
  writeFileSync(join(folder, 'pgbouncer.ini'), text);
  writeFileSync(join(folder, 'log'), '');
  for (const file of ['log', 'users.txt', 'pgbouncer.ini']) chmodSync(join(folder, file), 0o666);
  // PgBouncer refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(BIN, [...asUser, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error('PgBouncer did not start');
    await sleep(25);
  }
  return child;
}

/** Returns whether it accepts connections, once it has let go of the one that asked and counts it no longer. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => socket.resume().end());
    socket.on('close', (hasFailed) => resolve(!hasFailed));
    socket.on('error', () => {});
  });
}
