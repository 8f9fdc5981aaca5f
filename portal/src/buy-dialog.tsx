import {
  ApiError,
  ConnectionError,
  type Benefit,
  type MyAccount,
  type RedeemableBenefit,
} from '@loyalty/sdk';
import { useEffect, useRef, useState } from 'preact/hooks';
import { titleOf } from './benefit-card.tsx';
import { useClub } from './club.ts';
import { Dialog } from './ui/dialog.tsx';
import { forgetPurchaseKey, isUnanswered, purchaseKey } from './purchase-key.ts';
import { Picture } from './ui/picture.tsx';
import { describeError } from './ui/problem.tsx';

type State = 'asking' | 'buying' | { refused: string } | { unsure: string } | { offline: string };

/**
 * Asks before points are traded, then shows the result. Trying again never buys twice: while it is not known if a purchase was made, the
 * next attempt is the same purchase, and the dialog says so instead of asking.
 */
export function BuyDialog(props: {
  benefit: Benefit;
  me: MyAccount;
  onClose: () => void;
  onBought: (voucher: RedeemableBenefit) => void;
}) {
  const { t, f, client, commerce, member, shopLocale } = useClub();
  const { benefit, me } = props;
  const busy = useRef(false);
  const intent = `${commerce.id}/${member}/${benefit.id}`;
  const [isAgain] = useState(() => isUnanswered(intent));
  const [state, setState] = useState<State>(() => {
    if (isAgain) return { unsure: t.boughtNoAnswer };
    return navigator.onLine ? 'asking' : { offline: t.buyOffline };
  });

  useEffect(() => {
    const ask = () => setState((now) => (typeof now === 'object' && 'offline' in now ? 'asking' : now));
    // Refused before the member has agreed, not after.
    const refuse = () => setState((now) => (now === 'asking' ? { offline: t.buyOffline } : now));
    addEventListener('online', ask);
    addEventListener('offline', refuse);
    // The connection may have gone after the first look and before anyone listened.
    if (!navigator.onLine) refuse();
    return () => {
      removeEventListener('online', ask);
      removeEventListener('offline', refuse);
    };
  }, []);

  async function buy() {
    if (busy.current) return;
    if (!navigator.onLine && !isUnanswered(intent)) return setState({ offline: t.buyOffline });
    busy.current = true;
    setState('buying');
    try {
      const voucher = await client.exchangeBenefit(benefit.id, { idempotencyKey: purchaseKey(intent) });
      forgetPurchaseKey(intent);
      props.onBought(voucher);
    } catch (error) {
      if (error instanceof ConnectionError) {
        setState({ unsure: t.boughtNoAnswer });
      } else if (error instanceof ApiError && error.status === 400) {
        forgetPurchaseKey(intent);
        setState({ refused: await findReason() });
      } else {
        setState({ unsure: describeError(error, t, f) });
      }
    } finally {
      busy.current = false;
    }
  }

  /** Finds out why the purchase was refused: the service answers 400 for every reason. */
  async function findReason(): Promise<string> {
    try {
      const [now, available] = await Promise.all([client.getMyAccount(), client.listAvailableBenefits()]);
      if (!now.subscribed) return t.refusedLeft;
      const offered = available.find(({ id }) => id === benefit.id);
      if (offered === undefined) return t.refusedGone;
      if (offered.cost > now.points) return t.refusedPoints(offered.cost - now.points, f);
    } catch {
      // The general answer below is right for every reason.
    }
    return t.refusedOther;
  }

  const cost = t.points(benefit.cost, f);
  const failed = typeof state === 'object';
  const cannot = failed && ('refused' in state || 'offline' in state);
  return (
    <Dialog title={t.buyTitle} locked={state === 'buying'} onClose={props.onClose}>
      {!cannot && (
        <div class="deal">
          <Picture benefit={benefit} />
          <p>
            <span lang={shopLocale}>{t.buyText(titleOf(benefit), cost)}</span>{' '}
            {/* The balance may be that of after the purchase. */}
            {!isAgain && t.buyLeft(t.points(me.points - benefit.cost, f))}
          </p>
        </div>
      )}
      {failed && (
        <p class="note" role="alert">
          {Object.values(state)}
        </p>
      )}
      {cannot ? (
        <button type="button" class="button main" onClick={props.onClose}>
          {'refused' in state ? t.toBenefits : t.close}
        </button>
      ) : (
        <div class="choices">
          <button
            type="button"
            class="button main"
            aria-disabled={state === 'buying'}
            onClick={() => void buy()}
          >
            {state === 'buying' ? t.buying : failed ? t.retry : t.buyConfirm(cost)}
          </button>
          <button
            type="button"
            class="button"
            aria-disabled={state === 'buying'}
            onClick={() => state !== 'buying' && props.onClose()}
          >
            {t.cancel}
          </button>
        </div>
      )}
    </Dialog>
  );
}
