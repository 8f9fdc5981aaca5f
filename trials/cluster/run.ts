/**
 * Kills the machines of a cluster in the middle of commits: `npm run cluster -w trials -- BIN [--rounds N --processes N]`. BIN is the folder with the programs
 * that `build-citus.sh` has made. Every acknowledgement is in a file of its own, outside the service and the cluster, and at the end nothing may
 * be lost, nothing there twice, and the books and the seals must agree.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Outcome } from '../faults/fault.ts';
import type { OwnPostgres } from '../faults/own-postgres.ts';
import { makeWorld, type Service } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { startCommitProxy, type CommitProxy, type Word } from './commit-proxy.ts';
import { printOutcome, startLoads, untilDecided } from './loads.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    processes: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});
const [bin] = positionals;
const rounds = Number(values.rounds);
if (bin === undefined || !(rounds > 0))
  throw new Error('npm run cluster -w trials -- BIN [--rounds N --processes N]');

interface Moment {
  readonly name: string;
  readonly word: Word | null;
  readonly moment: 'before' | 'answered';
  readonly victim: 'worker' | 'coordinator';
}

const WORDS: readonly Word[] = ['COMMIT', 'PREPARE TRANSACTION', 'COMMIT PREPARED'];

const MOMENTS: readonly Moment[] = (['worker', 'coordinator'] as const).flatMap((victim) => [
  { name: `the ${victim} at any time`, word: null, moment: 'before' as const, victim },
  ...WORDS.flatMap((word) =>
    (['before', 'answered'] as const).map((moment) => ({
      name: `the ${victim}, ${moment === 'before' ? 'before' : 'after'} ${word}`,
      word,
      moment,
      victim,
    })),
  ),
]);

const cluster = await startCluster(bin);
const proxies: CommitProxy[] = [];
for (const worker of cluster.workers) proxies.push(await startCommitProxy(worker.port));
let failed = 0;
try {
  const world = await makeWorld(cluster.coordinator.adminUrl, {
    members: 20,
    create: (name) =>
      cluster.createDatabase(
        name,
        proxies.map(({ port }) => port),
      ),
  });
  try {
    const service = await world.startService({ CLUSTER: 'citus', PROCESSES: values.processes });
    for (const one of MOMENTS.filter(({ name }) => values.only === undefined || name.includes(values.only)))
      failed += printOutcome(await trial(one, service), service);
  } finally {
    await world.remove();
  }

  async function trial(at: Moment, service: Service): Promise<Outcome> {
    const loads = startLoads(world, service);
    let endedAt = performance.now();
    let hits = 0;
    for (let round = 0; round < rounds; round++) {
      await loads.more(20);
      const victims = at.victim === 'coordinator' ? [cluster.coordinator] : cluster.workers;
      const i = round % victims.length;
      const hit = await when(at, at.victim === 'coordinator' ? proxies : [proxies[i]!], victims[i]!);
      if (hit) hits += 1;
      await sleep(300);
      await victims[i]!.start();
      endedAt = performance.now();
      await untilDecided(world.db);
    }
    await loads.more(20);
    return loads.conclude(at.name, endedAt, { longestMs: 30_000, firstAcknowledgedMs: 30_000 }, [], {
      kills: hits,
      ...wordsSaid(),
    });
  }

  /** How transactions have ended since the start of the run. */
  function wordsSaid(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      WORDS.map((word) => [word, proxies.reduce((sum, proxy) => sum + proxy.seen(word), 0)]),
    );
  }

  /** Kills at the moment. Returns false if it did not come within some seconds; then kills all the same. */
  async function when(
    { word, moment }: Moment,
    watched: readonly CommitProxy[],
    victim: OwnPostgres,
  ): Promise<boolean> {
    if (word === null) {
      await sleep(Math.random() * 500);
      await victim.stop('SIGQUIT');
      return true;
    }
    const hit = Promise.withResolvers<boolean>();
    let isOver = false;
    for (const proxy of watched)
      proxy.at(word, moment, async () => {
        if (isOver) return 'go on';
        isOver = true;
        await victim.stop('SIGQUIT');
        hit.resolve(true);
        return 'cut';
      });
    const timer = setTimeout(() => {
      if (isOver) return;
      isOver = true;
      void victim.stop('SIGQUIT').then(() => hit.resolve(false));
    }, 10_000);
    return hit.promise.finally(() => clearTimeout(timer));
  }
} finally {
  for (const proxy of proxies) await proxy.close();
  await cluster.remove();
}
console.log(failed === 0 ? 'nothing was lost' : `${failed} promises were not kept`);
process.exitCode = failed === 0 ? 0 : 1;
