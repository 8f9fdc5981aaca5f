import type { StaffProgram } from '@loyalty/sdk/admin';
import { useMemo, useSyncExternalStore } from 'react';
import { queries } from '../api.ts';

const subscribe = (onChange: () => void) => queries.getQueryCache().subscribe(onChange);

/** The time of a shop's program, as far as it is known: a sandbox may have moved it. */
export function createShopClock(shopId: number): () => Date {
  return () => new Date(Date.now() + aheadOf(shopId));
}

/** The same, as another function after each move of the clock: what was said by the time before is then said anew. */
export function useShopClock(shopId: number): () => Date {
  // The time that an answer takes makes no minute.
  const minutes = useSyncExternalStore(subscribe, () => Math.round(aheadOf(shopId) / 60_000));
  return useMemo(() => createShopClock(shopId), [shopId, minutes]);
}

/** How many milliseconds the time of the shop's program is ahead of the real one. */
function aheadOf(shopId: number): number {
  const state = queries.getQueryState<StaffProgram>([shopId, 'program']);
  return state?.data === undefined ? 0 : Date.parse(state.data.now) - state.dataUpdatedAt;
}
