import type { Level, RedeemableBenefit } from '@loyalty/sdk';
import type { ComponentChildren, RefObject } from 'preact';
import { titleOf } from './benefit-card.tsx';
import { CardView } from './card-view.tsx';
import { useClub } from './club.ts';
import type { MyClub } from './use-my-club.ts';
import { voucherState } from './use-voucher-state.ts';

/** The member's balance and its next expiry, the tier, and the codes to show at the till. */
export function Home(props: {
  heading: RefObject<HTMLHeadingElement | null>;
  myClub: MyClub;
  /** Shown if the member has left the club. */
  rejoin: ComponentChildren;
  onShow: (voucher: RedeemableBenefit) => void;
}) {
  const { t, f } = useClub();
  const { myClub } = props;
  const { me, level } = myClub;
  return (
    <>
      {props.rejoin}
      <div class="standing">
        <section class="card balance">
          <h1 ref={props.heading} tabIndex={-1}>
            {t.balance}
          </h1>
          <p class="figure">
            <span>{f.number(me.points)}</span> {t.pointsWord(me.points, f)}
          </p>
          <Expiry myClub={myClub} />
        </section>
        {level && <Tier level={level} />}
      </div>
      {myClub.card && <CardView card={myClub.card} />}
      <Codes vouchers={myClub.vouchers} onShow={props.onShow} />
    </>
  );
}

function Expiry({ myClub: { me, expirations } }: { myClub: MyClub }) {
  const { t, f } = useClub();
  const next = me.points_expiration;
  if (next === null || next.mode === 'none') return <p>{t.neverExpire}</p>;
  if (next.expiration_date === null || next.days_left === null) return <p>{t.expiryNothing}</p>;
  return (
    <>
      <p>{t.expiresNext(t.points(next.points, f), f.day(next.expiration_date), t.days(next.days_left, f))}</p>
      {expirations.length > 1 && (
        <details>
          <summary>{t.expiryAll}</summary>
          <ul>
            {expirations.map(({ points, expiration_date: date }) => (
              <li key={date}>{t.expiryLine(t.points(points, f), f.day(date))}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Tier({ level }: { level: Level }) {
  const { t, f, shopLocale } = useClub();
  const { next_level: next, points_multiplier: times, expiration_date: until } = level;
  const figure =
    (next?.threshold_type === 'amount' ? level.total_spent_amount : level.total_earned_points) ?? 0;
  const threshold = next?.threshold ?? 0;
  const missing = Math.max(0, threshold - figure);
  const say = next?.threshold_type === 'amount' ? t.tierNextAmount : t.tierNextPoints;
  const written = next?.threshold_type === 'amount' ? f.amount(missing) : t.points(missing, f);
  return (
    <section class="card tier">
      <h2>{t.tier}</h2>
      <p class="tier-name" lang={shopLocale}>
        {level.icon_url && <img src={level.icon_url} alt="" width="32" height="32" />}
        {level.name}
      </p>
      {level.is_expired && <p>{t.tierExpired}</p>}
      {!level.is_expired && times !== null && times !== 1 && <p>{t.tierMultiplier(f.number(times))}</p>}
      {!level.is_expired && until !== null && <p>{t.tierUntil(f.day(until))}</p>}
      {next === null ? (
        <p>{t.tierTop}</p>
      ) : (
        <div class="way">
          <progress
            aria-label={say(written, next.name ?? '')}
            max={Math.max(1, threshold)}
            value={Math.min(figure, threshold)}
          />
          <p>{say(written, next.name ?? '')}</p>
        </div>
      )}
    </section>
  );
}

function Codes(props: { vouchers: RedeemableBenefit[]; onShow: (voucher: RedeemableBenefit) => void }) {
  const { t, now } = useClub();
  const isGood = (voucher: RedeemableBenefit) => voucherState(voucher, now()) === 'good';
  const good = props.vouchers.filter(isGood);
  const past = props.vouchers.filter((voucher) => !isGood(voucher));
  return (
    <section>
      <h2>{t.codes}</h2>
      {good.length === 0 && (
        <div class="empty">
          <p>{t.codesNone}</p>
          <a class="button" href="#benefits">
            {t.codesToBenefits}
          </a>
        </div>
      )}
      <ul class="rows">
        {good.map((voucher) => (
          <CodeRow key={voucher.client_benefit_code} voucher={voucher} onShow={props.onShow} />
        ))}
      </ul>
      {past.length > 0 && (
        <details>
          <summary>{t.usedCodes}</summary>
          <ul class="rows">
            {past.map((voucher) => (
              <CodeRow key={voucher.client_benefit_code} voucher={voucher} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function CodeRow(props: { voucher: RedeemableBenefit; onShow?: (voucher: RedeemableBenefit) => void }) {
  const { t, f, shopLocale } = useClub();
  const { voucher, onShow } = props;
  const { due_date: due } = voucher;
  const title = titleOf(voucher.benefit);
  return (
    <li class="card row">
      <div>
        <h3 lang={shopLocale}>{title}</h3>
        <p class="small">
          {onShow === undefined
            ? voucher.used
              ? t.used
              : t.past
            : due === null
              ? t.noDue
              : t.dueBy(f.day(due))}
        </p>
      </div>
      {onShow && (
        <button
          type="button"
          class="button"
          aria-label={`${t.showCode}: ${title}`}
          onClick={() => onShow(voucher)}
        >
          {t.showCode}
        </button>
      )}
    </li>
  );
}
