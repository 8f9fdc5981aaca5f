import type { RedeemableBenefit } from '@loyalty/sdk';
import { inGroups } from '@loyalty/ui/format.ts';
import type { ComponentChildren, RefObject } from 'preact';
import { Almost } from './almost.tsx';
import { BenefitCard, GetButton, titleOf } from './benefit-card.tsx';
import { byCost } from './benefits.tsx';
import { useClub } from './club.ts';
import { Codes } from './codes.tsx';
import { Earning } from './earning.tsx';
import { Ending } from './ending.tsx';
import { HistoryRow } from './history.tsx';
import { Icon } from './ui/icon.tsx';
import { Pending } from './pending.tsx';
import type { MyClub } from './use-my-club.ts';
import { Stamps } from './stamps.tsx';
import { QrPicture } from './ui/qr-picture.tsx';
import { Tier } from './tier.tsx';
import { useGain } from './use-gain.ts';

/** The member's club at a glance: balance and card, codes, what can be had now and soon, tier, latest movements. */
export function Home(props: {
  heading: RefObject<HTMLHeadingElement | null>;
  myClub: MyClub;
  /** Something good that just happened. */
  celebration: ComponentChildren;
  /** Shown if the member has left the club. */
  rejoin: ComponentChildren;
  onBuy: (benefitId: string) => void;
  onShow: (voucher: RedeemableBenefit) => void;
}) {
  const { t } = useClub();
  const { myClub } = props;
  const { me, level, available, latest } = myClub;
  const byPrice = byCost(available);
  // The dearest first: that is what the member has been saving for.
  // oxlint-disable-next-line unicorn/no-array-reverse -- the oldest browsers that the portal supports have no `toReversed`
  const affordable = me.subscribed ? byPrice.filter(({ cost }) => cost <= me.points).reverse() : [];
  return (
    <>
      {props.celebration}
      {props.rejoin}
      <div class="columns">
        <div class="column">
          <Balance heading={props.heading} myClub={myClub} />
          <Codes myClub={myClub} onShow={props.onShow} />
          {affordable.length > 0 && (
            <section aria-labelledby="have-now">
              <div class="section-head">
                <h2 id="have-now">{t.haveNow}</h2>
                <a class="more" href="#benefits">
                  {t.allBenefits}
                </a>
              </div>
              <ul class="cards reel">
                {affordable.slice(0, 6).map((benefit) => (
                  <BenefitCard key={benefit.id} benefit={benefit} heading="h3">
                    <GetButton benefit={benefit} onBuy={props.onBuy} />
                  </BenefitCard>
                ))}
              </ul>
            </section>
          )}
        </div>
        <div class="column">
          {me.subscribed && <Stamps cards={myClub.stamps} />}
          {level && <Tier level={level} ladder={myClub.program?.levels?.ladder ?? []} />}
          {me.subscribed && <Earning rules={myClub.earning} />}
          <Almost myClub={myClub} />
          <Ending myClub={myClub} />
          {latest.length > 0 && (
            <section>
              <div class="section-head">
                <h2>{t.latest}</h2>
                <a class="more" href="#history">
                  {t.allHistory}
                </a>
              </div>
              <ul class="card list">
                {latest.slice(0, 3).map((item, i) => (
                  <HistoryRow key={i} item={item} />
                ))}
              </ul>
            </section>
          )}
        </div>
      </div>
    </>
  );
}

/** The balance, and beside it the member's card, which opens in full at a tap. */
function Balance(props: { heading: RefObject<HTMLHeadingElement | null>; myClub: MyClub }) {
  const { t, f, shopLocale } = useClub();
  const { me, available, card } = props.myClub;
  const next = byCost(available).find(({ cost }) => cost > me.points);
  const gain = useGain(props.myClub);
  const figure = f.number(me.points).replace('-', '−');
  return (
    <section class="card balance" aria-labelledby="balance">
      <div class="balance-top">
        <div class="balance-words">
          <h1 id="balance" ref={props.heading} tabIndex={-1} class="label">
            {t.balance}
          </h1>
          <p class={figure.length > 7 ? 'figure long' : 'figure'}>
            <span>{figure}</span>
            <small class="unseen"> {t.pointsWord(me.points, f)}</small>
          </p>
          <p class="gained" role="status">
            {gain && t.gainedNow(t.points(gain, f))}
          </p>
          {me.points < 0 && <p class="small">{t.debt}</p>}
        </div>
        {card && me.subscribed && (
          <a class="mini-card" href="#card">
            <QrPicture text={String(card.client_code)} label={t.showCard} />
            <span>{inGroups(card.client_code)}</span>
          </a>
        )}
      </div>
      {next && me.subscribed && (
        <div class="toward">
          <p class="toward-words">
            <span lang={shopLocale}>{t.toward(t.points(next.cost - me.points, f), titleOf(next))}</span>
            <span class="small">{f.number(next.cost)}</span>
          </p>
          <progress aria-hidden="true" max={next.cost} value={Math.max(0, me.points)} />
        </div>
      )}
      <Expiry myClub={props.myClub} />
      <Pending pending={props.myClub.pending} />
    </section>
  );
}

/** Points that end within two months are announced in amber. */
const SOON_DAYS = 60;

function Expiry({ myClub: { me } }: { myClub: MyClub }) {
  const { t, f } = useClub();
  const next = me.points_expiration;
  if (next === null || next.mode === 'none') return <p class="small">{t.neverExpire}</p>;
  if (next.expiration_date === null || next.days_left === null)
    return me.points > 0 ? <p class="small">{t.expiryNothing}</p> : null;
  return (
    <p class={next.days_left <= SOON_DAYS ? 'small icon-line ending' : 'small icon-line'}>
      <Icon name="clock" size={16} />
      {t.expiresNext(t.points(next.points, f), f.day(next.expiration_date), t.days(next.days_left, f))}
    </p>
  );
}
