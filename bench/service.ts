/**
 * `npm run bench [-- --quick|--large --peer FOLDER]`: the service as a process of its own, asked over HTTP, beside
 * `pgbench` running the same transactions, servers that only say hello, and the peer where it is installed. Every load
 * runs in every round, figures of one round are divided by each other, and the books are checked. Writes
 * `results/service.json` and `docs/benchmarks.md`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkBooks } from './books.ts';
import { prepareCast } from './cast.ts';
import { startHello, startService, type Child } from './child.ts';
import { withServer } from './database.ts';
import { measureFlood, spoiltBy } from './flood.ts';
import { prepareGrowth } from './growth.ts';
import { baselinesOf } from './loads.ts';
import type { Loaded } from './load-members.ts';
import { describeMachine } from './machine.ts';
import { peerRows } from './peer-loads.ts';
import { withPeer, type Peer } from './peer-site.ts';
import { hotShare } from './postgres-figures.ts';
import { processorOf } from './processor.ts';
import { keepInFile, say } from './progress.ts';
import { writeReport, type Results } from './report.ts';
import { runRound, type Bench } from './round.ts';
import { rowsOf, tookOf, type Round } from './rows.ts';
import { spread } from './sign-in.ts';
import { inOneCommerce, inProduction, usual, withSites, type Site } from './sites.ts';
import { bytesPerPurchase, tableSizes } from './size.ts';

interface Shape {
  readonly members: number;
  /** Other numbers of members, for what must not grow with them; a quick look leaves that out. */
  readonly others: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  /** Movements of the member with a long past. */
  readonly long: number;
}

const quick: Shape = { members: 20_000, others: [], rounds: 3, seconds: 3, long: 100_000 };
const full: Shape = { members: 100_000, others: [1_000, 10_000], rounds: 5, seconds: 10, long: 1_000_000 };
const large: Shape = { ...full, members: 1_000_000, others: [1_000, 10_000, 100_000] };

const { values: asked } = parseArgs({
  options: { quick: { type: 'boolean' }, large: { type: 'boolean' }, peer: { type: 'string' } },
});
const form = asked.quick === true ? 'quick' : asked.large === true ? 'large' : 'full';
const { members, others, rounds, seconds, long } = { quick, full, large }[form];
/** What may change between the hellos of the first and the last round before a run counts as noisy. */
const MOST_DRIFT = 0.15;

say('Starting the service twice, on an empty data folder and again.');
const start = await timeTheStart();
const soFar = await keepInFile();

await withServer((serverUrl) => {
  say(
    `Loading ${[members, ...others].join(', ')} members with ten movements each, and ${members} of one commerce.`,
  );
  const sizes = [inOneCommerce(members), ...[members, ...others].map(usual)];
  return withSites(serverUrl, sizes, async ([listed, ...sites]) => {
    const measure = async (peer: Peer | null) => {
      await writeReport(await measureAll(listed!, sites, peer));
      await soFar.forget();
    };
    if (asked.peer === undefined) return measure(null);
    const buyers = spread(sites[0]!.loaded, 2_000);
    return withPeer(serverUrl, asked.peer, { customers: members, buyers }, measure);
  });
});

async function measureAll(listed: Site, sites: readonly Site[], peer: Peer | null): Promise<Results> {
  const [site, ...otherSites] = sites as [Site, ...Site[]];
  const { db } = site;
  const machine = await describeMachine(db);
  const bytes = Math.round(bytesPerPurchase(await tableSizes(db)));
  const atRest = await site.service.memory();
  const cast = await prepareCast(site, long);
  await prepareGrowth(sites);
  const hellos = [
    { name: 'hello, node:http', child: await startHello('node') },
    { name: 'hello, Fastify', child: await startHello('fastify') },
  ];
  // What grows is asked of processes that have done nothing else, on the largest site too.
  const another = await startService(inProduction(site.url, site.secret));
  const bench: Bench = {
    watched: { db, processorSeconds: await processorOf(db) },
    hellos,
    baselines: Object.entries(await baselinesOf(site, cast)),
    site,
    cast,
    listed,
    growing: otherSites.length === 0 ? [] : [{ ...site, service: another }, ...otherSites],
    peer,
    rounds: rounds + 1,
  };
  try {
    say('Warming up: a short round that does not count.');
    await runRound(bench, 0, Math.ceil(seconds / 5));
    const measured: Round[] = [];
    for (let round = 1; round <= rounds; round++) {
      say(`Round ${round} of ${rounds}.`);
      measured.push(await runRound(bench, round, seconds));
      await soFar.keep({ form, machine, measured });
    }
    const rows = [...rowsOf(measured, members), ...(peer === null ? [] : peerRows(measured))];
    console.table(rows.map(({ id, work, value, target, reached }) => ({ id, work, value, target, reached })));
    const memoryAfter = await site.service.memory();
    say('A thousand callers at once.');
    const flood = await measureFlood(site, seconds);
    await soFar.keep({ form, machine, measured, flood });
    const spoilt = spoiltBy(flood);
    if (spoilt.length > 0) throw new Error(`some of a thousand callers got ${spoilt.join(', ')}`);
    const books = await checkBooks([listed, ...sites]);
    const drift = driftOf(measured);
    return {
      form,
      members,
      rounds: measured.length,
      seconds,
      long,
      machine,
      loading: [listed, ...sites].map(({ loaded }) => loadingOf(loaded)),
      peer: peer?.name ?? null,
      drift,
      noisy: drift > MOST_DRIFT,
      start: { ...start, memoryAtRest: atRest, memoryAfter },
      bytesPerPurchase: bytes,
      hotShare: await hotShare(db),
      flood,
      books,
      rows,
      measured: measured.map(({ small, ...round }) => ({
        ...round,
        small: { alone: tookOf(small.alone), beside: tookOf(small.beside) },
      })),
    };
  } finally {
    await another.stop();
    for (const { child } of hellos) await child.stop();
  }
}

/** From its start to its first answer, in milliseconds, with a database of its own: new, and found again. */
async function timeTheStart(): Promise<{ firstMs: number; laterMs: number }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'loyalty-bench-'));
  // As after an installation: nothing is compiled yet.
  const env = { DATA_DIR: dataDir, NODE_COMPILE_CACHE: join(dataDir, 'compiled') };
  const once = async () => {
    const service: Child = await startService(env);
    await service.stop();
    return Math.round(service.readyMs);
  };
  try {
    return { firstMs: await once(), laterMs: await once() };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function loadingOf({ members, commerces, movements, seconds, bytes }: Loaded): Results['loading'][number] {
  return { members, commerces, movements, seconds, bytes };
}

function driftOf(measured: readonly Round[]): number {
  const rates = [measured[0]!, measured.at(-1)!].map(({ loads }) => loads['hello, Fastify']!.perSecond);
  return Number((Math.max(...rates) / Math.min(...rates) - 1).toFixed(3));
}
