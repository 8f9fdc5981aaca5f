import type { RedeemableBenefit } from '@loyalty/sdk';
import { inGroups } from '@loyalty/ui/format.ts';
import { useEffect, useState } from 'preact/hooks';
import { announce } from './announce.ts';
import { titleOf } from './benefit-card.tsx';
import { Confetti } from './celebration.tsx';
import { useClub } from './club.ts';
import { Dialog } from './ui/dialog.tsx';
import { Icon } from './ui/icon.tsx';
import { Picture } from './ui/picture.tsx';
import { QrPicture } from './ui/qr-picture.tsx';
import { useVoucherState } from './use-voucher-state.ts';

/**
 * Shows a code as a QR code for the till's scanner and as digits to read out. When the till redeems it, the dialog says
 * so by itself.
 */
export function CodeDialog(props: {
  voucher: RedeemableBenefit;
  isNew: boolean;
  /** The code was used, has expired or was taken back. */
  onChanged: () => void;
  onClose: () => void;
}) {
  const { t, f, now } = useClub();
  const { voucher } = props;
  const digits = inGroups(voucher.client_benefit_code);
  const { state } = useVoucherState(voucher);
  useEffect(() => {
    if (state !== 'good') props.onChanged();
  }, [state]);
  if (state !== 'good')
    return (
      <Dialog title={titleOf(voucher.benefit)} onClose={props.onClose}>
        <div class="outcome" role="status">
          <span class={state === 'used' ? 'badge large gain' : 'badge large'}>
            <Icon name={state === 'used' ? 'check' : 'clock'} size={30} />
          </span>
          <p class="what">{state === 'used' ? t.usedEnjoy : state === 'past' ? t.past : t.codeVoid}</p>
        </div>
        <button type="button" class="button main" onClick={props.onClose}>
          {t.close}
        </button>
      </Dialog>
    );
  return (
    <Dialog title={titleOf(voucher.benefit)} onClose={props.onClose}>
      <div class="code-picture">
        <Picture benefit={voucher.benefit} />
        {props.isNew && <Confetti />}
      </div>
      {props.isNew && (
        <p class="note good" role="status">
          <Icon name="check" />
          {t.bought}
        </p>
      )}
      <div class="code-pass">
        <QrPicture text={String(voucher.client_benefit_code)} label={t.codeAlt(digits)} />
        <p class="digits">{digits}</p>
      </div>
      {!props.isNew && <p>{t.codeHint}</p>}
      {voucher.benefit.shop_coupon && <p>{t.codeOnline}</p>}
      <p class="small icon-line">
        <Icon name="clock" size={16} />
        {voucher.due_date === null ? t.noDue : t.dueBy(f.moment(voucher.due_date, now(), true))}
      </p>
      <div class="choices">
        <CopyButton code={String(voucher.client_benefit_code)} />
        <button type="button" class="button" onClick={props.onClose}>
          {t.close}
        </button>
      </div>
    </Dialog>
  );
}

/** Shows nothing if the browser does not let the page write to the clipboard. */
function CopyButton({ code }: { code: string }) {
  const { t } = useClub();
  const [copied, setCopied] = useState(false);
  if (typeof navigator.clipboard?.writeText !== 'function') return null;
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    announce(t.copied);
  };
  return (
    <button type="button" class="button main" onClick={() => void copy().catch(() => undefined)}>
      {copied ? t.copied : t.copy}
    </button>
  );
}
