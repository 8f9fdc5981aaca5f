import type { ShopClock } from '@loyalty/sdk/admin';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { queries } from '../api.ts';
import { usePlace } from '../session.ts';

export type MoveOfClock = Parameters<ReturnType<typeof usePlace>['api']['moveClock']>[0];

/** The time of the shop's program. It is asked again and again while the clock moves. */
export function useClock() {
  const { api, shop } = usePlace();
  const clock = useQuery<ShopClock>({
    queryKey: [shop.id, 'clock'],
    queryFn: ({ signal }) => api.getClock({ signal }),
    refetchInterval: ({ state }) => (state.data?.is_moving === true ? 700 : false),
  });
  const isMoving = clock.data?.is_moving ?? false;
  const wasMoving = useRef(isMoving);
  useEffect(() => {
    // At another time, everything of the shop may be different.
    if (wasMoving.current && !isMoving)
      void queries.invalidateQueries({
        queryKey: [shop.id],
        predicate: ({ queryKey }) => queryKey[1] !== 'clock',
      });
    wasMoving.current = isMoving;
  }, [isMoving, shop.id]);
  return clock;
}

/** Asks for the clock to be moved. */
export function useMoveClock() {
  const { api, shop } = usePlace();
  return useMutation({
    mutationFn: (move: MoveOfClock) => api.moveClock(move),
    onSuccess: (clock) => queries.setQueryData([shop.id, 'clock'], clock),
    // Somebody else may be moving it.
    onError: () => queries.invalidateQueries({ queryKey: [shop.id, 'clock'] }),
  });
}
