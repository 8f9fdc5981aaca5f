import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useProgram } from '../session.ts';
import type { Day } from './days.ts';
import { queryOfRange, readRange, type Range } from './range.ts';

export interface RangeOfAddress {
  readonly today: Day;
  readonly range: Range;
  /** The chart that was chosen, by the figure that stands for it. */
  readonly show: string | null;
  /** Each change is an entry of the browser's history, so the back button takes it back. */
  readonly change: (part: { range?: Range; show?: string | null }) => void;
}

/** The days that the address names. Null until the shop's today is known. */
export function useRange(): RangeOfAddress | null {
  const query = useSearch();
  const [path, go] = useLocation();
  const today = useProgram().data?.today;
  const range = useMemo(() => (today === undefined ? null : readRange(query, today)), [query, today]);
  const show = new URLSearchParams(query).get('show');
  const change = useCallback<RangeOfAddress['change']>(
    (part) => {
      const params = new URLSearchParams(queryOfRange(part.range ?? range!));
      const shown = part.show === undefined ? show : part.show;
      if (shown !== null) params.set('show', shown);
      go(`${path}${params.size === 0 ? '' : `?${params}`}`);
    },
    [go, path, range, show],
  );
  return today === undefined || range === null ? null : { today, range, show, change };
}
