import type { StaffProgram } from '@loyalty/sdk/admin';
import { queries } from '../api.ts';

/** The time of a shop's program, as far as it is known: a sandbox may have moved it. */
export function createShopClock(shopId: number): () => Date {
  return () => {
    const state = queries.getQueryState<StaffProgram>([shopId, 'program']);
    if (state?.data === undefined) return new Date();
    return new Date(Date.parse(state.data.now) + Date.now() - state.dataUpdatedAt);
  };
}
