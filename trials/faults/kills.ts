/** kill -9 of services under load. A supervisor starts each again at once, at the same address. */
import { setTimeout as sleep } from 'node:timers/promises';
import { concludeFault, waitForAcknowledgements, type Outcome } from './fault.ts';
import { MIXED, startMixedLoad } from './mixed-load.ts';
import { startOwnPostgres } from './own-postgres.ts';
import type { Random } from '../../server/test/create-random.ts';
import { endService, makeWorld, sentenceIfEnded } from './world.ts';

/** The longest that a killed service may take until it is ready again. */
const READY_MS = 3_000;

/** Two services share a database. In each round one of them is killed at a random moment. */
export async function killedServices(rounds: number, random: Random): Promise<Outcome> {
  const postgres = await startOwnPostgres();
  const world = await makeWorld(postgres.adminUrl, { members: 60 });
  try {
    const services = [await world.startService(), await world.startService()];
    const bases = services.map(({ base }) => base);
    const load = world.attach(startMixedLoad({ bases, tills: world.tills, random }));
    await waitForAcknowledgements(load, 100);
    const readyMs: number[] = [];
    const others: (string | null)[] = [];
    for (let round = 0; round < rounds; round++) {
      await sleep(100 + random.below(900));
      const victim = random.below(services.length);
      const { base } = services[victim]!;
      others.push(...services.map(sentenceIfEnded));
      await endService(services[victim]!, 'SIGKILL');
      const killedAt = performance.now();
      services[victim] = await world.startService({ PORT: new URL(base).port });
      readyMs.push(performance.now() - killedAt);
    }
    await sleep(500);
    others.push(...services.map(sentenceIfEnded));
    return await concludeFault(
      'kill -9 of a service',
      load,
      world.db,
      [],
      { statuses: [0, ...MIXED], firstAcknowledgedMs: READY_MS },
      others,
      { recoveriesMs: readyMs, figures: { 'service kills': rounds } },
    );
  } finally {
    await world.remove();
    await postgres.remove();
  }
}
