import type { AutomaticReward } from '@loyalty/sdk';
import type { ComponentChildren, RefObject } from 'preact';
import { BenefitCard, titleOf } from './benefit-card.tsx';
import { useClub } from './club.ts';
import type { MyClub } from './use-my-club.ts';

/** The catalog. A benefit that the member cannot pay for yet shows how many points are missing. */
export function Benefits(props: {
  heading: RefObject<HTMLHeadingElement | null>;
  myClub: MyClub;
  /** Shown if the member has left the club. */
  rejoin: ComponentChildren;
  onBuy: (benefitId: string) => void;
}) {
  const { t, f } = useClub();
  const { me, available, rewards } = props.myClub;
  return (
    <>
      {props.rejoin}
      <div class="headline">
        <h1 ref={props.heading} tabIndex={-1}>
          {t.benefits}
        </h1>
        <p class="cost">{t.points(me.points, f)}</p>
      </div>
      {available.length === 0 && <p class="empty">{t.catalogNone}</p>}
      <ul class="cards">
        {available.map((benefit) => (
          <BenefitCard key={benefit.id} benefit={benefit} heading="h2">
            {benefit.cost > me.points && (
              <div class="missing">
                <progress aria-hidden="true" max={benefit.cost} value={Math.max(0, me.points)} />
                <p class="small">{t.missing(benefit.cost - me.points, f)}</p>
              </div>
            )}
            {benefit.cost <= me.points && me.subscribed && (
              <button
                type="button"
                class="button main"
                aria-label={t.getNamed(titleOf(benefit), t.points(benefit.cost, f))}
                onClick={() => props.onBuy(benefit.id)}
              >
                {t.get}
              </button>
            )}
          </BenefitCard>
        ))}
      </ul>
      <Gifts rewards={rewards} />
    </>
  );
}

/** The gifts that the shop gives automatically. */
function Gifts({ rewards }: { rewards: AutomaticReward[] }) {
  const { t, f, shopLocale } = useClub();
  if (rewards.length === 0) return null;
  return (
    <section>
      <h2>{t.gifts}</h2>
      <ul class="rows">
        {rewards.map(({ event, benefit, points }) => (
          <li key={event} class="card row">
            <div>
              <p class="what">{t[event]}</p>
              {benefit ? <p lang={shopLocale}>{titleOf(benefit)}</p> : <p>{t.points(points ?? 0, f)}</p>}
            </div>
            {event === 'birthday' && (
              <a class="button" href="#profile">
                {t.birthdayAsk}
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
