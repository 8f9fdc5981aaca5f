/** Connections to PostgreSQL fall silent: no FIN, no RST, no answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  becomesReady,
  concludeFault,
  PATIENCE_MS,
  sleepUntilAcknowledged,
  waitForAcknowledgements,
  type Bounds,
  type Outcome,
} from './fault.ts';
import { startLoad } from './journalled-load.ts';
import { startTcpProxy, type TcpProxy } from '../../server/test/tcp-proxy.ts';
import { endService, makeWorld, type Service, type Till } from './world.ts';

/** The database cannot be reached at all for a while. */
export function databaseFallsSilent(serverUrl: string, silentMs: number): Promise<Outcome> {
  return runBehindProxy(serverUrl, 'database silent', async (proxy, service) => {
    proxy.fallSilent();
    const isUnready = await becomesReady(service.base, 503);
    await sleep(silentMs);
    proxy.answerAgain();
    return [isUnready ? null : '/readyz stayed 200 while the database was silent'];
  });
}

/** The open connections are lost and new ones work, as after a failover to another host by address. */
export function openConnectionsFallSilent(serverUrl: string): Promise<Outcome> {
  return runBehindProxy(serverUrl, 'open connections silent', async (proxy) => {
    proxy.silenceOpenConnections();
    return [];
  });
}

/** Only the answers to a few commits vanish. */
export function commitRepliesVanish(serverUrl: string, count: number): Promise<Outcome> {
  return runBehindProxy(serverUrl, `${count} commit replies vanish`, async (proxy) => {
    proxy.swallowCommitReplies(count);
    const until = performance.now() + PATIENCE_MS;
    while (proxy.swallowed() < count && performance.now() < until) await sleep(20);
    return [proxy.swallowed() < count ? `only ${proxy.swallowed()} commits were sent` : null];
  });
}

/** SIGTERM while the database is silent and calls wait. Returns the exit code, or null if the service did not end by itself. */
export async function stopsWhileSilent(serverUrl: string): Promise<number | null> {
  const world = await makeWorld(serverUrl);
  const proxy = await startTcpProxy({ host: world.url.hostname, port: Number(world.url.port) });
  try {
    const service = await world.startService({ DATABASE_URL: through(world.url, proxy.port) });
    const load = world.attach(startLoad({ bases: [service.base], tills: world.tills }));
    await waitForAcknowledgements(load, 20);
    proxy.fallSilent();
    await sleep(100);
    const killing = setTimeout(() => service.child.kill('SIGKILL'), PATIENCE_MS);
    const code = await endService(service, 'SIGTERM');
    clearTimeout(killing);
    await load.stop();
    return code;
  } finally {
    await world.remove();
    await proxy.close();
  }
}

export async function runBehindProxy(
  serverUrl: string,
  fault: string,
  inject: (proxy: TcpProxy, service: Service, till: Till) => Promise<(string | null)[]>,
  bounds: Bounds = {},
): Promise<Outcome> {
  const world = await makeWorld(serverUrl);
  const proxy = await startTcpProxy({ host: world.url.hostname, port: Number(world.url.port) });
  try {
    const service = await world.startService({ DATABASE_URL: through(world.url, proxy.port) });
    const load = world.attach(startLoad({ bases: [service.base], tills: world.tills }));
    await waitForAcknowledgements(load, 50);
    const failed = await inject(proxy, service, world.tills[0]!);
    const endedAt = performance.now();
    await sleepUntilAcknowledged(load, endedAt);
    const isReady = await becomesReady(service.base, 200);
    return await concludeFault(fault, load, world.db, endedAt, bounds, [
      ...failed,
      isReady ? null : '/readyz is not 200 afterwards',
    ]);
  } finally {
    await world.remove();
    await proxy.close();
  }
}

/** Returns the address of the same database through a proxy. */
export function through(url: URL, port: number): string {
  return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href;
}
