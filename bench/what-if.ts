/**
 * `npm run what-if -w bench [-- purchases]`: how long the what-if of a large commerce takes, how much memory, and what it costs the
 * purchases that are recorded meanwhile. Prints a table.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createAdminClient, type WhatIf } from '../sdk/src/admin.ts';
import { createKey } from '../server/src/loyalty/commerces/api-keys.ts';
import { withServer } from './database.ts';
import * as lua from './lua.ts';
import { describeMachine, watchPostgres } from './machine.ts';
import { withSites, type Site } from './sites.ts';
import { runWrk } from './wrk.ts';

const purchases = Number(process.argv[2] ?? 1_000_000);
const CONNECTIONS = 16;
const SECONDS = 5;

await withServer((serverUrl) =>
  withSites(serverUrl, [{ members: purchases / 10, movements: purchases, commerces: 1 }], async ([site]) => {
    print('machine', JSON.stringify(await describeMachine(site!.db)));
    print('loaded', `${purchases} purchases of ${purchases / 10} members in a year`);
    const { commerceId } = site!.loaded.shops[0]!;
    const { key } = await createKey(site!.db, commerceId, 'what-if', 'owner');
    const client = createAdminClient({ baseUrl: `http://127.0.0.1:${site!.service.port}`, key });

    await measure('alone', site!, () => ask(client));
    const before = await sell(site!);
    let meanwhile = { perSecond: 0, p50Ms: 0, p99Ms: 0 };
    await measure('while purchases are recorded', site!, async () => {
      const asked = new AbortController();
      const answer = ask(client, asked.signal);
      await pause(1_000);
      meanwhile = await sell(site!);
      return answer;
    });
    const after = await sell(site!);
    const usual = (before.perSecond + after.perSecond) / 2;
    print('purchases without it', describe(before), describe(after));
    print('purchases while it runs', describe(meanwhile));
    print('ratio', (meanwhile.perSecond / usual).toFixed(2));
  }),
);

type Client = ReturnType<typeof createAdminClient>;

/** Half the price of a point, points that end, and tiers that are in reach. */
async function ask(client: Client, signal?: AbortSignal): Promise<WhatIf> {
  const { program } = await client.getProgramModel();
  const [basic, gold] = program.levels.ladder;
  const proposed = {
    ...program,
    earning: { ...program.earning, money_per_point: 1 },
    points_expiration: { mode: 'rolling' as const, months: 6 },
    levels: {
      ...program.levels,
      valid_months: 12,
      ladder: [basic!, { ...gold!, threshold: 1_000, points_multiplier: 1.5 }],
    },
  };
  for await (const line of client.whatIf({ program: proposed }, signal === undefined ? {} : { signal })) {
    if (line.type === 'result') return line;
    if (line.type === 'failure') throw new Error(line.message);
  }
  throw new Error('there was no result');
}

async function sell({ service, loaded }: Site) {
  const load = {
    port: service.port,
    script: lua.purchases(loaded),
    connections: CONNECTIONS,
    seconds: SECONDS,
  };
  return runWrk(load);
}

/** Prints time and memory of one what-if. */
async function measure(name: string, { service, db }: Site, work: () => Promise<WhatIf>): Promise<void> {
  const postgres = await watchPostgres(db);
  const look = async () => ({
    node: await service.processorSeconds(),
    postgres: (await postgres()).seconds ?? 0,
    at: performance.now(),
  });
  const idle = await service.memory();
  let most = idle;
  const watching = setInterval(() => {
    void service.memory().then((bytes) => (most = Math.max(most, bytes)));
  }, 100);
  const before = await look();
  const { purchases, points, members_changed } = await work();
  const after = await look();
  clearInterval(watching);
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
  print(
    `what-if ${name}`,
    `${((after.at - before.at) / 1000).toFixed(1)} s`,
    `processor ${(after.node - before.node).toFixed(1)} s of the service, ${(after.postgres - before.postgres).toFixed(1)} s of PostgreSQL`,
    `memory ${megabytes(idle)} before, ${megabytes(most)} at most`,
    `${purchases} purchases, ${points.earned.then} → ${points.earned.now} points, ${members_changed} members change`,
  );
}

function describe({ perSecond, p50Ms, p99Ms }: { perSecond: number; p50Ms: number; p99Ms: number }): string {
  return `${Math.round(perSecond)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
}

function print(name: string, ...values: readonly string[]): void {
  console.log(`${name.padEnd(28)} ${values.join(' | ')}`);
}
