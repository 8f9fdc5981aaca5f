import type { RedeemableBenefit } from '@loyalty/sdk';
import { inGroups } from '@loyalty/ui/format.ts';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { Almost } from './almost.tsx';
import { Confetti } from './celebration.tsx';
import { useClub } from './club.ts';
import { Codes } from './codes.tsx';
import { Logo } from './frame.tsx';
import type { MyClub } from './use-my-club.ts';
import { QrPicture } from './ui/qr-picture.tsx';
import { useGain } from './use-gain.ts';
import { WalletButtons } from './wallet.tsx';

/**
 * The member's card: large and bright, for the till's scanner. The screen stays awake while it is shown. Where there is room
 * beside it, the member's codes and next benefits are there.
 */
export function CardView(props: {
  heading: RefObject<HTMLHeadingElement | null>;
  myClub: MyClub;
  onShow: (voucher: RedeemableBenefit) => void;
}) {
  const { t, f, commerce, shopLocale } = useClub();
  const { me, card, level } = props.myClub;
  const gain = useGain(props.myClub);
  useWakefulScreen();
  if (card === null) return null;
  const digits = inGroups(card.client_code);
  return (
    <div class="pass-place">
      <section class="pass" aria-labelledby="pass">
        <header>
          <Logo key={commerce.logo} src={commerce.logo} name={commerce.name} />
          <p lang={shopLocale}>{commerce.name}</p>
        </header>
        <h1 id="pass" ref={props.heading} tabIndex={-1} class="unseen">
          {t.yourCard}
        </h1>
        <QrPicture text={String(card.client_code)} label={t.codeAlt(digits)} />
        <p class="digits">{digits}</p>
        {gain === null && <p class="pass-hint">{t.cardHint}</p>}
        {/* Always there, because screen readers announce only what changes in it. */}
        <div role="status">
          {gain !== null && (
            <div key={me.points} class="moment">
              <Confetti />
              <p class="moment-points">{t.gainedNow(t.points(gain, f))}</p>
              <p>{t.haveTotal(t.points(me.points, f))}</p>
            </div>
          )}
        </div>
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
      <div class="column beside">
        {me.subscribed && <Codes myClub={props.myClub} onShow={props.onShow} />}
        <Almost myClub={props.myClub} />
      </div>
    </div>
  );
}

/** Keeps the screen from dimming at the till. Browsers that cannot, or will not on a low battery, show the card anyway. */
function useWakefulScreen() {
  useEffect(() => {
    let held: Promise<WakeLockSentinel | undefined> | undefined;
    // A page that is hidden loses it.
    const hold = () => {
      if (!document.hidden) held = navigator.wakeLock?.request('screen').catch(() => undefined);
    };
    hold();
    document.addEventListener('visibilitychange', hold);
    return () => {
      document.removeEventListener('visibilitychange', hold);
      void held?.then((lock) => lock?.release());
    };
  }, []);
}
