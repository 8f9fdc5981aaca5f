/** Runs nginx or HAProxy in front of two services, with the example files of the documentation. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '#db/embedded/free-port.ts';
import { read } from '#test/repository.ts';

export type ProxyName = 'nginx' | 'haproxy';

export interface RunningProxy {
  readonly base: string;
  /** Returns what nginx wrote about calls that failed. */
  readonly readErrors: () => Promise<string[]>;
  readonly stop: () => Promise<void>;
}

/** Returns why the proxy cannot be run on this machine, or false if it can. */
export function isMissing(proxy: ProxyName): string | false {
  const { error } = spawnSync(proxy, ['-v'], { stdio: 'ignore', env: proxyEnv() });
  return error === undefined ? false : `${proxy} is not installed on this machine`;
}

const EXAMPLES = { nginx: 'examples/nginx.conf', haproxy: 'examples/haproxy.cfg' } as const;

/** Runs the proxy with its example file, changed only in the ports and in what needs a folder of its own. */
export async function startProxy(proxy: ProxyName, bases: readonly string[]): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), `loyalty-${proxy}-`));
  // The workers of nginx are another user, and keep larger bodies in files below it.
  await chmod(folder, 0o755);
  const port = await findFreePort();
  const [first, second] = bases.map((base) => new URL(base).host);
  const file = join(folder, 'proxy.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  const text = read(EXAMPLES[proxy])
    .replace('127.0.0.1:3000', first!)
    .replace('127.0.0.1:3001', second!)
    .replace(/(listen|bind :)( ?)8080/, (_, word: string, space: string) =>
      word === 'listen' ? `listen${space}127.0.0.1:${port}` : `bind 127.0.0.1:${port}`,
    )
    .replace('error_log stderr warn', `error_log ${folder}/error.log error`)
    .replace('pid /run/nginx.pid;', `pid ${folder}/nginx.pid;`)
    .replace('http {', `http { ${temporary}`);
  await writeFile(file, text);
  const argv = proxy === 'nginx' ? ['-p', folder, '-c', file, '-g', 'daemon off;'] : ['-f', file, '-db'];
  const child: ChildProcess = spawn(proxy, argv, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: proxyEnv(),
  });
  const base = `http://127.0.0.1:${port}`;
  while ((await fetch(`${base}/healthz`).catch(() => null))?.status !== 200) {
    if (child.exitCode !== null) throw new Error(`${proxy} refused its example file`);
    await sleep(50);
  }
  return { base, readErrors, stop };

  async function stop(): Promise<void> {
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  }

  /** Returns what nginx wrote about calls that failed, but not that a process which is away refuses connections. */
  async function readErrors(): Promise<string[]> {
    const log = await readFile(join(folder, 'error.log'), 'utf8').catch(() => '');
    return log.split('\n').filter((line) => line !== '' && !line.includes('Connection refused'));
  }
}

/** Packages put these programs where only root looks. */
function proxyEnv(): NodeJS.ProcessEnv {
  return { PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` };
}
