import type { Benefit, Commerce, PublicEarningRule, PublicProgram } from '@loyalty/sdk';
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { BenefitCard, titleOf } from './benefit-card.tsx';
import { byCost, columnsFor } from './benefits.tsx';
import { useClub } from './club.ts';
import { Earning } from './earning.tsx';
import { Empty } from './ui/empty.tsx';
import { capitalize } from './format.ts';
import { Icon, type IconName } from './ui/icon.tsx';
import { Picture } from './ui/picture.tsx';

/** Everything that the shop tells visitors. */
export interface Window {
  readonly commerce: Commerce;
  readonly benefits: Benefit[];
  readonly program: PublicProgram;
  readonly rules: readonly PublicEarningRule[];
}

/** The promise of the club in one look: the tagline, how to earn, what waits, and the one button. */
export function ShopWindowHeadline(props: { heading: RefObject<HTMLHeadingElement | null>; window: Window }) {
  const { t, f, now, shopLocale } = useClub();
  const { commerce, program, benefits } = props.window;
  const { double_points: windows, money_per_point: money } = program.earning;
  const double = windows[0];
  const cheapest = byCost(benefits)[0];
  const gift = giftOf(program.rewards.welcome, t, f);
  const title = program.tagline ?? t.visitorTitle(commerce.name);
  return (
    <div class="hero">
      <div class="hero-words">
        {double && (
          <p class="pill">
            <Icon name="sparkles" size={16} />
            {capitalize(
              double.is_open
                ? t.doubleUntil(f.lastDay(double.to, now()))
                : t.doubleFrom(f.shortDay(double.from, now())),
              f.locale,
            )}
          </p>
        )}
        <h1
          ref={props.heading}
          tabIndex={-1}
          class={title.length > 44 ? 'title long' : 'title'}
          lang={program.tagline ? shopLocale : undefined}
        >
          {title}
        </h1>
        <p class="lead">
          {t.earnRule(f.amount(money))}. <Lead cheapest={cheapest} gift={gift} />
        </p>
        <p class="hero-act">
          <a class="button on-ground big" href="#sign-in">
            {t.join}
            <Icon name="arrow" size={18} />
          </a>
          <span>{t.justEmail}</span>
        </p>
      </div>
      <HeroPictures cover={program.cover} benefits={benefits} />
    </div>
  );
}

function Lead({ cheapest, gift }: { cheapest: Benefit | undefined; gift: string | null }) {
  const { t, f, shopLocale } = useClub();
  return (
    <>
      {cheapest && (
        <span lang={shopLocale}>{t.fromPoints(titleOf(cheapest), t.points(cheapest.cost, f))}. </span>
      )}
      {gift !== null && `${t.startWith(gift)}.`}
    </>
  );
}

/** The shop's cover, or three of its benefits as a collage. */
function HeroPictures({ cover, benefits }: { cover: string | null; benefits: Benefit[] }) {
  const [broken, setBroken] = useState(false);
  if (cover !== null && !broken)
    return <img class="cover" src={cover} alt="" onError={() => setBroken(true)} />;
  if (benefits.length < 3) return null;
  return (
    <div class="collage" aria-hidden="true">
      {benefits.slice(0, 3).map((benefit) => (
        <div key={benefit.id}>
          <Picture benefit={benefit} />
        </div>
      ))}
    </div>
  );
}

/** How it works, the gifts, the catalog and the ladder. */
export function ShopWindow({ window: { program, benefits, rules } }: { window: Window }) {
  const { t, f, now, shopLocale } = useClub();
  const { earning, rewards, levels, points_expiration: expiration } = program;
  const sorted = byCost(benefits);
  const open = earning.double_points.find(({ is_open: isOpen }) => isOpen);
  const rule = t.earnRule(f.amount(earning.money_per_point));
  const welcome = giftOf(rewards.welcome, t, f);
  const birthday = giftOf(rewards.birthday, t, f);
  return (
    <>
      <ol class="steps">
        <Step
          icon="purchase"
          title={t.stepEarn}
          text={open ? `${rule}, ${t.doubleUntil(f.lastDay(open.to, now()))}` : rule}
        />
        <Step
          icon="benefits"
          title={t.stepChoose}
          text={sorted[0] ? t.stepChooseText(sorted.length, titleOf(sorted[0]), f) : t.stepChooseNone}
        />
        <Step icon="card" title={t.stepShow} text={t.stepShowText} />
      </ol>
      <Earning rules={rules} />
      {(welcome !== null || birthday !== null) && (
        <section class="presents">
          {welcome !== null && <Present icon="party" title={t.giftTitle} gift={welcome} />}
          {birthday !== null && <Present icon="cake" title={t.birthdayTitle} gift={birthday} />}
        </section>
      )}
      <section>
        <h2>{t.visitorBenefits}</h2>
        {benefits.length === 0 && <Empty icon="benefits" text={t.catalogNone} />}
        <ul class={columnsFor(sorted.length)}>
          {sorted.map((benefit) => (
            <BenefitCard key={benefit.id} benefit={benefit} heading="h3" />
          ))}
        </ul>
      </section>
      {levels && levels.ladder.length > 0 && (
        <section>
          <h2>{t.ladder}</h2>
          <ol class="ladder">
            {levels.ladder.map(
              ({ id, name, threshold, points_multiplier: times, icon_url: icon, benefit }) => (
                <li key={id} class="card rung">
                  <div class="rung-head">
                    {icon ? (
                      <img src={icon} alt="" width="40" height="40" loading="lazy" />
                    ) : (
                      <span class="badge">
                        <Icon name="crown" />
                      </span>
                    )}
                    <p class="small">
                      {threshold === 0
                        ? t.ladderStart
                        : levels.threshold_type === 'amount'
                          ? t.ladderAmount(f.amount(threshold))
                          : t.ladderPoints(t.points(threshold, f))}
                    </p>
                  </div>
                  <h3 lang={shopLocale}>{name}</h3>
                  <p>{times === 1 ? t.ladderOnce : t.ladderTimes(f.number(times))}</p>
                  {benefit && (
                    <p class="perk">
                      <Icon name="gift" size={18} />
                      <span lang={shopLocale}>{titleOf(benefit)}</span>
                    </p>
                  )}
                </li>
              ),
            )}
          </ol>
        </section>
      )}
      <p class="small end">
        {expiration.mode === 'none' || expiration.months === null
          ? t.keepPoints
          : t.keepMonths(expiration.months, f)}
      </p>
    </>
  );
}

function Step({ icon, title, text }: { icon: IconName; title: string; text: string }) {
  return (
    <li class="card step">
      <span class="badge">
        <Icon name={icon} />
      </span>
      <div>
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
    </li>
  );
}

function Present({ icon, title, gift }: { icon: IconName; title: string; gift: string }) {
  const { shopLocale } = useClub();
  return (
    <div class="present">
      <Icon name={icon} size={26} />
      <div>
        <p class="small">{title}</p>
        <p class="what" lang={shopLocale}>
          {gift}
        </p>
      </div>
    </div>
  );
}

function giftOf(
  reward: PublicProgram['rewards']['welcome'],
  t: ReturnType<typeof useClub>['t'],
  f: ReturnType<typeof useClub>['f'],
): string | null {
  if (reward === null) return null;
  if (reward.benefit) return titleOf(reward.benefit);
  return reward.points === null ? null : t.points(reward.points, f);
}
