import type { HistoryItem } from '@loyalty/sdk';
import { useRef } from 'preact/hooks';
import { useClub } from './club.ts';
import { useLoaded, type Loaded } from './use-loaded.ts';

interface Pages {
  readonly items: HistoryItem[];
  /** Null if these are all. */
  readonly cursor: string | null;
}

/** The history as far as the member has read it, newest first. `loadMore` adds a page. */
export function useHistory(): Loaded<Pages> & { readonly loadMore: () => void } {
  const { client, version } = useClub();
  const pages = useRef<Pages | null>(null);
  const wanted = useRef(1);
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
      for (; read < wanted.current && next.cursor !== null; read++) {
        const page = await client.listMyHistory({ cursor: next.cursor }, { signal });
        next = { items: [...next.items, ...page.results], cursor: page.next_cursor };
      }
      pages.current = next;
      return next;
    },
    { on: version },
  );
  const loadMore = () => {
    wanted.current = pages.current === null ? 1 : readPages(pages.current) + 1;
    void loaded.reload();
  };
  return { ...loaded, loadMore };
}

const PAGE = 20;

function readPages({ items }: Pages): number {
  return Math.ceil(items.length / PAGE);
}
