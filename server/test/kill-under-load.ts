import assert from 'node:assert/strict';
import { endService, npmStart, postgresOf, type Started } from '#test/start.ts';

/**
 * Starts the service and kills it with SIGKILL once `atLeast` purchases are acknowledged and more are in flight.
 * Starts it again, looks for every acknowledged purchase and stops the service.
 */
export async function killUnderLoad(
  dataDir: string,
  killed: 'service' | 'service and PostgreSQL',
  atLeast: number,
): Promise<{ acknowledged: number; readyMs: number }> {
  const service = await npmStart(dataDir);
  const postgres = await postgresOf(dataDir);
  const before = await pointsOf(service);
  const acknowledged = new Set<string>();
  const enough = Promise.withResolvers<void>();
  const load = Promise.all(
    Array.from({ length: 8 }, () =>
      buyUntilRefused(service, (id) => {
        if (acknowledged.add(id).size === atLeast) enough.resolve();
      }),
    ),
  );
  await Promise.race([enough.promise, load]);
  assert.ok(acknowledged.size >= atLeast, 'the service was killed under load');
  if (killed === 'service and PostgreSQL') process.kill(postgres!.pid, 'SIGKILL');
  await endService(service, 'SIGKILL');
  await load;

  const next = await npmStart(dataDir);
  for (const id of acknowledged) assert.equal((await get(next, `/v1/consumptions/${id}`)).status, 200, id);
  assert.ok((await pointsOf(next)) >= before + acknowledged.size, 'each purchase earned at least a point');
  assert.equal(await endService(next, 'SIGTERM', 'npm'), 0);
  return { acknowledged: acknowledged.size, readyMs: next.readyMs };
}

/** Returns the balance of the demo's member. */
export async function pointsOf(service: Started): Promise<number> {
  const answer = await get(service, `/v1/clients/${service.clientCode}`);
  return ((await answer.json()) as { points: number }).points;
}

/** Makes purchases of at least one point until the service is gone. */
async function buyUntilRefused(
  { base, key, clientCode }: Started,
  acknowledge: (purchaseId: string) => void,
): Promise<void> {
  for (;;) {
    const answer = await fetch(`${base}/v1/consumptions/client-code`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ client_code: clientCode, amount: 10 }),
    }).catch(() => null);
    if (answer?.status !== 201) return;
    acknowledge(answer.headers.get('x-consumption-id')!);
  }
}

function get({ base, key }: Started, path: string): Promise<Response> {
  return fetch(base + path, { headers: { authorization: `Bearer ${key}` } });
}
