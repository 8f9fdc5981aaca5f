import { useEffect, useState } from 'preact/hooks';
import { ConnectionError, type RedeemableBenefit } from '@loyalty/sdk';
import { Benefits } from './benefits.tsx';
import { BuyDialog } from './buy-dialog.tsx';
import { ClubProvider, createClub, type ClubPage } from './club.ts';
import { CodeDialog } from './code-dialog.tsx';
import { createFormat } from './format.ts';
import { Frame } from './frame.tsx';
import { History } from './history.tsx';
import { Home } from './home.tsx';
import { describeError, Problem } from './problem.tsx';
import { Profile } from './profile.tsx';
import { Rejoin } from './rejoin.tsx';
import { useMyClub } from './use-my-club.ts';
import { useHeadingFocus, useView } from './use-view.ts';

/** The club as a member sees it: balance, catalog, codes, history and profile. */
export function MemberClub(props: {
  page: ClubPage;
  /** The id of the benefit that is being bought. */
  buying: string | null;
  onBuying: (benefitId: string | null) => void;
  onSignOut: () => void;
}) {
  const { page, buying, onBuying } = props;
  const { t } = page;
  const view = useView(['home', 'benefits', 'history', 'profile']);
  const [shown, setShown] = useState<{ voucher: RedeemableBenefit; isNew: boolean } | null>(null);
  const { value: myClub, error, busy, reload, asOf, isStale } = useMyClub(page, view);
  const heading = useHeadingFocus(view, myClub !== null);
  useEffect(() => {
    document.title = `${t[view]} · ${page.name}`;
  }, [view]);

  // A member without a network sees what the device has kept, and since when.
  const isOut = myClub !== null && isStale && (error === null || error instanceof ConnectionError);
  const tabs = (['home', 'benefits', 'history', 'profile'] as const).map((view) => ({
    view,
    label: t[view],
  }));
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
        {problem || (
          <p class="loading" role="status">
            {t.loading}
          </p>
        )}
      </Frame>
    );

  const { me } = myClub;
  const wanted = myClub.available.find(({ id }) => id === buying);
  const rejoin = me.subscribed ? null : <Rejoin me={me} onJoined={() => void reload()} />;
  return (
    <ClubProvider value={createClub(page, commerce, myClub)}>
      <Frame {...frame} name={commerce.name} category={commerce.category_name} logo={commerce.logo}>
        {problem}
        {isOut && asOf && (
          <p class="note" role="status">
            {t.asOf(createFormat(page.locale, page.timeZone, 'EUR').dayAndTime(asOf.toISOString()))}
          </p>
        )}
        {view === 'home' && (
          <Home
            heading={heading}
            myClub={myClub}
            rejoin={rejoin}
            onShow={(voucher) => setShown({ voucher, isNew: false })}
          />
        )}
        {view === 'benefits' && (
          <Benefits heading={heading} myClub={myClub} rejoin={rejoin} onBuy={onBuying} />
        )}
        {view === 'history' && <History heading={heading} />}
        {view === 'profile' && (
          <Profile
            heading={heading}
            myClub={myClub}
            onChanged={() => void reload()}
            onSignOut={props.onSignOut}
          />
        )}
        {wanted && shown === null && (
          <BuyDialog
            benefit={wanted}
            me={me}
            onClose={() => {
              onBuying(null);
              void reload();
            }}
            onBought={(voucher) => {
              onBuying(null);
              setShown({ voucher, isNew: true });
              void reload();
            }}
          />
        )}
        {shown && <CodeDialog {...shown} onChanged={() => void reload()} onClose={() => setShown(null)} />}
      </Frame>
    </ClubProvider>
  );
}
