import type { TillDay } from '@loyalty/sdk/admin';
import type { InfiniteData } from '@tanstack/react-query';
import { queries } from '../api.ts';
import { createShopClock } from '../frame/shop-clock.ts';
import { isSameBuyer, type Buyer } from './drafts.ts';
import { tillDayKey, type Register } from './register.ts';

/** A purchase that was recorded at this till a moment ago. */
interface Recent {
  readonly id: number;
  readonly buyer: Buyer;
  readonly amount: number;
  readonly at: number;
}

/** Of all shops: a purchase is found by its buyer, whose id belongs to one shop. */
let recents: readonly Recent[] = [];
const takenBack = new Set<number>();

/** Keeps a purchase that was just recorded. */
export function rememberRecent(id: number, buyer: Buyer, amount: number): void {
  recents = [...recents.slice(-20), { id, buyer, amount, at: Date.now() }];
}

/** Returns how many seconds ago the same was recorded for the same buyer here, or null if that is over a minute. */
export function recordedAgo(
  shopId: number,
  register: Register | null,
  buyer: Buyer,
  amount: number,
): number | null {
  const last = recents.findLast((one) => one.amount === amount && isSameBuyer(one.buyer, buyer));
  const ages = last === undefined ? [] : [Date.now() - last.at];
  // The list of the day also knows what was recorded before a reload, or by a colleague.
  const day = queries.getQueryData<InfiniteData<TillDay>>(tillDayKey(shopId, register));
  const now = createShopClock(shopId)().getTime();
  for (const line of day?.pages[0]?.results ?? [])
    if (
      'member_id' in buyer &&
      line.member_id === buyer.member_id &&
      line.kind === 'purchase' &&
      line.amount === amount &&
      line.reversed_amount === 0 &&
      !takenBack.has(line.id)
    )
      ages.push(Math.max(0, now - Date.parse(line.at)));
  const seconds = Math.round(Math.min(...ages) / 1000);
  return seconds <= 60 ? seconds : null;
}

/** A purchase that was taken back may be recorded again. */
export function forgetRecent(id: number): void {
  recents = recents.filter((one) => one.id !== id);
  takenBack.add(id);
}
