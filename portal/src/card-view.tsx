import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { useClub } from './club.ts';
import { Logo } from './frame.tsx';
import type { MyClub } from './use-my-club.ts';
import { inGroups } from './format.ts';
import { QrPicture } from './qr-picture.tsx';
import { WalletButtons } from './wallet.tsx';

/** The member's card: large and bright, for the till's scanner. The screen stays awake while it is shown. */
export function CardView(props: { heading: RefObject<HTMLHeadingElement | null>; myClub: MyClub }) {
  const { t, f, commerce, shopLocale } = useClub();
  const { me, card, level } = props.myClub;
  useWakefulScreen();
  if (card === null) return null;
  const digits = inGroups(card.client_code);
  return (
    <section class="pass">
      <header>
        <Logo key={commerce.logo} src={commerce.logo} name={commerce.name} />
        <p lang={shopLocale}>{commerce.name}</p>
      </header>
      <h1 ref={props.heading} tabIndex={-1} class="unseen">
        {t.yourCard}
      </h1>
      <QrPicture text={String(card.client_code)} label={t.codeAlt(digits)} />
      <p class="digits">{digits}</p>
      <p class="pass-hint">{t.cardHint}</p>
      <dl>
        <div>
          <dt>{t.name}</dt>
          <dd>{card.username ?? me.username}</dd>
        </div>
        {level && (
          <div>
            <dt>{t.tier}</dt>
            <dd lang={shopLocale}>{level.name}</dd>
          </div>
        )}
        <div>
          <dt>{t.balance}</dt>
          <dd>{f.number(me.points)}</dd>
        </div>
      </dl>
      {me.subscribed && <WalletButtons />}
    </section>
  );
}

/** Keeps the screen from dimming at the till. Browsers that cannot, or will not on a low battery, show the card anyway. */
function useWakefulScreen() {
  useEffect(() => {
    const held = navigator.wakeLock?.request('screen').catch(() => undefined);
    return () => void held?.then((lock) => lock?.release());
  }, []);
}
