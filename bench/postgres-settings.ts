/**
 * What settings of PostgreSQL change: `npm run postgres-settings -w bench [-- --members N --rounds N --seconds N]` starts a server with each
 * set of settings, all with the same members, and sends purchases and balances to them in turns. Prints a table. Huge pages are used if the
 * machine has some (`vm.nr_hugepages`).
 */
import { parseArgs } from 'node:util';
import { startOwnPostgres } from '../trials/faults/own-postgres.ts';
import { figure, table, whole } from './figures.ts';
import { inTurn } from './growth.ts';
import type { HttpLoad } from './loads.ts';
import * as lua from './lua.ts';
import { watchPostgres } from './machine.ts';
import { measureHttp, type Measured, type Postgres } from './measure.ts';
import { jobsAreDone, usual, withSites, type Site } from './sites.ts';
import { median } from './statistics.ts';
import { requirePrograms } from './programs.ts';

const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '12' },
  },
});
const [members, rounds, seconds] = [Number(values.members), Number(values.rounds), Number(values.seconds)];

const SETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'its own settings: 256 MB, 2 GB of log': { huge_pages: 'off' },
  'shared_buffers 4 GB': { shared_buffers: '4GB', huge_pages: 'off' },
  'the same, huge pages': { shared_buffers: '4GB', huge_pages: 'on' },
  wal_compression: { wal_compression: 'pglz', huge_pages: 'off' },
  'a checkpoint every 30 seconds': { checkpoint_timeout: '30s', huge_pages: 'off' },
  'a checkpoint every 30 seconds, wal_compression': {
    checkpoint_timeout: '30s',
    wal_compression: 'pglz',
    huge_pages: 'off',
  },
  'a checkpoint every 15 minutes': {
    checkpoint_timeout: '15min',
    max_wal_size: '16GB',
    huge_pages: 'off',
  },
};

interface Tried {
  readonly name: string;
  readonly site: Site;
  readonly postgres: Postgres;
  readonly purchases: Measured[];
  readonly balances: Measured[];
}

await requirePrograms('wrk');
await withAll(Object.entries(SETS), []);

/** Starts one server after the other, then measures them all. */
async function withAll(
  left: [string, Readonly<Record<string, string>>][],
  tried: readonly Tried[],
): Promise<void> {
  const [first, ...others] = left;
  if (first === undefined) return measure(tried);
  const [name, overriding] = first;
  const server = await startOwnPostgres({ overriding }).catch((error: unknown) => {
    if (overriding['huge_pages'] !== 'on') throw error;
    process.stderr.write(`${name}: the server did not start, so it is left out\n`);
    return null;
  });
  if (server === null) return withAll(others, tried);
  try {
    await withSites(server.adminUrl, [usual(members)], async ([site]) => {
      await jobsAreDone(site!.db);
      const postgres = await watchPostgres(site!.db);
      await withAll(others, [...tried, { name, site: site!, postgres, purchases: [], balances: [] }]);
    });
  } finally {
    await server.remove();
  }
}

async function measure(tried: readonly Tried[]): Promise<void> {
  for (let round = 0; round <= rounds; round += 1) {
    for (const { site, postgres, purchases, balances } of inTurn(round, tried)) {
      const bought = await measureHttp(postgres, site, purchasesOf(site), round === 0 ? 2 : seconds);
      const read = await measureHttp(
        postgres,
        site,
        balancesOf(site),
        round === 0 ? 1 : Math.ceil(seconds / 3),
      );
      // The first round warms everything up.
      if (round === 0) continue;
      purchases.push(bought);
      balances.push(read);
    }
  }
  const first = tried[0]!;
  const ratio = (of: readonly Measured[], to: readonly Measured[], read: (one: Measured) => number) =>
    figure(median(of.map((one, i) => read(one) / read(to[i]!))));
  process.stdout.write(
    `${table(
      [
        `${whole(members)} members; purchases and balances at 64 connections`,
        'purchases a second, to the first',
        'p99, to the first',
        'µs of PostgreSQL a purchase, to the first',
        'bytes of log a purchase',
        'balances a second, to the first',
      ],
      tried.map(({ name, purchases, balances }) => [
        name,
        ratio(purchases, first.purchases, ({ perSecond }) => perSecond),
        ratio(purchases, first.purchases, ({ p99Ms }) => p99Ms!),
        ratio(purchases, first.purchases, ({ postgresMicros }) => postgresMicros!),
        whole(median(purchases.map(({ walBytes }) => walBytes!))),
        ratio(balances, first.balances, ({ perSecond }) => perSecond),
      ]),
    )}\n`,
  );
}

function purchasesOf({ loaded }: Site): HttpLoad {
  return { name: 'purchase', connections: 64, script: lua.purchases(loaded), counted: 'purchases' };
}

function balancesOf({ loaded }: Site): HttpLoad {
  return { name: 'balance', connections: 64, script: lua.balances(loaded) };
}
