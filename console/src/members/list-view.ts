import type { MemberSearch, MemberSort, MemberState } from '@loyalty/sdk/admin';
import { useCallback, useMemo } from 'react';
import { useSearch } from 'wouter';
import { useLocationProperty } from 'wouter/use-browser-location';

/** The filters of the list: the search of the interface, without its pages. */
export type ListView = Omit<MemberSearch, 'cursor' | 'limit'>;

/** Undefined takes a condition away. */
export type ViewChange = { readonly [Field in keyof ListView]?: ListView[Field] | undefined };

export const STATES: readonly MemberState[] = ['member', 'invited', 'blocked', 'left', 'erased'];
export const SORTS: readonly MemberSort[] = ['newest', 'oldest', 'name'];

/** In the address, “no tier” needs a word that no tier can have as its id. */
const NO_TIER = '-';

/**
 * The view that the address names, and a function that changes it. The filters are in the query. Typed text is behind the `#`, which
 * browsers do not send: names and e-mail addresses must not get into the logs of servers.
 */
export function useListView(): [view: ListView, change: (part: ViewChange) => void] {
  const query = useSearch();
  const hash = useLocationProperty(() => location.hash);
  const view = useMemo(() => readView(query, hash), [query, hash]);
  const change = useCallback((part: ViewChange) => {
    const next = { ...readView(location.search, location.hash), ...part };
    history.replaceState(null, '', location.pathname + addressOf(next));
  }, []);
  return [view, change];
}

/** Conditions that count, apart from the text and the order. */
export function countFilters({ text: _text, sort: _sort, ...filters }: ListView): number {
  return Object.values(filters).filter((value) => value !== undefined).length;
}

function readView(query: string, hash: string): ListView {
  const params = new URLSearchParams(query);
  const text = new URLSearchParams(hash.slice(1)).get('find')?.trim();
  const oneOf = <T extends string>(name: string, values: readonly T[]) =>
    values.find((value) => value === params.get(name));
  const whole = (name: string) => {
    const value = params.get(name) ?? '';
    return /^-?\d{1,15}$/.test(value) ? Number(value) : undefined;
  };
  const day = (name: string) => {
    const value = params.get(name) ?? '';
    return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
  };
  const tier = params.get('tier') ?? '';
  const days = whole('ending');
  return withoutEmpty({
    text: text === '' ? undefined : text?.slice(0, 200),
    state: oneOf('state', STATES),
    level_id: tier === '' ? undefined : tier === NO_TIER ? null : tier,
    min_points: whole('min'),
    max_points: whole('max'),
    bought_from: day('from'),
    bought_to: day('to'),
    expiring_days: days !== undefined && days > 0 && days <= 366 ? days : undefined,
    sort: oneOf('sort', SORTS),
  });
}

function addressOf(view: ViewChange): string {
  const params = new URLSearchParams();
  const add = (name: string, value: string | number | undefined) => {
    if (value !== undefined) params.set(name, String(value));
  };
  add('state', view.state);
  add('tier', view.level_id === null ? NO_TIER : view.level_id);
  add('min', view.min_points);
  add('max', view.max_points);
  add('from', view.bought_from);
  add('to', view.bought_to);
  add('ending', view.expiring_days);
  add('sort', view.sort === 'newest' ? undefined : view.sort);
  const query = params.size === 0 ? '' : `?${params}`;
  return view.text === undefined || view.text === ''
    ? query
    : `${query}#${new URLSearchParams({ find: view.text })}`;
}

/** Leaves out what counts for nothing: the interface takes absent fields only. */
function withoutEmpty(view: ViewChange): ListView {
  return Object.fromEntries(Object.entries(view).filter(([, value]) => value !== undefined));
}
