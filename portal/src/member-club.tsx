import { useEffect, useState } from 'preact/hooks';
import type { MemberClient, RedeemableBenefit } from '@loyalty/sdk';
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
import { useLoaded } from './use-loaded.ts';
import { useHeadingFocus, useView } from './use-view.ts';

export type MyClub = Awaited<ReturnType<typeof loadMyClub>>;

/** The club as a member sees it: balance, catalog, codes, history and profile. */
export function MemberClub(props: {
  page: ClubPage;
  /** The id of the benefit that is being bought. */
  buying: string | null;
  onBuying: (benefitId: string | null) => void;
  onSignOut: () => void;
}) {
  const { page, buying, onBuying } = props;
  const { t, client } = page;
  const view = useView(['home', 'benefits', 'history', 'profile']);
  const [shown, setShown] = useState<{ voucher: RedeemableBenefit; isNew: boolean } | null>(null);
  const { value: myClub, error, busy, reload } = useLoaded((signal) => loadMyClub(client, signal));
  const heading = useHeadingFocus(view, myClub !== null);
  useEffect(() => {
    document.title = `${t[view]} · ${page.name}`;
  }, [view]);

  const tabs = (['home', 'benefits', 'history', 'profile'] as const).map((view) => ({
    view,
    label: t[view],
  }));
  const frame = { t, shopLocale: page.shopLocale, tabs, current: view };
  const problem = error !== null && (
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
    <ClubProvider value={createClub(page, commerce)}>
      <Frame {...frame} name={commerce.name} category={commerce.category_name} logo={commerce.logo}>
        {problem}
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
        {shown && <CodeDialog {...shown} onClose={() => setShown(null)} />}
      </Frame>
    </ClubProvider>
  );
}

async function loadMyClub(client: MemberClient, signal: AbortSignal) {
  const [me, level, available, vouchers, rewards, expirations] = await Promise.all([
    client.getMyAccount({ signal }),
    client.getMyLevel({ signal }),
    client.listAvailableBenefits({ signal }),
    client.listMyBenefits({ signal }),
    client.listAutomaticRewards({ signal }),
    client.listMyExpirations({ signal }),
  ]);
  return { me, level, available, vouchers, rewards, expirations };
}
