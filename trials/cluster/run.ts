/**
 * Kills the machines of a cluster in the middle of commits: `npm run cluster -w trials -- BIN [--rounds N]`. BIN is the folder with the programs
 * that `build-citus.sh` has made. Every acknowledgement is in a file of its own, outside the service and the cluster, and at the end nothing may
 * be lost, nothing there twice, and the books and the seals must agree.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from '../../server/src/platform/db/database.ts';
import { readUndecided } from '../../server/src/platform/db/cluster/undecided.ts';
import { concludeFault, waitForAcknowledgements, type Outcome } from '../faults/fault.ts';
import { startLoad } from '../faults/journalled-load.ts';
import type { OwnPostgres } from '../faults/own-postgres.ts';
import { makeWorld } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { startCommitProxy, type CommitProxy, type Word } from './commit-proxy.ts';
import { startSealing } from './sealing.ts';
import { startStrangers } from './strangers.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, only: { type: 'string' } },
});
const [bin] = positionals;
const rounds = Number(values.rounds);
if (bin === undefined || !(rounds > 0)) throw new Error('npm run cluster -w trials -- BIN [--rounds N]');

/** Returns what a line of the log says of an error that the service did not expect. */
function wordsOfError(line: string): string[] {
  const { level, err } = JSON.parse(line.startsWith('{') ? line : '{}') as {
    level?: number;
    err?: { message?: string; code?: string; routine?: string; stack?: string };
  };
  if ((level ?? 0) < 50 || err === undefined) return [];
  const [, at = ''] = /server\/src\/(?!platform\/db\/)(\S+):\d+:/.exec(err.stack ?? '') ?? [];
  return [`${err.code} ${err.message} (${err.routine}, ${at})`];
}

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
for (const { port } of cluster.workers) proxies.push(await startCommitProxy(port));
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
    const service = await world.startService({ CLUSTER: 'citus' });
    let firstAmount = 1;
    for (const one of MOMENTS.filter(({ name }) => values.only === undefined || name.includes(values.only))) {
      const outcome = await trial(one, service.base, firstAmount);
      firstAmount += 1_000_000;
      const { acknowledged, lost, doubled, refusedButStored, unknown, differences } = outcome.books;
      console.log(
        `${one.name}: ${JSON.stringify({ ...outcome.figures, ...outcome.statuses, acknowledged, lost, doubled, refusedButStored, unknown, differences, longestMs: outcome.longestMs })}`,
      );
      for (const sentence of outcome.failed) console.log(`  FAILED ${sentence}`);
      for (const sentence of outcome.late) console.log(`  late: ${sentence}`);
      failed += outcome.failed.length;
      for (const line of new Set(service.log.splice(0).flatMap(wordsOfError)))
        console.log(`  logged: ${line}`);
    }
  } finally {
    await world.remove();
  }

  async function trial(at: Moment, base: string, firstAmount: number): Promise<Outcome> {
    const since = performance.now();
    const load = world.attach(
      startLoad({ bases: [base], tills: world.tills, workers: 8, firstAmount, pauseMs: 100 }),
    );
    // A purchase of somebody unknown writes a mail, too, and is committed in two phases.
    const strangers = world.attach(startStrangers(base, world.tills, firstAmount + 500_000));
    // What is sealed beside an open commit must not lack it later.
    const sealing = world.attach(startSealing(world.db, world.tills));
    let endedAt = performance.now();
    let hits = 0;
    for (let round = 0; round < rounds; round++) {
      await waitForAcknowledgements(load, load.calls.filter(({ status }) => status === 201).length + 20);
      const victims = at.victim === 'coordinator' ? [cluster.coordinator] : cluster.workers;
      const i = round % victims.length;
      const hit = await when(at, at.victim === 'coordinator' ? proxies : [proxies[i]!], victims[i]!);
      if (hit) hits += 1;
      await sleep(300);
      await victims[i]!.start();
      endedAt = performance.now();
      await untilDecided();
    }
    await waitForAcknowledgements(load, load.calls.filter(({ status }) => status === 201).length + 20);
    await Promise.all([load.stop(), strangers.stop(), sealing.stop()]);
    await untilDecided();
    return concludeFault(
      `kill of ${at.name}`,
      load,
      world.db,
      endedAt,
      { longestMs: 30_000, firstAcknowledgedMs: 30_000 },
      [...(await strangers.check(world.db)), ...(await sealing.check())],
      {
        figures: {
          kills: hits,
          mails: strangers.acknowledged(),
          heads: sealing.heads(),
          seconds: Math.round((performance.now() - since) / 1_000),
          ...wordsSaid(),
        },
      },
    );
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

  /** Waits until no transaction is prepared any more: Citus looks after them every second. */
  async function untilDecided(): Promise<void> {
    for (const until = performance.now() + 60_000; performance.now() < until; await sleep(200)) {
      const undecided = await readUndecided(world.db).catch(() => ['the coordinator does not answer']);
      // The first statement of a connection whose machine was away finds that out, and fails.
      const asked = await Promise.allSettled(
        Array.from({ length: 8 }, () => sql`select count(*) from movements`.execute(world.db)),
      );
      if (undecided.length === 0 && asked.every(({ status }) => status === 'fulfilled')) return;
    }
    throw new Error('a prepared transaction was never decided');
  }
} finally {
  for (const proxy of proxies) await proxy.close();
  await cluster.remove();
}
console.log(failed === 0 ? 'nothing was lost' : `${failed} promises were not kept`);
process.exitCode = failed === 0 ? 0 : 1;
