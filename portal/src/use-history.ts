import type { HistoryItem } from '@loyalty/sdk';
import { useRef } from 'preact/hooks';
import { useClub } from './club.ts';
import { useLoaded, type Loaded } from './use-loaded.ts';

interface Pages {
  readonly items: HistoryItem[];
  /** Null if these are all. */
  readonly cursor: string | null;
}

type IsEnough = (items: readonly HistoryItem[]) => boolean;

/** One act reads at most this many pages, because a member has ten calls a second. */
const MOST_PAGES = 9;

/** The history as far as the member has read it, newest first. `loadMore` adds a page, or several until there is enough. */
export function useHistory(): Loaded<Pages> & { readonly loadMore: (isEnough?: IsEnough) => void } {
  const { client, version } = useClub();
  const pages = useRef<Pages | null>(null);
  const wanted = useRef<{ pages: number; isEnough?: IsEnough }>({ pages: 1 });
  const loaded = useLoaded<Pages>(
    async (signal) => {
      const first = await client.listMyHistory({}, { signal });
      const before = pages.current;
      // Pages that follow the first one are still right if it is.
      const isSame =
        before !== null &&
        JSON.stringify(before.items.slice(0, first.results.length)) === JSON.stringify(first.results);
      let next: Pages = isSame ? before : { items: first.results, cursor: first.next_cursor };
      let read = isSame ? readPages(before) : 1;
      const { pages: most, isEnough = () => false } = wanted.current;
      for (; read < most && next.cursor !== null; read++) {
        if (isEnough(next.items)) break;
        const page = await client.listMyHistory({ cursor: next.cursor }, { signal });
        next = { items: [...next.items, ...page.results], cursor: page.next_cursor };
      }
      wanted.current = { pages: read };
      pages.current = next;
      return next;
    },
    { on: version },
  );
  const loadMore = (isEnough?: IsEnough) => {
    const read = pages.current === null ? 0 : readPages(pages.current);
    wanted.current = isEnough ? { pages: read + MOST_PAGES, isEnough } : { pages: read + 1 };
    void loaded.reload();
  };
  return { ...loaded, loadMore };
}

export const PAGE = 20;

function readPages({ items }: Pages): number {
  return Math.ceil(items.length / PAGE);
}
