import type { ActivityItem } from '@loyalty/sdk';
import type { RefObject } from 'preact';
import { titleOf } from './benefit-card.tsx';
import { useClub } from './club.ts';
import { describeError, Problem } from './problem.tsx';
import type { Texts } from './texts/en.ts';
import { useHistory } from './use-history.ts';

/** The member's history, newest first, one page at a time. */
export function History({ heading }: { heading: RefObject<HTMLHeadingElement | null> }) {
  const { t, f } = useClub();
  const { value, error, busy, reload, loadMore } = useHistory();
  const items = value?.items ?? [];
  const cursor = value?.cursor ?? null;
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {t.history}
      </h1>
      {value !== null && items.length === 0 && <p class="empty">{t.historyNone}</p>}
      <ul class="rows history">
        {items.map((item, i) => (
          <Row key={i} item={item} />
        ))}
      </ul>
      {busy && (
        <p class="loading" role="status">
          {t.loading}
        </p>
      )}
      {error !== null && (
        <Problem
          sentence={describeError(error, t, f)}
          retry={t.retry}
          busy={busy}
          onRetry={() => void reload()}
        />
      )}
      {error === null && cursor !== null && (
        <button type="button" class="button" aria-disabled={busy} onClick={() => busy || loadMore()}>
          {t.more}
        </button>
      )}
      {value !== null && cursor === null && items.length > 20 && <p class="small">{t.noMore}</p>}
    </>
  );
}

function Row({ item }: { item: ActivityItem }) {
  const { t, f, shopLocale } = useClub();
  const { points, amount, benefit, date, additional_note: note } = item;
  return (
    <li class="card row">
      <div>
        <p class="what">
          {kindOf(item, t)}
          {amount !== null && `: ${f.amount(Math.abs(amount))}`}
          {benefit && (
            <>
              {': '}
              <span lang={shopLocale}>{titleOf(benefit)}</span>
            </>
          )}
        </p>
        {note && (
          <p class="small" lang={shopLocale}>
            {note}
          </p>
        )}
        {date && (
          <p class="small">
            <time dateTime={date}>{f.dayAndTime(date)}</time>
          </p>
        )}
      </div>
      {points !== null && (
        <p class={points < 0 ? 'change' : 'change more'}>
          {points > 0 ? '+' : points < 0 ? '−' : ''}
          {t.points(Math.abs(points), f)}
        </p>
      )}
    </li>
  );
}

function kindOf({ type, amount, points, event }: ActivityItem, t: Texts): string {
  if (type === 'consumption') return (amount ?? 0) < 0 ? t.return : t.purchase;
  if (type === 'benefit_exchange') return (points ?? 0) > 0 ? t.givenBack : t.exchange;
  if (type === 'benefit_usage') return t.usage;
  return event === 'welcome' || event === 'birthday' || event === 'monthly_top' ? t[event] : t.change;
}
