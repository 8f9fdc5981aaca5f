import type { ShopClock } from '@loyalty/sdk/admin';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { queries } from '../api.ts';
import { createShopClock } from '../frame/shop-clock.ts';
import { usePlace, type Place } from '../session.ts';

export type MoveOfClock = Parameters<ReturnType<typeof usePlace>['api']['moveClock']>[0];

const clockOf = ({ api, shop }: Place) =>
  queryOptions<ShopClock>({
    queryKey: [shop.id, 'clock'],
    queryFn: ({ signal }) => api.getClock({ signal }),
  });

/** The time of the shop's program, and how it was moved. */
export const useClock = () => useQuery(clockOf(usePlace()));

/** Follows a clock that is on its way, on whatever page. At another time, everything of the shop may be different, so it is read anew. */
export function useFollowClock(): void {
  const place = usePlace();
  const { data, dataUpdatedAt } = useQuery({
    ...clockOf(place),
    enabled: ({ state }) => state.data?.is_moving === true,
    refetchInterval: 700,
  });
  const shopId = place.shop.id;
  const wasMoving = useRef(false);
  useEffect(() => {
    if (data === undefined) return;
    const known = createShopClock(shopId)().getTime() - (Date.now() - dataUpdatedAt);
    // Somebody else may have moved it.
    const isAnother = Math.abs(Date.parse(data.now) - known) > 60_000;
    if (!data.is_moving && (wasMoving.current || isAnother))
      void queries.invalidateQueries({
        queryKey: [shopId],
        predicate: ({ queryKey }) => queryKey[1] !== 'clock',
      });
    wasMoving.current = data.is_moving;
  }, [data, dataUpdatedAt, shopId]);
}

/** Asks for the clock to be moved. */
export function useMoveClock() {
  const place = usePlace();
  const { queryKey } = clockOf(place);
  return useMutation({
    mutationFn: (move: MoveOfClock) => place.api.moveClock(move),
    async onSuccess(clock) {
      // An answer that is still under way may be older than this one.
      await queries.cancelQueries({ queryKey });
      queries.setQueryData(queryKey, clock);
    },
    // Somebody else may be moving it.
    onError: () => queries.invalidateQueries({ queryKey }),
  });
}
