/** Restarts two services in turn behind a real proxy, while callers go on calling. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '#db/embedded/free-port.ts';
import { testDatabaseUrl } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import { read } from '#test/repository.ts';
import { startService, type ServiceProcess } from '#test/service-process.ts';

export type ProxyName = 'nginx' | 'haproxy';

const CALLERS = 6;
const PAUSE_MS = 10;
const DRAIN_SECONDS = '3';

/** Returns why the proxy cannot be run on this machine, or false if it can. */
export function isMissing(proxy: ProxyName): string | false {
  const { error } = spawnSync(proxy, ['-v'], { stdio: 'ignore', env: proxyEnv() });
  return error === undefined ? false : `${proxy} is not installed on this machine`;
}

/** Returns how many calls were made during the restarts, and what went wrong with those that failed. */
export async function restartBehind(
  t: TestContext,
  proxy: ProxyName,
  restarts: number,
): Promise<{ calls: number; failed: string[] }> {
  const database = await testDatabaseUrl();
  const shop = await makeShop();
  const member = await shop.member();
  const env = { DRAIN_SECONDS, RATE_LIMITS: 'off', TRUST_PROXY: '127.0.0.1' };
  const services: ServiceProcess[] = [await startService(database, env), await startService(database, env)];
  t.after(() => services.forEach(({ child }) => child.kill('SIGKILL')));
  const { base, readErrors } = await startProxy(t, proxy, services);

  const failed: string[] = [];
  let calls = 0;
  const over = new AbortController();
  const callers = Array.from({ length: CALLERS }, async (_, i) => {
    while (!over.signal.aborted) {
      calls += 1;
      // The purchases have no idempotency key, so a proxy must not send them twice.
      const call =
        (calls + i) % 2 === 0
          ? fetch(`${base}/v1/clients/list?limit=1`, { headers: { authorization: `Bearer ${shop.key}` } })
          : fetch(`${base}/v1/consumptions/client-code`, {
              method: 'POST',
              headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
              body: JSON.stringify({ client_code: member.code, amount: 1 }),
            });
      const outcome = await call.then(
        async (answer) => (await answer.text(), answer.status),
        (error: Error) => (error.cause instanceof Error ? error.cause : error).message,
      );
      if (outcome !== 200 && outcome !== 201) failed.push(`call ${calls}: ${outcome}`);
      await sleep(PAUSE_MS);
    }
  });
  for (let restart = 0; restart < restarts; restart += 1) {
    const { child, base: address } = services[restart % 2]!;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = (await ended) as [number | null];
    if (code !== 0) failed.push(`restart ${restart}: the service exited with ${code}`);
    services[restart % 2] = await startAgain(database, { ...env, PORT: new URL(address).port });
    // The proxies look at a process that was away once a second.
    await sleep(2_500);
  }
  over.abort();
  await Promise.all(callers);
  if (failed.length > 0) failed.push(...(await readErrors()));
  return { calls, failed };
}

/** Starts a service, again if it fails, as a supervisor would. On a busy machine PostgreSQL may answer too late. */
async function startAgain(...options: Parameters<typeof startService>): Promise<ServiceProcess> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await startService(...options);
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
}

const EXAMPLES = { nginx: 'examples/nginx.conf', haproxy: 'examples/haproxy.cfg' } as const;

/** Runs the proxy with its example file, changed only in the ports and in what needs a folder of its own. */
async function startProxy(
  t: TestContext,
  proxy: ProxyName,
  services: readonly ServiceProcess[],
): Promise<{ base: string; readErrors: () => Promise<string[]> }> {
  const folder = await mkdtemp(join(tmpdir(), `loyalty-${proxy}-`));
  const port = await findFreePort();
  const [first, second] = services.map(({ base }) => new URL(base).host);
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
  t.after(async () => {
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  });
  const base = `http://127.0.0.1:${port}`;
  while ((await fetch(`${base}/healthz`).catch(() => null))?.status !== 200) {
    if (child.exitCode !== null) throw new Error(`${proxy} refused its example file`);
    await sleep(50);
  }
  return { base, readErrors };

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
