/** Connections to PostgreSQL are cut at single messages: before, in the middle of or behind one, of either side. */
import { setTimeout as sleep } from 'node:timers/promises';
import { concludeFault, sleepUntilAcknowledged, waitForAcknowledgements, type Outcome } from './fault.ts';
import { MIXED, startMixedLoad } from './mixed-load.ts';
import { startOwnPostgres } from './own-postgres.ts';
import type { Random } from '../../server/test/create-random.ts';
import { through } from './silence.ts';
import { startTcpProxy } from '../../server/test/tcp-proxy.ts';
import { makeWorld, sentenceIfEnded } from './world.ts';

export async function cutConnections(rounds: number, random: Random): Promise<Outcome> {
  const postgres = await startOwnPostgres();
  const world = await makeWorld(postgres.adminUrl, { members: 60 });
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: postgres.port });
  try {
    const service = await world.startService({ DATABASE_URL: through(world.url, proxy.port) });
    const load = world.attach(startMixedLoad({ bases: [service.base], tills: world.tills, random }));
    await waitForAcknowledgements(load, 100);
    const until = performance.now() + rounds * 5_000;
    while (proxy.cuts() < rounds && performance.now() < until) {
      proxy.cutAtNext(
        random.below(20),
        random.pick(['client', 'server']),
        random.pick(['before', 'middle', 'behind']),
      );
      await sleep(20 + random.below(100));
    }
    const cuts = proxy.cuts();
    const endedAt = performance.now();
    await sleepUntilAcknowledged(load, endedAt);
    return await concludeFault(
      'cuts at single messages',
      load,
      world.db,
      endedAt,
      { statuses: MIXED },
      [sentenceIfEnded(service), cuts < rounds ? `only ${cuts} connections were cut` : null],
      { figures: { 'connections cut': cuts } },
    );
  } finally {
    await world.remove();
    await proxy.close();
    await postgres.remove();
  }
}
