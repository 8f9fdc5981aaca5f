import type { Benefit, RedeemableBenefit } from '@loyalty/sdk';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { titleOf } from './benefit-card.tsx';
import { Benefits } from './benefits.tsx';
import { BuyDialog } from './buy-dialog.tsx';
import { CardView } from './card-view.tsx';
import { Celebration } from './celebration.tsx';
import { ClubProvider, createClub, useClub, type ClubPage } from './club.ts';
import { CodeDialog } from './code-dialog.tsx';
import { createFormat } from './format.ts';
import { Frame } from './frame.tsx';
import { Greeting } from './greeting.tsx';
import { History, Waiting } from './history.tsx';
import { Home } from './home.tsx';
import { readNews, type News } from './news.ts';
import { describeError, isOutage, Problem } from './ui/problem.tsx';
import { Profile } from './profile.tsx';
import { Rejoin } from './rejoin.tsx';
import { isKept, useMyClub, type MyClub } from './use-my-club.ts';
import { useHeadingFocus, useView } from './use-view.ts';

const VIEWS = ['home', 'benefits', 'card', 'history', 'profile'] as const;

/** The club as a member sees it: balance, catalog, card, history and profile. */
export function MemberClub(props: {
  page: ClubPage;
  /** The id of the benefit that is being bought. */
  buying: string | null;
  onBuying: (benefitId: string | null) => void;
  /** True if it takes the place of something else, as after a sign-in. */
  isNext: boolean;
  onSignOut: () => void;
}) {
  const { page, buying, onBuying } = props;
  const { t } = page;
  const view = useView(VIEWS);
  const [shown, setShown] = useState<{ voucher: RedeemableBenefit; isNew: boolean } | null>(null);
  const { value: myClub, error, busy, reload, asOf, isStale } = useMyClub(page, view);
  // A member whom the service does not answer sees what the device has kept, and since when.
  const isOut = myClub !== null && isStale && (error === null || isOutage(error));
  const deal = useRef<{ benefit: Benefit; myClub: MyClub } | null>(null);
  const heading = useHeadingFocus(view, myClub !== null, props.isNext);
  const { news, occasion, endCelebration } = useNews(page, myClub);
  useEffect(() => {
    document.title = `${t[view]} · ${page.name}`;
  }, [view]);

  const tabs = VIEWS.map((view) => ({ view, label: t[view] }));
  const frame = { t, shopLocale: page.shopLocale, tabs, current: view };
  const problem = error !== null && !isOut && (
    <Problem
      sentence={describeError(error, t, createFormat(page.locale, page.timeZone, 'EUR'))}
      retry={t.retry}
      busy={busy}
      onRetry={() => void reload()}
    />
  );
  const commerce = myClub?.me.commerce ?? null;
  if (myClub === null || commerce === null)
    return (
      <Frame {...frame} name={page.name}>
        <h1 class="unseen">{page.name}</h1>
        {problem || <Waiting t={t} />}
      </Frame>
    );

  const { me } = myClub;
  const club = createClub(page, commerce, myClub);
  // The terms that a member agrees to must not change below their fingers.
  if (deal.current?.benefit.id !== buying) {
    const benefit = myClub.available.find(({ id }) => id === buying);
    deal.current = benefit ? { benefit, myClub } : null;
  }
  const rejoin = me.subscribed ? null : <Rejoin me={me} onJoined={() => void reload()} />;
  const celebration = occasion && me.subscribed && (
    <Celebrate occasion={occasion} myClub={myClub} onClose={endCelebration} />
  );
  return (
    <ClubProvider value={club}>
      <Frame
        {...frame}
        name={commerce.name}
        category={commerce.category_name}
        logo={commerce.logo}
        headline={view !== 'card' && <Headline view={view} heading={heading} myClub={myClub} news={news} />}
        narrow={view === 'history' || view === 'profile'}
        full={view === 'card'}
        notice={
          isOut && asOf
            ? t.asOf(club.f.recentDay(asOf.toISOString(), club.now()), club.f.time(asOf.toISOString()))
            : null
        }
      >
        {problem}
        {view === 'home' && (
          <Home
            heading={heading}
            myClub={myClub}
            celebration={celebration}
            rejoin={rejoin}
            onBuy={onBuying}
            onShow={(voucher) => setShown({ voucher, isNew: false })}
          />
        )}
        {view === 'benefits' && (
          <>
            {rejoin}
            <Benefits myClub={myClub} onBuy={onBuying} />
          </>
        )}
        {view === 'card' && (
          <CardView
            heading={heading}
            myClub={myClub}
            onShow={(voucher) => setShown({ voucher, isNew: false })}
          />
        )}
        {view === 'history' && <History />}
        {view === 'profile' && <Profile myClub={myClub} onChanged={reload} onSignOut={props.onSignOut} />}
        {deal.current && shown === null && (
          <BuyDialog
            key={deal.current.benefit.id}
            benefit={deal.current.benefit}
            me={deal.current.myClub.me}
            onClose={() => {
              onBuying(null);
              if (navigator.onLine) void reload();
            }}
            onBought={(voucher) => {
              onBuying(null);
              // An attempt whose answer was lost may have bought it long ago.
              const { client_benefit_code: code } = voucher;
              const had = deal.current?.myClub.vouchers.some((one) => one.client_benefit_code === code);
              setShown({ voucher, isNew: had !== true });
              void reload();
            }}
          />
        )}
        {shown && <CodeDialog {...shown} onChanged={() => void reload()} onClose={() => setShown(null)} />}
      </Frame>
    </ClubProvider>
  );
}

