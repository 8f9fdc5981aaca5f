/**
 * Machines of a cluster that are away or hang for long, and transactions that nobody settles: `node trials/cluster/away.ts BIN [--seconds N --only WORDS]`.
 * Other shops go on, those of the machine get 503, seals wait and catch up, and the doctor says what is wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql, type Database } from '../../server/src/platform/db/database.ts';
import { sendSignal } from '../faults/stops.ts';
import { makeWorld } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { askDoctor, runCommand } from './command.ts';
import { startCommitProxy } from './commit-proxy.ts';
import { readHomes } from './homes.ts';
import { printOutcome, startLoads } from './loads.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' }, only: { type: 'string', default: '' } },
});
const [bin] = positionals;
if (bin === undefined) throw new Error('node trials/cluster/away.ts BIN [--seconds N --only WORDS]');
const longMs = Number(values.seconds) * 1_000;

const cluster = await startCluster(bin);
const proxy = await startCommitProxy(cluster.workers[0]!.port);
let failed = 0;
try {
  const world = await makeWorld(cluster.coordinator.adminUrl, {
    members: 20,
    create: (name) => cluster.createDatabase(name, [proxy.port, cluster.workers[1]!.port]),
  });
  try {
    const service = await world.startService({ CLUSTER: 'citus' });
    const homes = await readHomes(world);
    const gone = homes.filter(({ port }) => port === proxy.port).map(({ commerceId }) => commerceId);
    const there = homes.filter(({ port }) => port !== proxy.port).map(({ commerceId }) => commerceId);
    const bounds = { longestMs: 30_000, firstAcknowledgedMs: 30_000 };

    const worker = cluster.workers[0]!;
    const ways = [
      { name: 'a worker is away', leave: () => worker.stop('SIGQUIT'), comeBack: () => worker.start() },
      // It answers nothing, and nobody is told: the system accepts connections to it all the same.
      { name: 'a worker hangs', leave: () => signal('SIGSTOP'), comeBack: () => signal('SIGCONT') },
    ];
    for (const { name, leave, comeBack } of ways) {
      if (!name.includes(values.only)) continue;
      const loads = startLoads(world, service);
      await loads.more(40);
      const leftAt = performance.now();
      await leave();
      // Calls that were under way are answered first.
      await sleep(15_000);
      const since = new Date();
      const [goneBefore, thereBefore] = [loads.statusesOf(gone), loads.statusesOf(there)];
      const doctor = await askDoctor(world, 'cluster');
      await sleep(longMs - 15_000);
      const [goneAfter, thereAfter] = [loads.statusesOf(gone), loads.statusesOf(there)];
      const sessions = await countSessions();
      const more = (
        before: Readonly<Record<number, number>>,
        after: Readonly<Record<number, number>>,
        status: number,
      ) => (after[status] ?? 0) - (before[status] ?? 0);
      const until = new Date();
      for (const { startedAt, ms, status, said } of loads.refusalsOf(there, leftAt))
        console.log(
          `  another shop, after ${Math.round(startedAt - leftAt)} ms, got ${status} in ${Math.round(ms)} ms: ${said}`,
        );
      await comeBack();
      const endedAt = performance.now();
      await loads.more(60);
      // The list of the shops is on all machines, so jobs wait.
      const job = await runCommand(world, ['jobs', 'run', 'expire-points']);
      const sealedMeanwhile = await countSeals(world.db, since, until);
      const outcome = await loads.conclude(
        name,
        endedAt,
        bounds,
        [
          more(goneBefore, goneAfter, 201) === 0 ? null : 'a shop of the machine was served',
          more(thereBefore, thereAfter, 201) > 0 ? null : 'no other shop was served',
          more(thereBefore, thereAfter, 503) === 0
            ? null
            : `${more(thereBefore, thereAfter, 503)} calls of another shop were refused`,
          sealedMeanwhile === 0 ? null : 'something was sealed meanwhile',
          doctor.length > 0 ? null : 'the doctor found nothing',
          job.code === 0 ? null : `a job ended afterwards with ${job.code}: ${job.stderr}`,
        ],
        {
          served: more(thereBefore, thereAfter, 201),
          refused: more(goneBefore, goneAfter, 503),
          sessions,
          sessionsAfterwards: await countSessions(),
        },
      );
      failed += printOutcome(outcome, service);
      console.log(`  doctor: ${doctor.join(' ')}`);
    }

    if ('nobody settles a transaction'.includes(values.only)) {
      await recovery('-1');
      const loads = startLoads(world, service);
      await loads.more(40);
      // The coordinator is told that the transaction is prepared, and never gets to say that it is committed.
      const cut = Promise.withResolvers<void>();
      proxy.at('COMMIT PREPARED', 'before', async () => {
        cut.resolve();
        return 'cut';
      });
      await cut.promise;
      await sleep(5_000);
      const since = new Date();
      await sleep(longMs / 2);
      const sealedMeanwhile = await countSeals(world.db, since, new Date());
      const ages = await readAges(world.db);
      const doctor = await askDoctor(world, 'cluster');
      await recovery('1s');
      const endedAt = performance.now();
      await loads.more(40);
      const outcome = await loads.conclude(
        'nobody settles a transaction',
        endedAt,
        bounds,
        [
          ages.length > 0 ? null : 'nothing was prepared',
          sealedMeanwhile === 0 ? null : 'something was sealed meanwhile',
          doctor.some((says) => says.includes('prepared')) ? null : 'the doctor does not name it',
        ],
        { prepared: ages.length, oldestSeconds: Math.max(...ages) },
      );
      failed += printOutcome(outcome, service);
      console.log(`  doctor: ${doctor.join(' ')}`);
    }
  } finally {
    await world.remove();
  }

  /** How many sessions the coordinator has. */
  async function countSessions(): Promise<number> {
    return (await cluster.coordinator.processes()).length;
  }

  /** Sets how often Citus looks after transactions that are prepared. */
  async function recovery(interval: string): Promise<void> {
    const owner = cluster.open('postgres');
    try {
      await sql`alter system set citus.recover_2pc_interval = ${sql.raw(`'${interval}'`)}`.execute(owner);
      await sql`select pg_reload_conf()`.execute(owner);
    } finally {
      await owner.destroy();
    }
  }

  /** How often something was sealed between two instants. All machines have one clock. */
  async function countSeals(db: Database, since: Date, until: Date): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from seals where sealed_at >= ${since} and sealed_at < ${until}`.execute(
      db,
    );
    return rows[0]!.count;
  }

  /** For how many seconds transactions are prepared on the first worker. */
  async function readAges(db: Database): Promise<number[]> {
    const { rows } = await sql<{ said: string }>`
      select result as said
        from run_command_on_workers('select coalesce(string_agg(extract(epoch from now() - prepared)::integer::text, '' ''), '''') from pg_prepared_xacts')`.execute(
      db,
    );
    return rows.flatMap(({ said }) => said.split(' ').filter(Boolean).map(Number));
  }
} finally {
  await proxy.close();
  await signal('SIGCONT');
  await cluster.remove();
}
console.log(failed === 0 ? 'every promise was kept' : `${failed} promises were not kept`);
process.exitCode = failed === 0 ? 0 : 1;

/** Sends a signal to all processes of the first worker. */
async function signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  for (const pid of await cluster.workers[0]!.processes()) sendSignal(pid, name);
}
