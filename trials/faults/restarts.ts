/** Two services are restarted in turn behind a real proxy. No call may fail, and none is repeated. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy, type ProxyName } from '../../server/test/proxy.ts';
import { concludeFault, waitForAcknowledgements, type Outcome } from './fault.ts';
import { startMixedLoad } from './mixed-load.ts';
import { startOwnPostgres } from './own-postgres.ts';
import type { Random } from '../../server/test/create-random.ts';
import { endService, makeWorld, sentenceIfEnded } from './world.ts';

const ENV = { DRAIN_SECONDS: '3', TRUST_PROXY: '127.0.0.1' };
/** Two seconds after the new process is ready, as docs/operations.md says, and a little. */
const BETWEEN_MS = 2_500;

export async function restartedBehind(proxy: ProxyName, rounds: number, random: Random): Promise<Outcome> {
  const postgres = await startOwnPostgres();
  const world = await makeWorld(postgres.adminUrl, { members: 60 });
  const services = [await world.startService(ENV), await world.startService(ENV)];
  const bases = services.map(({ base }) => base);
  const { base, readErrors, stop } = await startProxy(proxy, bases);
  try {
    const load = world.attach(startMixedLoad({ bases: [base], tills: world.tills, random }));
    await waitForAcknowledgements(load, 100);
    const exits: (string | null)[] = [];
    for (let round = 0; round < rounds; round++) {
      const place = round % 2;
      const code = await endService(services[place]!, 'SIGTERM');
      exits.push(code === 0 ? null : `a service exited with ${code}`);
      services[place] = await world.startService({ ...ENV, PORT: new URL(bases[place]!).port });
      await sleep(BETWEEN_MS);
    }
    await load.stop();
    const isFailed = load.calls.some(({ status }) => status === 0 || status >= 500);
    const errors = isFailed ? (await readErrors()).slice(0, 20) : [];
    // 400 is a refusal of what is sold out or used, which belongs to this load.
    const bounds = { statuses: [200, 201, 400], longestMs: 10_000 };
    return await concludeFault(
      `restarts behind ${proxy}`,
      load,
      world.db,
      [],
      bounds,
      [...exits, ...services.map(sentenceIfEnded)],
      {
        details: errors,
        figures: {
          'rolling restarts': rounds,
          'failed calls during restarts': load.calls.filter(({ status }) => ![200, 201, 400].includes(status))
            .length,
        },
      },
    );
  } finally {
    await stop();
    await world.remove();
    await postgres.remove();
  }
}
