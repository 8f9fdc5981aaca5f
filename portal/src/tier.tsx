import type { Level, PublicLevel } from '@loyalty/sdk';
import { titleOf } from './benefit-card.tsx';
import { useClub } from './club.ts';
import { Icon } from './ui/icon.tsx';

/** A ladder with more steps than this is a single bar: names below the steps would not fit. */
const MAX_STEPS = 4;

/** The member's tier as a way: the steps behind, the one under their feet, and what the next one brings. */
export function Tier({ level, ladder }: { level: Level; ladder: readonly PublicLevel[] }) {
  const { t, f, shopLocale } = useClub();
  const { next_level: next, points_multiplier: times, expiration_date: until } = level;
  const figure =
    (next?.threshold_type === 'amount' ? level.total_spent_amount : level.total_earned_points) ?? 0;
  const threshold = next?.threshold ?? 0;
  const missing = Math.max(0, threshold - figure);
  const say = next?.threshold_type === 'amount' ? t.tierNextAmount : t.tierNextPoints;
  const written = next?.threshold_type === 'amount' ? f.amount(missing) : t.points(missing, f);
  const here = ladder.findIndex(({ rank }) => rank === level.rank);
  const from = ladder[here]?.threshold ?? 0;
  const perk = ladder[here + 1]?.benefit ?? null;
  return (
    <section class="card tier">
      <h2 class="label">{t.tier}</h2>
      <p class="tier-name" lang={shopLocale}>
        {level.icon_url ? (
          <img src={level.icon_url} alt="" width="28" height="28" />
        ) : (
          <span class="badge">
            <Icon name="crown" />
          </span>
        )}
        <span>{level.name}</span>
      </p>
      {level.is_expired && <p class="ending">{t.tierExpired}</p>}
      {!level.is_expired && times !== null && times !== 1 && <p>{t.tierMultiplier(f.number(times))}</p>}
      {!level.is_expired && until !== null && <p class="small">{t.tierUntil(f.day(until))}</p>}
      {ladder.length > 1 && ladder.length <= MAX_STEPS && here >= 0 ? (
        <ol class="steps-bar" aria-hidden="true">
          {ladder.map(({ id, name }, i) => (
            <li key={id} class={i === here ? 'here' : undefined}>
              <progress
                max={1}
                value={i <= here ? 1 : i === here + 1 ? (figure - from) / Math.max(1, threshold - from) : 0}
              />
              <span lang={shopLocale}>{name}</span>
            </li>
          ))}
        </ol>
      ) : (
        next && (
          <progress aria-hidden="true" max={Math.max(1, threshold)} value={Math.min(figure, threshold)} />
        )
      )}
      {next === null ? (
        <p class="perk">
          <Icon name="trophy" size={18} />
          <span>{t.tierTop}</span>
        </p>
      ) : (
        <p class="perk">
          <Icon name={perk ? 'gift' : 'up'} size={18} />
          <span>
            {say(written, next.name ?? '')}
            {perk && (
              <>
                {'. '}
                {t.tierBrings} <b lang={shopLocale}>{titleOf(perk)}</b>
              </>
            )}
          </span>
        </p>
      )}
    </section>
  );
}
