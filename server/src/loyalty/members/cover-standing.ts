/**
 * A tier that staff have pinned covers the tier that the member has by the rules. Beneath the pin the rules go on as if there
 * were none: purchases climb, periods end, returns take tiers away. So unpinning only uncovers what is there.
 */
import type { Standing } from './member.ts';

/** Returns a standing whose tier is pinned, without an end, over the standing by the rules. */
export function coverStanding(beneath: Standing, tierId: string | null, pinnedAt: Date | null): Standing {
  return {
    ...beneath,
    tierId,
    reachedAt: pinnedAt,
    periodFrom: null,
    expiresOn: null,
    expired: false,
    beneath,
  };
}

/** Returns the standing by the rules, whether or not a pin covers it. */
export function uncoverStanding(standing: Standing): Standing {
  return standing.beneath ?? standing;
}

/** Returns the standing with another one beneath its pin, or that one if there is no pin. Keeps the object if it can. */
export function withUncovered(standing: Standing, uncovered: Standing): Standing {
  if (uncovered === uncoverStanding(standing)) return standing;
  return standing.beneath === null
    ? uncovered
    : coverStanding(uncovered, standing.tierId, standing.reachedAt);
}
