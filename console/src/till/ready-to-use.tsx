import type { TillVoucher } from '@loyalty/sdk/admin';
import { useState } from 'react';
import { useFormat } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { BenefitThumb } from './benefit-thumb.tsx';
import { useTillTexts } from './texts.ts';
import { UseDialog } from './use-dialog.tsx';
import type { Till } from './use-till.ts';

/** The codes that the member can use now. */
export function ReadyToUse({ vouchers, till }: { vouchers: readonly TillVoucher[]; till: Till }) {
  const t = useTillTexts();
  const [using, setUsing] = useState<TillVoucher | null>(null);
  return (
    <section className="stack">
      <h2>{t.ready}</h2>
      <ul className="card rows">
        {vouchers.map((voucher) => (
          <li className="row" key={voucher.client_benefit_code}>
            <BenefitThumb voucher={voucher} />
            <div className="row-words">
              <span className="name">{voucher.title}</span>
              <span className="small">
                <Terms voucher={voucher} />
              </span>
            </div>
            <Button aria-label={`${t.use}: ${voucher.title}`} onClick={() => setUsing(voucher)}>
              {t.use}
            </Button>
          </li>
        ))}
      </ul>
      {vouchers.length >= 20 && <p className="small">{t.more}</p>}
      {using !== null && <UseDialog voucher={using} till={till} onClose={() => setUsing(null)} />}
    </section>
  );
}

/** `Free · until 17 December`. */
export function Terms({ voucher }: { voucher: TillVoucher }) {
  const t = useTillTexts();
  const format = useFormat();
  const { type, value, due_date: due } = voucher;
  const worth = t.kinds[type](
    type === 'absolute_discount' ? format.money(value ?? 0) : format.number(value ?? 0),
  );
  return [worth, due === null ? null : t.until(format.day(due))].filter(Boolean).join(' · ');
}
