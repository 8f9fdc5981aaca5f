import type { StaffProgram } from '@loyalty/sdk/admin';
import { useMemo, useSyncExternalStore } from 'react';
import { queries } from '../api.ts';

/** Only answers count: whoever signs out forgets them all, and then nothing may be asked anew. */
const subscribe = (onAnswer: () => void) =>
  queries.getQueryCache().subscribe(({ type }) => type === 'updated' && onAnswer());

/** The time of a shop's program, as far as it is known: a sandbox may have moved it. */
export function createShopClock(shopId: number): () => Date {
  return () => new Date(Date.now() + aheadOf(shopId));
}

/** The same, as another function after each move of the clock: what was said by the time before is then said anew. */
export function useShopClock(shopId: number): () => Date {
  // The time that an answer takes makes no minute. To React, -0 is another number than 0.
  const minutes = useSyncExternalStore(subscribe, () => Math.round(aheadOf(shopId) / 60_000) || 0);
  return useMemo(() => createShopClock(shopId), [shopId, minutes]);
}

/** How many milliseconds the time of the shop's program is ahead of the real one. */
function aheadOf(shopId: number): number {
  const state = queries.getQueryState<StaffProgram>([shopId, 'program']);
  return state?.data === undefined ? 0 : Date.parse(state.data.now) - state.dataUpdatedAt;
}
