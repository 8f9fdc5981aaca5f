/** Restarts two services in turn behind a real proxy, while callers go on calling. */
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabaseUrl } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import { startProxy, type ProxyName } from '#test/proxy.ts';
import { startService, type ServiceProcess } from '#test/service-process.ts';

const CALLERS = 6;
const PAUSE_MS = 10;
const DRAIN_SECONDS = '3';

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
  const { base, readErrors, stop } = await startProxy(
    proxy,
    services.map((service) => service.base),
  );
  t.after(stop);

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
