import type { TillMember } from '@loyalty/sdk/admin';
import { initials, useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Drawn, Icon } from '../ui/icon.tsx';
import { BANNED, CLOCK, HOURGLASS } from './icons.ts';
import { useTillTexts } from './texts.ts';
import { Link } from 'wouter';

/** The customer: name, tier, points, the nearest goals and the points that end. */
export function Person({ member }: { member: TillMember }) {
  const t = useTillTexts();
  const shared = useTexts();
  const format = useFormat();
  const { may, path } = usePlace();
  const { level, next_level: next, expiring, points, state } = member;
  const name = nameOf(member, shared.noName);
  const multiplier =
    level === null || level.points_multiplier === 1 ? null : format.number(level.points_multiplier);
  const missing =
    next === null
      ? null
      : next.threshold_type === 'points'
        ? t.points(next.missing, format)
        : format.money(next.missing);
  return (
    <>
      <div className="person" role="group" aria-label={t.customer}>
        <span className="avatar" aria-hidden="true">
          {initials(member.username)}
        </span>
        <div className="words">
          <b>{may('manager') ? <Link href={path('members', member.member_id)}>{name}</Link> : name}</b>
          <span className="small">
            {level === null ? t.noTier : t.tier(level.name, multiplier)}
            {next !== null && ` · ${t.toNext(missing!, next.name)}`}
          </span>
        </div>
        <div className={points < 0 ? 'balance wrong' : 'balance'} data-digits={format.number(points).length}>
          <b>{format.number(points)}</b>
          <span className="small">{t.balanceWord(points, format)}</span>
        </div>
      </div>
      {points < 0 && <p className="small">{t.negative}</p>}
      {expiring !== null && state === 'member' && (
        <p className="small icon-line ending">
          <Drawn path={CLOCK} size={16} />
          <span title={format.dayAndTime(expiring.expiration_date)}>
            {t.ends(expiring.points, format.day(expiring.expiration_date), expiring.days_left, format)}
          </span>
        </p>
      )}
      <Standing state={state} hasCodes={member.vouchers.length > 0} />
    </>
  );
}

/** Says what is not as usual, and what the cashier can do. */
function Standing({ state, hasCodes }: { state: TillMember['state']; hasCodes: boolean }) {
  const t = useTillTexts();
  if (state === 'member') return null;
  if (state === 'invited')
    return (
      <div className="strip standing ending">
        <Drawn path={HOURGLASS} />
        <p>{t.invited}</p>
      </div>
    );
  const [title, text] = {
    blocked: [t.blockedTitle, t.blocked],
    left: [t.leftTitle, t.left],
    erased: [t.erasedTitle, t.erased],
  }[state];
  return (
    <div className={state === 'blocked' ? 'strip standing wrong' : 'strip standing ending'}>
      {state === 'blocked' ? <Drawn path={BANNED} /> : <Icon name="info" />}
      <p>
        <b>{title}.</b> {text} {hasCodes && t.stillUsable}
      </p>
    </div>
  );
}

export function nameOf(member: Pick<TillMember, 'username' | 'email'>, none: string): string {
  return member.username ?? member.email ?? none;
}
