import type { TillVoucher } from '@loyalty/sdk/admin';
import { useState } from 'react';
import { Drawn } from '../ui/icon.tsx';
import { COFFEE, GIFT, PERCENT, TAG } from './icons.ts';

const KINDS = { percentage_discount: PERCENT, absolute_discount: TAG, free_product: GIFT } as const;

/** The picture of a benefit. If it has none or it cannot be loaded, a sign of its kind. */
export function BenefitThumb({ voucher }: { voucher: TillVoucher }) {
  const { image, type, title, description } = voucher;
  const [isBroken, setBroken] = useState(false);
  if (image !== null && !isBroken)
    return <img className="thumb" src={image} alt="" onError={() => setBroken(true)} />;
  const isDrink = /\b(coffee|latte|espresso|tea|café|té)\b/i.test(`${title} ${description}`);
  return (
    <span className="thumb">
      <Drawn path={isDrink && type === 'free_product' ? COFFEE : KINDS[type]} size={24} />
    </span>
  );
}
