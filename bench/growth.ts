import type { HttpLoad } from './loads.ts';
import { costOf, measureHttp, type Measured, type Watched } from './measure.ts';
import * as lua from './scripts.ts';
import { lengthenHistory, signIn } from './sign-in.ts';
import type { Site } from './sites.ts';

/** What was measured of each load on each site: by the load's name and the number of members, the way there and back. */
export type Growth = Readonly<Record<string, Readonly<Record<number, readonly Measured[]>>>>;

/**
 * Gives one member of each site more of a past than a page of it holds: else the pages would be the longer the fewer
 * members share the purchases of a run.
 */
export async function prepareGrowth(sites: readonly Site[]): Promise<void> {
  for (const { db, loaded } of sites) await lengthenHistory(db, loaded, readerOf(loaded.shops[0]!), 20);
}

/**
 * Sends each load to one site right after the other, and to all of them again on the way back: the machine has no time
 * to become another one between sites, and what drifts does so in both directions.
 */
export async function measureGrowth(
  watched: Watched,
  sites: readonly Site[],
  round: number,
  seconds: number,
): Promise<Growth> {
  const asked = await Promise.all(sites.map(async (site) => ({ site, loads: await growthLoadsOf(site) })));
  const growth: Record<string, Record<number, Measured[]>> = {};
  for (const [i, { name }] of (asked[0]?.loads ?? []).entries()) {
    const there = inTurn(round, asked);
    growth[name] = Object.fromEntries(sites.map(({ loaded }) => [loaded.members, []]));
    for (const { site, loads } of [...there, ...there.toReversed()]) {
      const watchedThere: Watched = { ...watched, db: site.db };
      const measured = await measureHttp(watchedThere, site.service, loads[i]!, Math.ceil(seconds / 2));
      growth[name][site.loaded.members]!.push(measured);
    }
  }
  return growth;
}

/** The same forwards in odd rounds and backwards in even ones. */
export function inTurn<T>(round: number, all: readonly T[]): readonly T[] {
  return round % 2 === 1 ? all : all.toReversed();
}

/** Least squares of log cost over log members: 0 is flat, 1 is in proportion. */
export function slopeOf(bySize: Growth[string]): number {
  const points = Object.entries(bySize).map(
    ([members, measured]) => [Math.log(Number(members)), Math.log(meanCost(measured))] as const,
  );
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([members]) => members), mean(([, cost]) => cost)];
  return mean(([members, cost]) => (members - x) * (cost - y)) / mean(([members]) => (members - x) ** 2);
}

/** Of the way there and of the way back. */
export function meanCost(measured: readonly Measured[]): number {
  return measured.reduce((sum, one) => sum + costOf(one), 0) / measured.length;
}

async function growthLoadsOf({ db, loaded, secret }: Site): Promise<HttpLoad[]> {
  const shop = loaded.shops[0]!;
  const [reader] = await signIn(db, loaded, secret, [readerOf(shop)]);
  const read = (name: string, connections: number, script: string) => ({
    name,
    connections,
    script,
    counted: null,
  });
  return [
    { name: 'purchase', connections: 32, script: lua.purchases(loaded), counted: 'purchases' },
    read('balance', 64, lua.balances(loaded)),
    read('last page of the list', 16, lua.list(shop, shop.members - 20)),
    read('first page of activity', 16, lua.activity(reader!)),
  ];
}

function readerOf({ firstMember }: { readonly firstMember: number }): number {
  return firstMember + 1;
}
