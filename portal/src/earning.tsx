import type { PublicEarningRule } from '@loyalty/sdk';
import { useClub } from './club.ts';
import { capitalize } from './format.ts';
import { Icon } from './ui/icon.tsx';

/** What earns more now and next. Shows nothing if all purchases earn alike for a week. */
export function Earning({ rules }: { rules: readonly PublicEarningRule[] }) {
  const { t, f, shopLocale } = useClub();
  const more = rules.filter(({ give }) => give.multiply === null || give.multiply > 1);
  if (more.length === 0) return null;
  const language = t.language;
  return (
    <section aria-labelledby="earning">
      <h2 id="earning">{t.earnMore}</h2>
      <ul class="card list">
        {more.map((rule) => (
          <li key={rule.id} class="row">
            <span class={rule.is_open ? 'badge gain' : 'badge plain'}>
              <Icon name="sparkles" />
            </span>
            <div class="row-words">
              <h3 lang={shopLocale}>{rule.title}</h3>
              <p class="small">{capitalize(rule.text[language], f.locale)}</p>
              <When rule={rule} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function When({ rule: { opens_at: opens, closes_at: closes } }: { rule: PublicEarningRule }) {
  const { t, f, now } = useClub();
  if (opens !== null) return <p class="small">{t.earnFrom(f.moment(opens, now()))}</p>;
  return (
    <p class="small gain">
      <b>{closes === null ? t.earnNow : t.earnUntil(f.moment(closes, now(), true))}</b>
    </p>
  );
}
