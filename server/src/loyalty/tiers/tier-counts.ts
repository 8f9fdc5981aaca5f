import type { TierRules } from '#program/rules.ts';

/** How many members an import brought to a tier. */
export interface TierCount {
  /** The tier's name. */
  readonly name: string;
  readonly members: number;
}

/** Returns the counts by tier id under the tiers' names, lowest first. A tier without members is left out. */
export function tierCounts(members: ReadonlyMap<string, number>, { ladder }: TierRules): TierCount[] {
  return ladder.flatMap(({ id, name }) => {
    const count = members.get(id) ?? 0;
    return count === 0 ? [] : [{ name, members: count }];
  });
}
