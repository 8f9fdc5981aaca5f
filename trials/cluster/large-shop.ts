/**
 * A cluster on which one shop is larger than all others together: `node trials/cluster/large-shop.ts BIN [--members N --shops N --seconds N]`.
 * Prints what purchases of the others take alone, beside the large shop on the same machine, and after its shard was made one of its own on the
 * other machine, which is done under load; then what a list and the check of the books of the large shop take.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fillShops, type Shop } from '../../bench/load-members.ts';
import { median, percentile } from '../../bench/statistics.ts';
import { verifyLedger } from '../../server/src/insight/books/verify-ledger.ts';
import { sql } from '../../server/src/platform/db/database.ts';
import { listPurchases, startLoad, type Call } from '../faults/journalled-load.ts';
import { makeWorld, type Till } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { openShops, openTills } from './shops.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    members: { type: 'string', default: '300000' },
    shops: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
  },
});
const [bin] = positionals;
if (bin === undefined) throw new Error('node trials/cluster/large-shop.ts BIN');
const members = Number(values.members);
const others = Number(values.shops);
/** Each of the other shops has so many. */
const FEW = 10;
/** So many of the other shops on the machine of the large one are called. */
const CALLED = 40;

const cluster = await startCluster(bin, { settings: ['maintenance_work_mem = 256MB'] });
let refused = 0;
try {
  let shops: Shop[] = [];
  const world = await makeWorld(cluster.coordinator.adminUrl, {
    members: 1,
    prepare: async (db) => {
      shops = await openShops(db, [members, ...Array.from({ length: others }, () => FEW)]);
      const all = members + others * FEW;
      await fillShops(db, { commerces: shops.length, members: all, movements: 3 * all }, shops);
    },
    create: (name) => cluster.createDatabase(name),
  });
  const owner = cluster.open(world.url.pathname.slice(1));
  try {
    const { base } = await world.startService({ CLUSTER: 'citus' });
    const large = shops[0]!.commerceId;
    const neighbours = await readNeighbours();
    say(`${members} members in one shop, and ${others * FEW} in ${others} others`, '');
    const [whole] = await openTills(world.db, [shops[0]!]);
    const few = await openTills(
      world.db,
      shops.filter(({ commerceId }) => neighbours.includes(commerceId)).slice(0, CALLED),
    );
    let amount = 1;
    const buy = (tills: readonly Till[]) => {
      amount += 1_000_000;
      return world.attach(startLoad({ bases: [base], tills, workers: 16, firstAmount: amount }));
    };

    await measure('the others on its machine, alone', false);
    await measure('the others on its machine, beside it', true);
    const load = [buy(few), buy([whole!])];
    await sleep(2_000);
    const since = performance.now();
    await isolate();
    const took = performance.now() - since;
    for (const one of load) await one.stop();
    for (const [i, { calls }] of load.entries())
      say(
        `${i === 0 ? 'the others' : 'the large shop'} while its shard is made one of its own on the other machine, in ${(took / 1000).toFixed(1)} s`,
        describe(calls),
      );
    await measure('the others, alone', false);
    await measure('the others, beside it on another machine', true);

    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const listed = performance.now();
      if ((await listPurchases(base, whole!)).status !== 200) refused++;
      times.push(performance.now() - listed);
    }
    say('a list of purchases of the large shop', `half within ${median(times).toFixed(1)} ms`);
    const began = performance.now();
    const { movements, differences } = await verifyLedger(world.db, {
      commerceIds: [large, ...few.map(({ commerceId }) => commerceId)],
    });
    say(
      `the books of the large shop and ${few.length} others`,
      `${movements} movements in ${((performance.now() - began) / 1000).toFixed(1)} s, ${differences.length} differences`,
    );
    refused += differences.length;

    async function measure(what: string, isLargeCalled: boolean): Promise<void> {
      const running = [buy(few), ...(isLargeCalled ? [buy([whole!])] : [])];
      await sleep(2_000);
      const from = running.map(({ calls }) => calls.length);
      await sleep(Number(values.seconds) * 1_000);
      const read = running.map(({ calls }, i) => calls.slice(from[i]));
      for (const one of running) await one.stop();
      for (const [i, calls] of read.entries())
        say(
          i === 0 ? what : '  and the large shop',
          `${Math.round(calls.length / Number(values.seconds))} a second, ${describe(calls)}`,
        );
    }

    function describe(calls: readonly Call[]): string {
      const failed = calls.filter(({ status }) => status !== 201).length;
      refused += failed;
      const times = calls.map(({ ms }) => ms);
      return `half within ${median(times).toFixed(0)} ms, 99 % within ${percentile(times, 0.99).toFixed(0)} ms, ${failed} of ${calls.length} refused`;
    }

    /** The shops whose rows are on the same machine as those of the large one, but not in the same shard. */
    async function readNeighbours(): Promise<number[]> {
      const { rows } = await sql<{ id: number }>`
        with at as (
          select c.id, s.shard, p.groupid
            from commerces c
           cross join lateral (select get_shard_id_for_distribution_column('movements', c.id) as shard) s
            join pg_dist_placement p on p.shardid = s.shard)
        select o.id
          from at l
          join at o on o.groupid = l.groupid and o.shard <> l.shard
         where l.id = ${large}::bigint
         order by o.id`.execute(owner);
      return rows.map(({ id }) => id);
    }

    /** Cuts the shard before and behind the value that the large shop has, and takes all parts to the other machine. */
    async function isolate(): Promise<void> {
      const { rows } = await sql<{ shard: number; at: number; least: number; most: number; to: number }>`
        select s.shardid as shard, worker_hash(${large}::bigint) as at, s.shardminvalue::integer as least, s.shardmaxvalue::integer as most,
               o.nodeid as "to"
          from pg_dist_shard s
          join pg_dist_placement p on p.shardid = s.shardid
          join pg_dist_node o on o.shouldhaveshards and o.groupid <> p.groupid
         where s.shardid = get_shard_id_for_distribution_column('movements', ${large}::bigint)`.execute(
        owner,
      );
      const { shard, at, least, most, to } = rows[0]!;
      const points = [at - 1, at].filter((point) => point >= least && point < most);
      await sql`
        select citus_split_shard_by_split_points(${shard}::bigint, ${points.map(String)}::text[], ${[to, ...points.map(() => to)]}::integer[],
                                                 'force_logical')`.execute(owner);
    }
  } finally {
    await owner.destroy();
    await world.remove();
  }
} finally {
  await cluster.remove();
}
process.exitCode = refused === 0 ? 0 : 1;

function say(what: string, figure: string): void {
  console.log(`${what}${figure === '' ? '' : `: ${figure}`} (load ${loadavg()[0]!.toFixed(1)})`);
}
