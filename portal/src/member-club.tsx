import { useEffect, useState } from 'preact/hooks';
import type { MemberClient, RedeemableBenefit } from '@loyalty/sdk';
import { Benefits } from './benefits.tsx';
import { BuyDialog } from './buy-dialog.tsx';
import { ClubProvider, clubOf, type Place } from './club.ts';
import { CodeDialog } from './code-dialog.tsx';
import { formatOf } from './format.ts';
import { Frame } from './frame.tsx';
import { History } from './history.tsx';
import { Home } from './home.tsx';
import { Left } from './left.tsx';
import { Problem, sentenceOf } from './problem.tsx';
import { Profile } from './profile.tsx';
import { useLoaded } from './use-loaded.ts';
import { useHeadingFocus, useView } from './use-view.ts';

export type Mine = Awaited<ReturnType<typeof loadMine>>;

/** What a member sees: the balance, what it buys, what was bought, and all that happened. */
export function MemberClub(props: {
  place: Place;
  /** Id of the benefit that is being bought. */
  buying: string | null;
  onBuying: (benefitId: string | null) => void;
  onSignOut: () => void;
}) {
  const { place, buying, onBuying } = props;
  const { t, client } = place;
  const view = useView(['home', 'benefits', 'history', 'profile']);
  const [shown, setShown] = useState<{ voucher: RedeemableBenefit; isNew: boolean } | null>(null);
  const { value: mine, error, busy, reload } = useLoaded((signal) => loadMine(client, signal));
  const heading = useHeadingFocus(view, mine !== null);
  useEffect(() => {
    document.title = `${t[view]} · ${place.name}`;
  }, [view]);

  const tabs = (['home', 'benefits', 'history', 'profile'] as const).map((view) => ({
    view,
    label: t[view],
  }));
  const frame = { t, shopLocale: place.shopLocale, tabs, current: view };
  const problem = error !== null && (
    <Problem
      sentence={sentenceOf(error, t, formatOf(place.locale, place.timeZone, 'EUR'))}
      retry={t.retry}
      busy={busy}
      onRetry={() => void reload()}
    />
  );
  const commerce = mine?.me.commerce ?? null;
  if (mine === null || commerce === null)
    return (
      <Frame {...frame} name={place.name}>
        <h1 class="unseen">{place.name}</h1>
        {problem || (
          <p class="loading" role="status">
            {t.loading}
          </p>
        )}
      </Frame>
    );

  const { me } = mine;
  const wanted = mine.available.find(({ id }) => id === buying);
  const rejoined = <Left me={me} onJoined={() => void reload()} />;
  return (
    <ClubProvider value={clubOf(place, commerce)}>
      <Frame {...frame} name={commerce.name} category={commerce.category_name} logo={commerce.logo}>
        {problem}
        {view === 'home' && (
          <Home
            heading={heading}
            mine={mine}
            left={me.subscribed ? null : rejoined}
            onShow={(voucher) => setShown({ voucher, isNew: false })}
          />
        )}
        {view === 'benefits' && (
          <Benefits heading={heading} mine={mine} left={me.subscribed ? null : rejoined} onBuy={onBuying} />
        )}
        {view === 'history' && <History heading={heading} />}
        {view === 'profile' && (
          <Profile
            heading={heading}
            mine={mine}
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

async function loadMine(client: MemberClient, signal: AbortSignal) {
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