/** The line above a view: on the first one a greeting, on others their name. */
function Headline(props: {
  view: (typeof VIEWS)[number];
  heading: RefObject<HTMLHeadingElement | null>;
  myClub: MyClub;
  news: News | null;
}) {
  const { view, myClub } = props;
  const { t, f } = useClub();
  if (view === 'home') return <Greeting myClub={myClub} news={props.news} />;
  return (
    <div class="headline">
      <h1 ref={props.heading} tabIndex={-1}>
        {t[view]}
      </h1>
      {view === 'benefits' && <p class="pill">{t.points(myClub.me.points, f)}</p>}
    </div>
  );
}

type Occasion = 'joined' | 'climbed';

/** Returns what is new since the last visit, and keeps it up to date while the page is open. */
function useNews(page: ClubPage, myClub: MyClub | null) {
  const [news, setNews] = useState<News | null>(null);
  const [occasion, setOccasion] = useState<Occasion | null>(null);
  useEffect(() => {
    if (myClub === null || isKept(myClub)) return;
    const { device, commerceId } = page;
    const visit = { commerceId, session: device.session(), now: device.now() };
    const next = readNews(visit, myClub.latest, myClub.level?.rank ?? 0);
    setNews(next);
    if (next.hasClimbed) setOccasion('climbed');
    else if (next.hasJoined) setOccasion('joined');
  }, [myClub]);
  return { news, occasion, endCelebration: () => setOccasion(null) };
}

function Celebrate(props: { occasion: Occasion; myClub: MyClub; onClose: () => void }) {
  const { t, f, shopLocale } = useClub();
  const { onClose } = props;
  const { level, latest, vouchers, program } = props.myClub;
  if (props.occasion === 'climbed' && level) {
    const times = level.points_multiplier ?? 1;
    const gift = program?.levels?.ladder.find(({ rank }) => rank === level.rank)?.benefit;
    return (
      <Celebration
        icon="trophy"
        title={t.climbed(level.name ?? '')}
        text={
          <>
            {gift && (
              <>
                {t.tierBrought} <b lang={shopLocale}>{titleOf(gift)}</b>.{' '}
              </>
            )}
            {times !== 1 && t.tierMultiplier(f.number(times))}
          </>
        }
        close={t.close}
        onClose={onClose}
      />
    );
  }
  const points = latest.find(({ event }) => event === 'welcome')?.points ?? null;
  const gift = vouchers.find(({ benefit }) => benefit.benefit_type === 'welcome');
  const got = points === null ? gift && titleOf(gift.benefit) : t.points(points, f);
  return (
    <Celebration
      icon="party"
      title={t.welcomeBack}
      text={got ? <span lang={shopLocale}>{t.youGot(got)}</span> : t.welcomeText}
      close={t.close}
      onClose={onClose}
    />
  );
}
