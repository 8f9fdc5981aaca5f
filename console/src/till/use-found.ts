import type { Found } from '@loyalty/sdk/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePlace } from '../session.ts';
import { useDebounced } from '../ui/use-debounced.ts';
import { isWorthAsking, readTyped } from './typed.ts';

/**
 * Asks what a text stands for: at once if it is the text `asked` for, else when the keys rest. `shown` is what the list shows, which
 * may be the last answer while the next is on its way, and `isFresh` says that it is the answer to this text.
 */
export function useFound(text: string, isAsking: boolean, asked: string) {
  const { api, shop } = usePlace();
  const typed = readTyped(text);
  const calm = useDebounced(text, 130);
  const isDue = isAsking && (asked === text || (calm === text && isWorthAsking(typed)));
  const answer = useQuery<Found>({
    queryKey: [shop.id, 'find', typed.text],
    queryFn: ({ signal }) => api.find(typed.text, { signal, attempts: 2, timeoutMs: 6_000 }),
    enabled: isDue && typed.text !== '',
    placeholderData: keepPreviousData,
    staleTime: 2_000,
  });
  const isFresh = isDue && answer.isSuccess && !answer.isPlaceholderData && !answer.isFetching;
  const shown = isAsking && (isDue || isWorthAsking(typed)) ? (answer.data ?? null) : null;
  return { answer, shown, isFresh };
}
