import { setTimeout } from 'node:timers/promises';
import type { Cast } from './cast.ts';
import type { Child } from './child.ts';
import { inTurn, measureGrowth } from './growth.ts';
import { listLoadsOf, loadsOf, pacedPurchases, smallCommerces, type HttpLoad } from './loads.ts';
import { measureHttp, measurePgbench, type Measured, type Watched } from './measure.ts';
import { measurePeer, SAME_WORK } from './peer-loads.ts';
import type { Peer } from './peer-site.ts';
import type { Script } from './pgbench.ts';
import { tookOf, type Round } from './rows.ts';
import { hello, purchasesAt } from './scripts.ts';
import type { Site } from './sites.ts';
import { runWrk } from './wrk.ts';

/** All that is asked in a round. */
export interface Bench {
  readonly watched: Watched;
  readonly hellos: readonly { readonly name: string; readonly child: Child }[];
  readonly baselines: readonly (readonly [string, Script])[];
  readonly site: Site;
  readonly cast: Cast;
  /** The site with all members in one list. */
  readonly listed: Site;
  /** The sites of all sizes, where there are several. */
  readonly growing: readonly Site[];
  readonly peer: Peer | null;
  /** How many rounds there are, the one that warms up among them. */
  readonly rounds: number;
}

/** Measures everything once, one after the other. */
export async function runRound(bench: Bench, round: number, seconds: number): Promise<Round> {
  const { watched, hellos, baselines, site, cast, listed, growing, peer, rounds } = bench;
  const loads: Record<string, Measured> = {};
  for (const { name, child } of hellos) {
    const load: HttpLoad = { name, connections: 64, script: hello, counted: null };
    loads[name] = await measureHttp(watched, child, load, seconds);
  }
  for (const [name, script] of baselines) {
    loads[name] = await measurePgbench(watched, site.url, script, seconds);
  }
  for (const load of await loadsOf(site, cast, round, rounds)) {
    loads[load.name] = await measureHttp(watched, site.service, load, seconds);
  }
  const watchedThere: Watched = { ...watched, db: listed.db };
  for (const load of inTurn(round, listLoadsOf(listed))) {
    loads[load.name] = await measureHttp(watchedThere, listed.service, load, seconds);
  }
  if (peer !== null) {
    for (const { peers } of SAME_WORK) loads[peers] ??= await measurePeer(watched, peer, peers, seconds);
  }
  const small = await besideABigOne(site, seconds);
  const paced = await atAFixedRate(site, loads['purchase, 64 connections']!.perSecond, seconds);
  const growth = await measureGrowth(watched, growing, round, seconds);
  return { loads, growth, small, paced };
}

async function besideABigOne(site: Site, seconds: number): Promise<Round['small']> {
  const { loaded, service } = site;
  const alone = await smallCommerces(site, seconds);
  const big = runWrk({
    port: service.port,
    script: purchasesAt(loaded, loaded.shops[0]!),
    connections: 64,
    seconds: seconds + 1,
  });
  const [beside] = await Promise.all([setTimeout(500).then(() => smallCommerces(site, seconds)), big]);
  return { alone, beside };
}

async function atAFixedRate(site: Site, most: number, seconds: number): Promise<Round['paced']> {
  const paced = [];
  for (const share of [0.5, 0.8]) {
    const perSecond = Math.round(most * share);
    paced.push({ share, perSecond, tookMs: tookOf(await pacedPurchases(site, perSecond, seconds)) });
  }
  return paced;
}
