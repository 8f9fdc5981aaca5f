import type { RedeemableBenefit } from '@loyalty/sdk';
import { useMemo, useState } from 'preact/hooks';
import { encode } from 'uqr';
import { announce } from './announce.ts';
import { titleOf } from './benefit-card.tsx';
import { useClub } from './club.ts';
import { Dialog } from './dialog.tsx';

/** Shows a code as a QR code for the till's scanner and as digits to read out. */
export function CodeDialog(props: { voucher: RedeemableBenefit; isNew: boolean; onClose: () => void }) {
  const { t, f } = useClub();
  const { voucher } = props;
  const code = String(voucher.client_benefit_code);
  const digits = code.replaceAll(/\d{4}(?=\d)/g, '$& ');
  return (
    <Dialog title={titleOf(voucher.benefit)} onClose={props.onClose}>
      {props.isNew && (
        <p class="note" role="status">
          {t.bought}
        </p>
      )}
      <QrPicture text={code} label={t.codeAlt(digits)} />
      <p class="digits">{digits}</p>
      <p>{t.codeHint}</p>
      {voucher.benefit.shop_coupon && <p>{t.codeOnline}</p>}
      <p class="small">{voucher.due_date === null ? t.noDue : t.dueBy(f.day(voucher.due_date))}</p>
      <div class="choices">
        <CopyButton code={code} />
        <button type="button" class="button" onClick={props.onClose}>
          {t.close}
        </button>
      </div>
    </Dialog>
  );
}

/** Always dark on white, even on a dark page, because many scanners read nothing else. */
function QrPicture({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const { data, size } = encode(text, { ecc: 'M', border: 4 });
    const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { size, path: dark.join('') };
  }, [text]);
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
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
