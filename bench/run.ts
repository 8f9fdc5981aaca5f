/**
 * `npm run bench [-- --quick|--large --seconds N --peer FOLDER]`: measures the service as a process of its own, over HTTP, beside
 * `pgbench` running the same transactions, servers that only say hello, the least that PostgreSQL can do and, if it is
 * installed, the peer.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { checkBooks } from './books.ts';
import { buyersOf } from './cast.ts';
import { startHello, startService, startThinService } from './child.ts';
import { withServer } from './database.ts';
import { bytesPerPurchase, describeMachine, hotShare, watchPostgres } from './machine.ts';
import { withLimits, type Limits } from './limit.ts';
import type { Loaded } from './load-members.ts';
import { crowdOf } from './loads.ts';
import { measureHttp } from './measure.ts';
import { withPeer, type Peer } from './peer.ts';
import { pgbenchScripts } from './pgbench-scripts.ts';
import { MOST_DRIFT, writeReport } from './report.ts';
import { seriesOfRounds, writeResults, type Results } from './results.ts';
import { requirePrograms } from './programs.ts';
import { runRound, type Bench, type Round } from './round.ts';
import { rowsOf } from './rows.ts';
import { inOneCommerce, inProduction, jobsAreDone, usual, withSites, type Site } from './sites.ts';
import { mostAlike } from './statistics.ts';

const full = { members: 100_000, others: [1_000, 10_000], rounds: 5, seconds: 10, long: 1_000_000 };
const forms = {
  full,
  /** One number of members only: W9 would take too long. */
  quick: { members: 20_000, others: [], rounds: 3, seconds: 3, long: 100_000 },
  large: { ...full, members: 1_000_000, others: [1_000, 10_000, 100_000] },
};

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    large: { type: 'boolean' },
    seconds: { type: 'string' },
    peer: { type: 'string' },
  },
});
const form = options.quick === true ? 'quick' : options.large === true ? 'large' : 'full';
const { members, others, rounds, long } = forms[form];
const seconds = Number(options.seconds ?? forms[form].seconds);

/** A service gives memory back once it is idle. */
const UNTIL_AT_REST_MS = 40_000;

/** On a machine that is faster at one time than at another, up to so many times the rounds are measured. */
const MOST_TIMES = 2;
/** The rounds so far, in case the run breaks off. */
const SO_FAR = join(tmpdir(), 'loyalty-bench-rounds.json');

await requirePrograms('wrk', 'pgbench');
say('Starting the service twice, on an empty data folder and again.');
const start = await timeTheStart();

await withServer((serverUrl) => {
  say(`Loading ${[members, ...others].join(', ')} members of 50 commerces, and ${members} of one.`);
  const sizes = [inOneCommerce(members), usual(members, long), ...others.map((few) => usual(few))];
  return withSites(serverUrl, sizes, async ([listed, ...sites]) => {
    const measure = async (peer: Peer | null) => {
      const results = await withLimits(serverUrl, members, (limits) =>
        measureAll(listed!, sites, limits, peer),
      );
      await writeResults(results);
      await writeReport(results);
    };
    if (options.peer === undefined) return measure(null);
    return withPeer(serverUrl, options.peer, members, buyersOf(members), measure);
  });
});

async function measureAll(
  listed: Site,
  sites: readonly Site[],
  limits: Limits,
  peer: Peer | null,
): Promise<Results> {
  const [site, ...otherSites] = sites as [Site, ...Site[]];
  const { db, service } = site;
  say('Waiting until the jobs have sealed and checked what was loaded.');
  for (const one of [listed, ...sites]) await jobsAreDone(one.db);
  await setTimeout(UNTIL_AT_REST_MS);
  const atRest = { memoryAtRest: await service.memory(), bytesPerPurchase: await bytesPerPurchase(db) };
  const hellos = {
    'hello, node:http': await startHello('node'),
    'hello, Fastify': await startHello('fastify'),
  };
  // Growth compares processes that have done nothing else, so the largest site needs a second one.
  const another = await startService(inProduction(site.url, site.secret));
  const thin = await startThinService(limits.url);
  const bench: Bench = {
    postgres: await watchPostgres(db),
    hellos,
    scripts: await pgbenchScripts(site.url, site.loaded),
    limits,
    thin,
    site,
    listed,
    growing: otherSites.length === 0 ? [] : [{ ...site, service: another }, ...otherSites],
    peer,
    rounds: MOST_TIMES * rounds + 1,
  };
  try {
    say('Warming up with a short round that does not count.');
    await runRound(bench, 0, Math.ceil(seconds / 5));
    const all: Round[] = [];
    let measured: Round[] = [];
    do {
      say(`Round ${all.length + 1}, of which ${rounds} must have seen an equally fast machine.`);
      all.push(await runRound(bench, all.length + 1, seconds));
      await writeFile(SO_FAR, JSON.stringify(all));
      measured = mostAlike(all, rounds, helloOf);
    } while (all.length < rounds || (driftOf(measured) > MOST_DRIFT && all.length < MOST_TIMES * rounds));
    const rows = rowsOf(measured, { ...start, ...atRest });
    console.table(rows.map(({ id, work, value, target, reached }) => ({ id, work, value, target, reached })));
    const afterRounds = await service.memory();
    say('A thousand callers at once.');
    const crowd = crowdOf(site);
    const crowded = await measureHttp(bench.postgres, site, crowd, seconds);
    const afterCrowd = await service.memory();
    say('Checking the books.');
    const books = await checkBooks([listed, ...sites]);
    await limits.check();
    return {
      form,
      members,
      seconds,
      long,
      peer: peer?.name ?? null,
      drift: driftOf(measured),
      repeated: all.length - measured.length,
      hotShare: await hotShare(db),
      memory: { afterRounds, afterCrowd },
      machine: await describeMachine(db),
      books,
      loading: [listed, ...sites].map(({ loaded }) => loadingOf(loaded)),
      rows,
      ...seriesOfRounds(measured, { [crowd.name]: crowded }),
    };
  } finally {
    await another.stop();
    await thin.stop();
    for (const hello of Object.values(hellos)) await hello.stop();
  }
}

/** From start to first answer with a database of its own: a new one, and then the same again. */
async function timeTheStart(): Promise<{ firstStartMs: number; laterStartMs: number }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'loyalty-bench-'));
  // As after an installation, when nothing is compiled yet.
  const env = { DATA_DIR: dataDir, NODE_COMPILE_CACHE: join(dataDir, 'compiled') };
  const time = async () => {
    const service = await startService(env);
    await service.stop();
    return Math.round(service.readyMs);
  };
  try {
    return { firstStartMs: await time(), laterStartMs: await time() };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function loadingOf({ members, commerces, movements, seconds, bytes }: Loaded): Results['loading'][number] {
  return { members, commerces, movements, seconds, bytes };
}

/** By how much the fastest round was faster than the slowest. */
function driftOf(measured: readonly Round[]): number {
  const rates = measured.map(helloOf);
  return Math.max(...rates) / Math.min(...rates) - 1;
}

/** What depends on the machine alone. */
function helloOf({ loads }: Round): number {
  return loads['hello, Fastify']!.perSecond;
}

/** Prints how far the run is, with the minutes and seconds since it began. */
function say(sentence: string): void {
  const seconds = Math.floor(performance.now() / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  process.stderr.write(`${time} ${sentence}\n`);
}
