import { ConnectionError, type HistoryItem } from '@loyalty/sdk';
import { useState } from 'preact/hooks';
import { titleOf } from './benefit-card.tsx';
import { useClub } from './club.ts';
import { Empty } from './ui/empty.tsx';
import { Icon, type IconName } from './ui/icon.tsx';
import { describeError, NeedsConnection, Problem } from './ui/problem.tsx';
import type { Texts } from './texts/en.ts';
import { PAGE, useHistory } from './use-history.ts';

/** A kind of movement: its word, its icon, and its color. `gain` is green and `ending` amber in every shop. */
interface Kind {
  readonly word:
    | 'purchase'
    | 'return'
    | 'exchange'
    | 'givenBack'
    | 'usage'
    | 'undone'
    | 'ended'
    | 'change'
    | Gift;
  readonly icon: IconName;
  readonly meaning: 'gain' | 'ending' | 'plain';
  readonly filter: Filter;
}

type Gift = 'welcome' | 'birthday' | 'monthly_top';
const FILTERS = ['all', 'purchases', 'codes', 'gifts', 'other'] as const;
type Filter = (typeof FILTERS)[number];

/** The member's history, newest first, by month. */
export function History() {
  const { t, f, now } = useClub();
  const { value, error, busy, reload, loadMore: loadPages } = useHistory();
  const isOffline = error instanceof ConnectionError && !navigator.onLine;
  const items = value?.items ?? [];
  const cursor = value?.cursor ?? null;
  const [filter, setFilter] = useState<Filter>('all');
  const present = new Set(items.map((item) => kindOf(item).filter));
  const isShown = (item: HistoryItem) => filter === 'all' || kindOf(item).filter === filter;
  const shown = items.filter(isShown);
  // The service does not filter, so pages are read until there is one full of these movements.
  const loadMore = (filter: Filter, least: number) =>
    filter === 'all'
      ? loadPages()
      : loadPages((items) => items.filter((item) => kindOf(item).filter === filter).length >= least);
  const choose = (name: Filter) => {
    setFilter(name);
    const found = items.filter((item) => kindOf(item).filter === name).length;
    if (name !== 'all' && cursor !== null && found < PAGE) loadMore(name, PAGE);
  };
  const months = new Map<string, HistoryItem[]>();
  for (const item of shown) {
    const month = item.date === null ? '' : f.month(item.date, now());
    months.set(month, [...(months.get(month) ?? []), item]);
  }
  return (
    <>
      {(present.size > 1 || cursor !== null) && (
        <div class="filters" role="group" aria-label={t.filter}>
          {FILTERS.filter((name) => name === 'all' || cursor !== null || present.has(name)).map((name) => (
            <button
              key={name}
              type="button"
              class="chip"
              aria-pressed={name === filter}
              onClick={() => choose(name)}
            >
              {t.filters[name]}
            </button>
          ))}
        </div>
      )}
      {value !== null && items.length === 0 && <Empty icon="history" text={t.historyNone} />}
      <div class="history">
        {[...months].map(([month, rows]) => (
          <section key={month}>
            <h2>{month}</h2>
            <ul class="card list">
              {rows.map((item, i) => (
                <HistoryRow key={i} item={item} />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {busy && shown.length === 0 && <Waiting t={t} />}
      {!busy && value !== null && items.length > 0 && shown.length === 0 && (
        <Empty icon="history" text={cursor === null ? t.filterNone : t.filterNoneYet(items.length, f)} />
      )}
      {error !== null && isOffline && value === null && <NeedsConnection sentence={t.historyOffline} />}
      {error !== null && !isOffline && (
        <Problem
          sentence={describeError(error, t, f)}
          retry={t.retry}
          busy={busy}
          onRetry={() => void reload()}
        />
      )}
      {error === null && cursor !== null && (
        <button
          type="button"
          class="button"
          aria-disabled={busy}
          onClick={() => busy || loadMore(filter, shown.length + PAGE)}
        >
          {t.more}
        </button>
      )}
      {value !== null && cursor === null && items.length > 20 && <p class="small end">{t.noMore}</p>}
    </>
  );
}

/** The shape of what is coming, so that the page does not jump when it comes. */
export function Waiting({ t }: { t: Pick<Texts, 'loading'> }) {
  return (
    <div class="card waiting" role="status">
      <span class="unseen">{t.loading}</span>
      <i />
      <i />
      <i />
    </div>
  );
}

/** One movement: what, when and why, and what it did to the balance. */
export function HistoryRow({ item }: { item: HistoryItem }) {
  const { t, f, now, shopLocale } = useClub();
  const { points, amount, benefit, date } = item;
  const note = [item.factors, item.additional_note].filter((one) => one !== null).join(' · ') || null;
  const { word, icon, meaning } = kindOf(item);
  return (
    <li class="row">
      <span class={`badge ${meaning}`}>
        <Icon name={icon} />
      </span>
      <div class="row-words">
        <p class="what">
          {t[word]}
          {amount !== null && `: ${f.amount(Math.abs(amount))}`}
          {benefit && (
            <>
              {': '}
              <span lang={shopLocale}>{titleOf(benefit)}</span>
            </>
          )}
        </p>
        {date && (
          <p class="small">
            <time dateTime={date}>{t.at(f.recentDay(date, now()), f.time(date))}</time>
          </p>
        )}
        {note && (
          <p class="small reason" lang={shopLocale}>
            {note}
          </p>
        )}
      </div>
      {points !== null && (
        <p class={points > 0 ? 'change gain' : 'change'}>
          {points > 0 ? '+' : points < 0 ? '−' : ''}
          {f.number(Math.abs(points))}
          <span class="unseen"> {t.pointsWord(Math.abs(points), f)}</span>
        </p>
      )}
    </li>
  );
}

const GIFTS: Readonly<Record<Gift, IconName>> = { welcome: 'party', birthday: 'cake', monthly_top: 'trophy' };

const KINDS: Readonly<Record<Exclude<HistoryItem['kind'], 'reward' | 'adjustment'>, Kind>> = {
  purchase: { word: 'purchase', icon: 'purchase', meaning: 'gain', filter: 'purchases' },
  correction: { word: 'purchase', icon: 'purchase', meaning: 'gain', filter: 'purchases' },
  return: { word: 'return', icon: 'return', meaning: 'plain', filter: 'purchases' },
  exchange: { word: 'exchange', icon: 'ticket', meaning: 'plain', filter: 'codes' },
  give_back: { word: 'givenBack', icon: 'return', meaning: 'gain', filter: 'codes' },
  usage: { word: 'usage', icon: 'used', meaning: 'plain', filter: 'codes' },
  undo: { word: 'undone', icon: 'return', meaning: 'gain', filter: 'codes' },
  expiry: { word: 'ended', icon: 'clock', meaning: 'ending', filter: 'other' },
};

function kindOf({ kind, event, points }: HistoryItem): Kind {
  if (kind !== 'reward' && kind !== 'adjustment') return KINDS[kind];
  if (event !== null && event in GIFTS)
    return { word: event as Gift, icon: GIFTS[event as Gift], meaning: 'gain', filter: 'gifts' };
  return { word: 'change', icon: 'adjust', meaning: (points ?? 0) > 0 ? 'gain' : 'plain', filter: 'other' };
}
