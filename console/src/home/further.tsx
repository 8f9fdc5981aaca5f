import { Link } from 'wouter';
import { addDays, type Day } from '../reports/days.ts';
import { usePlace } from '../session.ts';
import { Icon } from '../ui/icon.tsx';
import { useHomeTexts } from './texts.ts';

const AWAY_DAYS = 60;

/** Questions that are worth asking now and then, each with its answer one press away. */
export function Further({ today, isNarrow = false }: { today: Day; isNarrow?: boolean }) {
  const t = useHomeTexts();
  const { path, may } = usePlace();
  const ways = [
    [t.away(AWAY_DAYS), t.awayText, `${path('members')}?state=member&to=${addDays(today, -AWAY_DAYS)}`],
    [t.waiting, t.waitingText, `${path('members')}?state=invited&min=1`],
    ...(may('manager') ? [[...t.steps['poster']!, path('poster')] as const] : []),
    [t.endings, t.endingsText, path('reports', 'liability')],
  ] as const;
  return (
    <section aria-labelledby="further" className={isNarrow ? 'card look-card' : 'further'}>
      <h2 id="further">{t.further}</h2>
      <ul className={isNarrow ? 'rows' : undefined}>
        {ways.map(([title, text, to]) => (
          <li key={to} className={isNarrow ? 'row step-row' : 'card inside step-row'}>
            <span className="row-words">
              <Link className="step-link" href={to}>
                {title}
              </Link>
              <span className="small">{text}</span>
            </span>
            <Icon name="arrow" size={18} />
          </li>
        ))}
      </ul>
    </section>
  );
}
