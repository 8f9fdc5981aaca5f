/** A PgBouncer in front of a PostgreSQL, as the documentation sets it up: transaction mode and no other settings. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../server/src/platform/db/embedded/free-port.ts';

export interface PgBouncer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Returns why there is no PgBouncer here, or null if there is one. */
export function whyNoPgBouncer(): string | null {
  return spawnSync('pgbouncer', ['--version']).status === 0 ? null : 'PgBouncer is not installed';
}

export async function startPgBouncer(
  target: URL,
  settings: Readonly<Record<string, string>> = {},
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await findFreePort();
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"${target.username}" "${decodeURIComponent(target.password)}"\n`);
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    pool_mode: 'transaction',
    logfile: join(folder, 'log'),
    ...settings,
  };
  const text = [
    '[databases]',
    `* = host=${target.hostname} port=${target.port}`,
    '[pgbouncer]',
    ...Object.entries(lines).map(([name, value]) => `${name} = ${value}`),
  ].join('\n');
  writeFileSync(join(folder, 'pgbouncer.ini'), text);
  for (const file of ['log', 'users.txt', 'pgbouncer.ini']) {
    if (file === 'log') writeFileSync(join(folder, file), '');
    chmodSync(join(folder, file), 0o666);
  }
  // PgBouncer refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', [...asUser, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error('PgBouncer did not start');
    await sleep(25);
  }
  return {
    port,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
