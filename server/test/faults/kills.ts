/** kill -9 of services under load. A supervisor starts each again at once, at the same address. */
import { setTimeout as sleep } from 'node:timers/promises';
import { concludeFault, waitForAcknowledgements, type Outcome } from './fault.ts';
import { startMixedLoad } from './mixed-load.ts';
import { startOwnPostgres } from './own-postgres.ts';
import type { Random } from './random.ts';
import { endService, makeWorld } from './world.ts';

/** The longest that a killed service may take until it is ready again. */
const READY_MS = 3_000;

/** Two services share a database. In each round one of them is killed at a random moment. */
export async function killedServices(rounds: number, random: Random): Promise<Outcome> {
  const postgres = await startOwnPostgres();
  const world = await makeWorld(postgres.adminUrl, { members: 60 });
  try {
    const services = [await world.startService(), await world.startService()];
    const bases = services.map(({ base }) => base);
    const load = startMixedLoad({ bases, tills: world.tills, random });
    await waitForAcknowledgements(load, 100);
    const readyMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await sleep(100 + random.below(900));
      const victim = random.below(services.length);
      const { base } = services[victim]!;
      await endService(services[victim]!, 'SIGKILL');
      const killedAt = performance.now();
      services[victim] = await world.startService({ PORT: new URL(base).port });
      readyMs.push(performance.now() - killedAt);
    }
    await sleep(500);
    return await concludeFault(
      'kill -9 of a service',
      load,
      world.db,
      [],
      { statuses: MIXED, firstAcknowledgedMs: READY_MS },
      [],
      { recoveriesMs: readyMs, figures: { 'service kills': rounds } },
    );
  } finally {
    await world.remove();
    await postgres.remove();
  }
}

/** Statuses that the mixed load may get: refusals of what is sold out or used belong to it. */
export const MIXED = [0, 200, 201, 400, 503];
