/**
 * `npm run budget -w bench [-- --before --members 20000 --seconds 3]`: where the time of each kind of request goes. It prints the
 * sheets and writes them into docs/profile.md, as those of now or, with `--before`, as those to compare with.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql, type Database } from '../server/src/platform/db/database.ts';
import { jobNames } from '../server/src/operations/jobs/run-jobs.ts';
import { writeSheets, type Sheet, type StatementUse } from './budget-page.ts';
import { startWatchedService, type WatchedChild } from './child.ts';
import { withCountingServer, withDatabase } from './database.ts';
import { loadMembers } from './load-members.ts';
import { listLoadsOf, loadsOf, type HttpLoad } from './loads.ts';
import { describeMachine, watchPostgres } from './machine.ts';
import { measureHttp, type Measured, type Postgres } from './measure.ts';
import { sharesOf } from './profile-parts.ts';
import { inProduction, usual, type Site } from './sites.ts';
import { watchStatementCosts, type StatementWatch } from './statement-costs.ts';
import type { Inside } from './watch-inside.ts';
import type { WireUse } from './wire-count.ts';
import { runWrk } from './wrk.ts';

/** The loads of the bench that get a sheet. */
const NAMES = [
  'purchase, 64 connections',
  'balance',
  'exchange, 64 connections',
  'activity, short history',
  'list, first page',
];

/** Statements with fewer calls for each request are of timers, or refresh what is remembered for seconds. */
const FEWEST_CALLS = 1 / 100;

interface WatchedSite extends Site {
  readonly service: WatchedChild;
}

const { values: options } = parseArgs({
  options: {
    before: { type: 'boolean', default: false },
    members: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '3' },
  },
});
const [members, seconds] = [Number(options.members), Number(options.seconds)];

await withCountingServer((server) =>
  withDatabase(server.url, 'migrated', async ({ db, url }) => {
    const loaded = await loadMembers(db, usual(members));
    await restJobs(db);
    const secret = randomBytes(32).toString('base64');
    const service = await startWatchedService(inProduction(url, secret));
    const watch = await watchStatementCosts(server, db);
    try {
      const site = { db, url, loaded, service, secret };
      const postgres = await watchPostgres(db);
      const sheets: Sheet[] = [];
      for (const name of NAMES) {
        process.stderr.write(`${name}\n`);
        sheets.push(await measureSheet(name, site, postgres, watch));
      }
      const machine = await describeMachine(db);
      await writeSheets({ members, seconds, machine, sheets }, options.before ? 'before' : 'now');
    } finally {
      await watch.close();
      await service.stop();
    }
  }),
);

/** Takes the turn of every job for an hour: what jobs cost is no part of a request. */
async function restJobs(db: Database): Promise<void> {
  await sql`
    insert into jobs (name, leased_until, started_at)
    select name, now() + interval '1 hour', now() from unnest(${jobNames}::text[]) as name`.execute(db);
}

/** Sends the load three times: to warm up, to measure its cost, and to see what the cost is made of. */
async function measureSheet(
  name: string,
  site: WatchedSite,
  postgres: Postgres,
  watch: StatementWatch,
): Promise<Sheet> {
  const { service } = site;
  await measureHttp(postgres, site, await loadOf(site, name, 1), seconds);

  const before = await threads(service);
  const measured = await measureHttp(postgres, site, await loadOf(site, name, 2), seconds);
  const after = await threads(service);
  const mainShare = (after.main - before.main) / (after.all - before.all);

  const { script, connections } = await loadOf(site, name, 3);
  await watch.start();
  const start = (await service.ask('start')) as Inside;
  const { requests } = await runWrk({ port: service.port, script, connections, seconds });
  await setTimeout(200);
  const stop = (await service.ask('stop')) as Inside;
  const costOf = await watch.stop();

  const statements: StatementUse[] = [];
  for (const [name, use] of Object.entries(stop.uses)) {
    const used = grownFrom(start.uses[name], use);
    if (used.calls < requests * FEWEST_CALLS) continue;
    statements.push({ name, ...dividedBy(requests, { ...used, ...(await costOf(use.text)) }) });
  }
  statements.sort((one, other) => other.micros - one.micros);
  return { name, statements, ...timesOf(measured, mainShare, stop) };
}

/** The load by that name. Each window needs its own, because the keys of exchanges are used once. */
async function loadOf(site: Site, name: string, window: number): Promise<HttpLoad> {
  const loads = [...(await loadsOf(site, window, 4)), ...listLoadsOf(site)];
  return loads.find((load) => load.name === name)!;
}

async function threads(service: WatchedChild) {
  return { all: await service.processorSeconds(), main: await service.mainThreadSeconds() };
}

function grownFrom(before: WireUse | undefined, { calls, roundTrips, sent, received }: WireUse) {
  return {
    calls: calls - (before?.calls ?? 0),
    roundTrips: roundTrips - (before?.roundTrips ?? 0),
    sent: sent - (before?.sent ?? 0),
    received: received - (before?.received ?? 0),
  };
}

function dividedBy<Figures extends object>(requests: number, figures: Figures): Figures {
  const each = Object.entries(figures).map(([field, value]) => [field, (value as number) / requests]);
  return Object.fromEntries(each) as Figures;
}

/** The profile gives shares of the main thread, and the operating system its time without a profiler. */
function timesOf({ nodeMicros = NaN, postgresMicros = NaN }: Measured, mainShare: number, stop: Inside) {
  const { 'the measurement': ours, ...shares } = sharesOf(stop.profile!);
  const main = nodeMicros * mainShare;
  const others = nodeMicros - main;
  const parts = Object.entries(shares).map(([part, share]) => [part, main * share] as const);
  return {
    nodeMicros: nodeMicros - main * ours,
    postgresMicros,
    parts: Object.fromEntries([...parts, ['other threads', others]]),
  };
}
