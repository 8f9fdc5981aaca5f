import type { AutomaticReward, Benefit } from '@loyalty/sdk';
import { BenefitCard, GetButton, Missing, titleOf } from './benefit-card.tsx';
import { useClub } from './club.ts';
import { Empty } from './ui/empty.tsx';
import { Icon } from './ui/icon.tsx';
import type { MyClub } from './use-my-club.ts';

/** The catalog, the cheapest first. A benefit that the member cannot pay for yet shows how many points are missing. */
export function Benefits(props: { myClub: MyClub; onBuy: (benefitId: string) => void }) {
  const { t } = useClub();
  const { me, available, rewards } = props.myClub;
  return (
    <>
      {available.length === 0 && <Empty icon="benefits" text={t.catalogNone} />}
      <ul class={columnsFor(available.length)}>
        {byCost(available).map((benefit) => (
          <BenefitCard key={benefit.id} benefit={benefit} heading="h2">
            {benefit.cost > me.points && <Missing cost={benefit.cost} points={me.points} />}
            {benefit.cost <= me.points && me.subscribed && (
              <GetButton benefit={benefit} onBuy={props.onBuy} />
            )}
          </BenefitCard>
        ))}
      </ul>
      <Gifts rewards={rewards} asksBirthday={isBirthdayMissing(props.myClub)} />
    </>
  );
}

/** Returns the benefits with the cheapest first. */
export function byCost(benefits: readonly Benefit[]): Benefit[] {
  // oxlint-disable-next-line unicorn/no-array-sort -- the oldest browsers that the portal supports have no `toSorted`
  return [...benefits].sort((a, b) => a.cost - b.cost);
}

/** Not without a network: the device keeps no birthday. */
function isBirthdayMissing({ profile }: MyClub): boolean {
  return profile !== null && profile.birth_date === null;
}

/** Returns the class for the columns of a wide screen, so that no card is alone in the last row. */
export function columnsFor(count: number): string {
  if (count < 5 || count % 4 !== 1) return 'cards';
  return count % 3 === 1 ? 'cards by-5' : 'cards by-3';
}

const GIFT_ICONS = { welcome: 'party', birthday: 'cake', monthly_top: 'trophy' } as const;

/** The gifts that the shop gives automatically. */
function Gifts({ rewards, asksBirthday }: { rewards: AutomaticReward[]; asksBirthday: boolean }) {
  const { t, f, shopLocale } = useClub();
  if (rewards.length === 0) return null;
  return (
    <section>
      <h2>{t.gifts}</h2>
      <ul class="card list">
        {rewards.map(({ event, benefit, points }) => (
          <li key={event} class="row">
            <span class="badge">
              <Icon name={GIFT_ICONS[event]} />
            </span>
            <div class="row-words">
              <p class="what">{t[event]}</p>
              {benefit ? (
                <p class="small" lang={shopLocale}>
                  {titleOf(benefit)}
                </p>
              ) : (
                <p class="small">{t.points(points ?? 0, f)}</p>
              )}
            </div>
            {event === 'birthday' && asksBirthday && (
              <a class="button compact" href="#profile">
                {t.birthdayAsk}
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
