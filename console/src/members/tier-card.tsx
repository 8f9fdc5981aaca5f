import type { MemberPage } from '@loyalty/sdk/admin';
import { useId } from 'react';
import { useFormat } from '../format.ts';
import { useProgram } from '../session.ts';
import { Drawn } from '../ui/icon.tsx';
import { ICONS } from './icons.ts';
import { useMemberTexts } from './texts.ts';

/** The tier, how it was reached, and how far the next one is. A program without tiers has no such card. */
export function TierCard({ member: { level, next_level: next } }: { member: MemberPage }) {
  const t = useMemberTexts();
  const f = useFormat();
  const id = useId();
  const program = useProgram();
  const hasLadder = (program.data?.levels.length ?? 0) > 0;
  if (level === null && next === null && !hasLadder) return null;
  const figure = (n: number) => (next?.threshold_type === 'amount' ? f.money(n) : f.number(n));
  return (
    <section className="card inside stack" aria-labelledby={id}>
      <div>
        <h2 id={id} className="label">
          {t.tier}
        </h2>
        <p className="tier-name">{level?.name ?? t.noTierYet}</p>
        {level !== null && level.reached_at !== null && (
          <p className="small">
            {t.reachedOn(f.day(level.reached_at))}
            {level.reached_by !== null && (
              <>
                {' '}
                <a href={`#movement-${level.reached_by}`}>{t.reachedBy}</a>
              </>
            )}
          </p>
        )}
        {level !== null && (
          <p className="small">
            {[
              t.multiplier(f.number(level.points_multiplier)),
              level.expiration_date === null ? null : t.tierUntil(f.day(level.expiration_date)),
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
        )}
      </div>
      {level?.is_pinned === true && (
        <p className="small icon-line">
          <Drawn path={ICONS.pin} size={16} />
          <span>{t.pinnedText}</span>
        </p>
      )}
      {level?.is_expired === true && <p className="small ending">{t.tierExpired}</p>}
      {next !== null && (
        <div className="progress-line">
          <progress
            max={next.threshold}
            value={Math.max(0, next.threshold - next.missing)}
            aria-label={t.progress(figure(next.threshold - next.missing), figure(next.threshold), next.name)}
          />
          <p className="small">
            {t.progress(figure(next.threshold - next.missing), figure(next.threshold), next.name)}
          </p>
        </div>
      )}
      {next === null && level !== null && !level.is_pinned && <p className="small">{t.highestTier}</p>}
    </section>
  );
}
