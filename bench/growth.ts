import { growthLoadsOf, type HttpLoad } from './loads.ts';
import { costOf, measureHttp, type Postgres } from './measure.ts';
import type { Site } from './sites.ts';

/** The cost of each load in microseconds, by its name and the number of members. */
export type Growth = Readonly<Record<string, Readonly<Record<number, number>>>>;

/**
 * Sends each load to the sites one right after another, there and back again, and takes the mean of both ways. The
 * machine has little time to change between sites, and a drift affects both directions.
 */
export async function measureGrowth(
  postgres: Postgres,
  sites: readonly Site[],
  round: number,
  seconds: number,
): Promise<Growth> {
  const asked: { site: Site; loads: HttpLoad[] }[] = [];
  for (const site of sites) asked.push({ site, loads: await growthLoadsOf(site) });
  const growth: Record<string, Record<number, number>> = {};
  for (const [i, { name }] of (asked[0]?.loads ?? []).entries()) {
    const there = inTurn(round, asked);
    const costs: Record<number, number> = {};
    for (const { site, loads } of [...there, ...there.toReversed()]) {
      const { members } = site.loaded;
      const cost = costOf(await measureHttp(postgres, site, loads[i]!, Math.ceil(seconds / 2)));
      costs[members] = (costs[members] ?? 0) + cost / 2;
    }
    growth[name] = costs;
  }
  return growth;
}

/** Forwards in odd rounds and backwards in even ones. */
export function inTurn<T>(round: number, all: readonly T[]): readonly T[] {
  return round % 2 === 1 ? all : all.toReversed();
}
