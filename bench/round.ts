import { setTimeout } from 'node:timers/promises';
import type { Child } from './child.ts';
import { inTurn, measureGrowth, type Growth } from './growth.ts';
import type { Limits } from './limit.ts';
import { listLoadsOf, loadsOf, thinLoadsOf, type HttpLoad } from './loads.ts';
import * as lua from './lua.ts';
import { measureHttp, measureLimit, measurePgbench, type Measured, type Postgres } from './measure.ts';
import { pacedPurchases, pacedThinPurchases, smallCommerces } from './paced.ts';
import { measurePeer, type Peer } from './peer.ts';
import type { Script } from './pgbench.ts';
import type { Site } from './sites.ts';
import { percentile } from './statistics.ts';
import { useVouchers } from './use-vouchers.ts';
import { runWrk } from './wrk.ts';

/** Everything that takes part in a round. */
export interface Bench {
  readonly postgres: Postgres;
  readonly hellos: Readonly<Record<string, Child>>;
  readonly scripts: Readonly<Record<string, Script>>;
  readonly limits: Limits;
  /** The limits behind HTTP. */
  readonly thin: Child;
  readonly site: Site;
  /** The site with all members in one list. */
  readonly listed: Site;
  /** Sites of several sizes; empty in the quick form. */
  readonly growing: readonly Site[];
  readonly peer: Peer | null;
  /** The number of rounds, including the one that warms up. */
  readonly rounds: number;
}

/** The measurements of one round. */
export interface Round {
  readonly loads: Readonly<Record<string, Measured>>;
  readonly growth: Growth;
  /** How long the purchases of the small commerces took, in milliseconds: alone, and beside a big one. */
  readonly small: { readonly alone: readonly number[]; readonly beside: readonly number[] };
  readonly paced: readonly Paced[];
}

/** Purchases at a fixed rate, `share` of the most that the round saw. */
export interface Paced {
  readonly share: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** How late the sender of the calls was itself, which is part of the times above. */
  readonly lateP99Ms: number;
  /** The same of the thin service, at the same rate. */
  readonly thinP99Ms: number;
}

const UNTIL_JOBS_HAVE_RUN_MS = 5_000;

/** Measures everything once, one load after another. */
export async function runRound(bench: Bench, round: number, seconds: number): Promise<Round> {
  const { postgres, hellos, scripts, limits, thin, site, listed, growing, peer, rounds } = bench;
  const loads: Record<string, Measured> = {};
  const overHttp = (at: Pick<Site, 'service' | 'db'>, load: HttpLoad): Step => ({
    name: load.name,
    measure: () => measureHttp(postgres, at, load, seconds),
  });
  const steps: Step[] = [
    ...Object.entries(hellos).map(([name, service]) =>
      overHttp({ service, db: site.db }, { name, connections: 64, script: lua.hello }),
    ),
    ...Object.entries(limits.loads).map(([name, limit]) => ({
      name,
      measure: () => measureLimit(postgres, limit, loads['hello, node:http']!, seconds),
    })),
    ...Object.entries(scripts).map(([name, script]) => ({
      name,
      measure: () => measurePgbench(postgres, site.url, script, seconds),
    })),
    ...(await loadsOf(site, round, rounds)).map((load) => overHttp(site, load)),
    ...thinLoadsOf(site.loaded.members).map((load) => overHttp({ service: thin, db: site.db }, load)),
  ];
  for (const { name, measure } of byKind(steps)) loads[name] = await measure();
  for (const load of inTurn(round, listLoadsOf(listed)))
    loads[load.name] = await measureHttp(postgres, listed, load, seconds);
  if (peer !== null) Object.assign(loads, await measurePeer(postgres, peer, seconds));
  const measured = {
    loads,
    small: await besideABigOne(site, seconds),
    paced: await atAFixedRate(bench, loads['purchase, 64 connections']!.perSecond, seconds),
    growth: await measureGrowth(postgres, growing, round, seconds),
  };
  await useVouchers(site.db);
  // The jobs come to what has just been used, and not while the next round measures.
  await setTimeout(UNTIL_JOBS_HAVE_RUN_MS);
  return measured;
}

/** One load of a round. */
interface Step {
  readonly name: string;
  readonly measure: () => Promise<Measured>;
}

const KINDS = ['hello', 'hot member', 'purchase', 'balance', 'exchange'];

/** Loads that are divided by each other come right after one another: a shared machine is another one within a minute. */
function byKind(steps: readonly Step[]): Step[] {
  const kindOf = ({ name }: Step) => KINDS.find((kind) => name.includes(kind)) ?? '';
  const groups = Map.groupBy(steps, kindOf);
  return [...KINDS, ''].flatMap((kind) => groups.get(kind) ?? []);
}

async function besideABigOne(site: Site, seconds: number): Promise<Round['small']> {
  const { loaded, service } = site;
  const { took: alone } = await smallCommerces(site, seconds);
  const script = lua.purchases(loaded, 1, loaded.shops[0]!.members);
  const big = runWrk({ port: service.port, script, connections: 64, seconds: seconds + 3 });
  const small = setTimeout(500).then(() => smallCommerces(site, seconds));
  const [{ took: beside }] = await Promise.all([small, big]);
  return { alone, beside };
}

async function atAFixedRate({ site, thin }: Bench, most: number, seconds: number): Promise<Paced[]> {
  const paced = [];
  for (const share of [0.5, 0.8]) {
    const perSecond = Math.round(most * share);
    const { took, late } = await pacedPurchases(site, perSecond, seconds);
    const [p50Ms, p99Ms, p999Ms] = [percentile(took, 0.5), percentile(took, 0.99), percentile(took, 0.999)];
    const beside = await pacedThinPurchases(thin, site.loaded.members, perSecond, seconds);
    const [lateP99Ms, thinP99Ms] = [percentile(late, 0.99), percentile(beside.took, 0.99)];
    paced.push({ share, perSecond, p50Ms, p99Ms, p999Ms, lateP99Ms, thinP99Ms });
  }
  return paced;
}
