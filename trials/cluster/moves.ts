/**
 * Moves, splits and rebalances the shards of a cluster under load: `node trials/cluster/moves.ts BIN [--only WORDS]`. No call may fail. While a
 * shard moves, a shop on it is imported into, exported and asked what if, and somebody is erased there.
 */
import { parseArgs } from 'node:util';
import { sql } from '../../server/src/platform/db/database.ts';
import type { Outcome } from '../faults/fault.ts';
import { makeWorld, type Till } from '../faults/world.ts';
import { startCluster } from './cluster.ts';
import { runCommand } from './command.ts';
import { printOutcome, startLoads } from './loads.ts';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const [bin] = positionals;
if (bin === undefined) throw new Error('node trials/cluster/moves.ts BIN [--only WORDS]');

interface Place {
  readonly shard: number;
  readonly from: number;
  readonly to: number;
  readonly least: number;
  readonly most: number;
}

const cluster = await startCluster(bin);
let failed = 0;
try {
  const world = await makeWorld(cluster.coordinator.adminUrl, {
    members: 20,
    create: (name) => cluster.createDatabase(name),
  });
  const owner = cluster.open(world.url.pathname.slice(1));
  try {
    const service = await world.startService({ CLUSTER: 'citus' });
    const till = world.tills[0]!;
    const acts: readonly (readonly [name: string, act: () => Promise<(string | null)[]>])[] = [
      ['a shard moves away, its logs followed', () => move(till, 'force_logical')],
      ['the shard moves back, its logs followed', () => move(till, 'force_logical')],
      ['a shard moves away, its writes blocked', () => move(till, 'block_writes')],
      ['the shard moves back, its writes blocked', () => move(till, 'block_writes')],
      ['a shard is split, its logs followed', () => split(till, 'force_logical')],
      ['a shard is split, its writes blocked', () => split(world.tills[2]!, 'block_writes')],
      ['the shards are rebalanced', rebalance],
      [
        'commands while a shard moves',
        async () => (await Promise.all([move(till, 'force_logical'), commands()])).flat(),
      ],
    ];
    for (const [name, act] of acts.filter(([said]) => said.includes(values.only ?? '')))
      failed += printOutcome(await trial(name, act), service);

    async function trial(name: string, act: () => Promise<(string | null)[]>): Promise<Outcome> {
      const loads = startLoads(world, service);
      await loads.more(60);
      const since = performance.now();
      const said = await act();
      const endedAt = performance.now();
      await loads.more(60);
      return loads.conclude(name, endedAt, { statuses: [201], longestMs: 10_000 }, said, {
        actMs: Math.round(endedAt - since),
      });
    }

    /** Where the shard of a shop is, and another machine. */
    async function readPlace({ commerceId }: Till): Promise<Place> {
      const { rows } = await sql<Place>`
      select s.shardid as shard, n.nodeid as "from", o.nodeid as "to", s.shardminvalue::integer as least, s.shardmaxvalue::integer as most
        from pg_dist_shard s
        join pg_dist_placement p on p.shardid = s.shardid
        join pg_dist_node n on n.groupid = p.groupid
        join pg_dist_node o on o.shouldhaveshards and o.nodeid <> n.nodeid
       where s.shardid = get_shard_id_for_distribution_column('movements', ${commerceId}::bigint)`.execute(
        owner,
      );
      return rows[0]!;
    }

    async function move(till: Till, mode: string): Promise<string[]> {
      const { shard, from, to } = await readPlace(till);
      // What an earlier move has left must be gone, and open statements may still read it.
      await sql`call citus_cleanup_orphaned_resources()`.execute(owner);
      await sql`select citus_move_shard_placement(${shard}::bigint, ${from}::integer, ${to}::integer, ${mode}::citus.shard_transfer_mode)`.execute(
        owner,
      );
      return (await readPlace(till)).from === to ? [] : ['the shard did not move'];
    }

    /**
     * Both parts go to another machine. If one stays where the shard is, Citus 14.0.1 waits for ever for what is written meanwhile: it follows the log
     * with a part that has no key yet.
     */
    async function split(till: Till, mode: string): Promise<string[]> {
      const { shard, to, least, most } = await readPlace(till);
      const middle = Math.floor((least + most) / 2);
      await sql`
      select citus_split_shard_by_split_points(${shard}::bigint, ${[String(middle)]}::text[], ${[to, to]}::integer[],
                                               ${mode}::citus.shard_transfer_mode)`.execute(owner);
      return (await readPlace(till)).shard !== shard ? [] : ['the shard was not split'];
    }

    /** Commands of the shop on that shard. Returns a sentence for each that was refused. */
    async function commands(): Promise<(string | null)[]> {
      const shop = ['--commerce', 'north'];
      const people = Array.from({ length: 50 }, (_, i) => `person-${i}@example.com`);
      const past = people.map((email, i) => `${email},${900_000_000 + i},2026-03-01`);
      return [
        await refusalOf(['members', 'import', '-', ...shop], `email\n${people.join('\n')}\n`),
        ...(await Promise.all([
          refusalOf(['purchases', 'import', '-', ...shop], `client_email,amount,date\n${past.join('\n')}\n`),
          refusalOf(['commerce', 'export', 'north']),
          askWhatIf(),
        ])),
        ...(await Promise.all(
          people
            .slice(0, 3)
            .map((email) =>
              refusalOf(['members', 'erase', email, ...shop, '--reason', 'asked by mail', '--yes']),
            ),
        )),
      ];
    }

    async function askWhatIf(): Promise<string | null> {
      const { stdout } = await runCommand(world, ['export', 'north']);
      return refusalOf(
        ['apply', '-', '--what-if'],
        stdout.replace('money_per_point: 1', 'money_per_point: 2'),
      );
    }

    async function refusalOf(args: readonly string[], input?: string): Promise<string | null> {
      const { code, stderr } = await runCommand(world, args, input);
      return code === 0 ? null : `\`${args.join(' ')}\` ended with ${code}: ${stderr}`;
    }

    /** Moves a shard away, so that one has to move back. */
    async function rebalance(): Promise<string[]> {
      const moved = await move(till, 'force_logical');
      const before = await countShards();
      await sql`select citus_rebalance_start(rebalance_strategy => 'by_shard_count', shard_transfer_mode => 'force_logical')`.execute(
        owner,
      );
      await sql`select citus_rebalance_wait()`.execute(owner);
      const after = await countShards();
      return after.every((count) => count === after[0])
        ? moved
        : [...moved, `the machines had ${before.join(' and ')} shards, and then ${after.join(' and ')}`];
    }

    /** How many parts of the movements each machine has. */
    async function countShards(): Promise<number[]> {
      const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count
        from pg_dist_shard s
        join pg_dist_placement p on p.shardid = s.shardid
       where s.logicalrelid = 'movements'::regclass
       group by p.groupid`.execute(owner);
      return rows.map(({ count }) => count);
    }
  } finally {
    await owner.destroy();
    await world.remove();
  }
} finally {
  await cluster.remove();
}
console.log(failed === 0 ? 'no call failed' : `${failed} promises were not kept`);
process.exitCode = failed === 0 ? 0 : 1;
