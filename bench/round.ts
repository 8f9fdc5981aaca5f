import { setTimeout } from 'node:timers/promises';
import type { Child } from './child.ts';
import { inTurn, measureGrowth, type Growth } from './growth.ts';
import type { Limits } from './limit.ts';
import { listLoadsOf, loadsOf, thinLoadsOf } from './loads.ts';
import * as lua from './lua.ts';
import { measureHttp, measureLimit, measurePgbench, type Measured, type Postgres } from './measure.ts';
import { pacedPurchases, pacedThinPurchases, smallCommerces } from './paced.ts';
import { measurePeer, type Peer } from './peer.ts';
import type { Script } from './pgbench.ts';
import type { Site } from './sites.ts';
import { percentile } from './statistics.ts';
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

/** Measures everything once, one load after another. */
export async function runRound(bench: Bench, round: number, seconds: number): Promise<Round> {
  const { postgres, hellos, scripts, limits, thin, site, listed, growing, peer, rounds } = bench;
  const loads: Record<string, Measured> = {};
  for (const [name, service] of Object.entries(hellos)) {
    const load = { name, connections: 64, script: lua.hello };
    loads[name] = await measureHttp(postgres, { service, db: site.db }, load, seconds);
  }
  for (const [name, limit] of Object.entries(limits.loads))
    loads[name] = await measureLimit(postgres, limit, loads['hello, node:http']!, seconds);
  for (const load of thinLoadsOf(site.loaded.members))
    loads[load.name] = await measureHttp(postgres, { service: thin, db: site.db }, load, seconds);
  for (const [name, script] of Object.entries(scripts))
    loads[name] = await measurePgbench(postgres, site.url, script, seconds);
  for (const load of await loadsOf(site, round, rounds))
    loads[load.name] = await measureHttp(postgres, site, load, seconds);
  for (const load of inTurn(round, listLoadsOf(listed)))
    loads[load.name] = await measureHttp(postgres, listed, load, seconds);
  if (peer !== null) Object.assign(loads, await measurePeer(postgres, peer, seconds));
  return {
    loads,
    small: await besideABigOne(site, seconds),
    paced: await atAFixedRate(bench, loads['purchase, 64 connections']!.perSecond, seconds),
    growth: await measureGrowth(postgres, growing, round, seconds),
  };
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
