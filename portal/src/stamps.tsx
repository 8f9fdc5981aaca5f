import type { StampCard } from '@loyalty/sdk';
import { useClub } from './club.ts';
import { Icon } from './ui/icon.tsx';

/** The stamp cards of the member: what is on them, and what a full one gives. */
export function Stamps({ cards }: { cards: readonly StampCard[] }) {
  const { t } = useClub();
  if (cards.length === 0) return null;
  return (
    <section aria-labelledby="stamps">
      <h2 id="stamps">{t.stamps}</h2>
      {cards.map((card) => (
        <Card key={card.id} card={card} />
      ))}
    </section>
  );
}

/** Rows of six at most, as long as each other. */
function columnsFor(need: number): number {
  return Math.ceil(need / Math.ceil(need / 6));
}

function Card({ card: { title, have, need, paused, owes, end_date: ends, benefit } }: { card: StampCard }) {
  const { t, f, now, shopLocale } = useClub();
  return (
    <article class="card stamp-card">
      <h3 lang={shopLocale}>{title}</h3>
      <div
        class="stamp-rows"
        style={{ '--columns': columnsFor(need) }}
        role="img"
        aria-label={t.stampsOf(f.number(have), f.number(need))}
      >
        {Array.from({ length: need }, (_, i) => (
          <span key={i} class={i < have ? 'stamp on' : 'stamp'}>
            {i < have ? <Icon name="check" /> : i === need - 1 && <Icon name="gift" />}
          </span>
        ))}
      </div>
      <p>
        {t.stampsLeft(need - have, f)} <b lang={shopLocale}>{benefit.title}</b>
      </p>
      {paused && <p class="small">{t.stampsPaused}</p>}
      {owes > 0 && <p class="small">{t.stampsOwed(owes, f)}</p>}
      {ends !== null && have > 0 && <p class="small">{t.stampsUntil(f.lastDay(ends, now()))}</p>}
    </article>
  );
}
