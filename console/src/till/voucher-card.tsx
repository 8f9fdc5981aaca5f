import type { TillVoucher } from '@loyalty/sdk/admin';
import { inGroups } from '@loyalty/ui/format.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Button, TextButton } from '../ui/button.tsx';
import { Problem, Waiting } from '../ui/states.tsx';
import { BenefitThumb } from './benefit-thumb.tsx';
import { Terms } from './ready-to-use.tsx';
import { useTillTexts } from './texts.ts';
import { UseDialog } from './use-dialog.tsx';
import type { Till } from './use-till.ts';

/** A code that was scanned: what it is good for, whose it is, and why it cannot be used if it cannot. */
export function VoucherCard({ code, till }: { code: number; till: Till }) {
  const { api, shop } = usePlace();
  const voucher = useQuery({
    queryKey: [shop.id, 'voucher', code],
    queryFn: ({ signal }) => api.getVoucher(code, { signal, attempts: 2 }),
  });
  if (voucher.data !== undefined) return <Shown voucher={voucher.data} till={till} />;
  return (
    <section className="card inside stack">
      {voucher.isError ? (
        <Problem error={voucher.error} onRetry={() => void voucher.refetch()} />
      ) : (
        <Waiting rows={1} tall />
      )}
    </section>
  );
}

function Shown({ voucher, till }: { voucher: TillVoucher; till: Till }) {
  const t = useTillTexts();
  const shared = useTexts();
  const why = useWhyNot(voucher);
  const [isUsing, setUsing] = useState(false);
  const { state, title, description, username, member_id: memberId } = voucher;
  const name = username ?? shared.noName;
  const isUsable = state === 'usable';
  return (
    <section
      className={isUsable ? 'card inside stack voucher' : 'card inside stack voucher is-over'}
      aria-label={title}
    >
      <div className="voucher-head">
        <BenefitThumb voucher={voucher} />
        <div className="row-words">
          <h2>{title}</h2>
          <span>{description}</span>
          <span className="small">
            <Terms voucher={voucher} />
          </span>
        </div>
        <span className={isUsable ? 'tag gain' : 'tag wrong'}>{shared.voucherStates[state]}</span>
      </div>
      {why !== null && (
        <p className="strip wrong" role="alert">
          <span>{why}</span>
        </p>
      )}
      {isUsable && (
        <Button look="main big" autoFocus onClick={() => setUsing(true)}>
          {t.use} <kbd aria-hidden="true">Enter</kbd>
        </Button>
      )}
      <div className="voucher-foot">
        <span className="small">
          {t.heldBy(name)} · {inGroups(voucher.client_benefit_code)}
        </span>
        {till.open === null && (
          <TextButton
            onClick={() => {
              till.showVoucher(null);
              till.openPurchase({ member_id: memberId }, '');
            }}
          >
            {t.openHolder(name)}
          </TextButton>
        )}
      </div>
      {isUsing && <UseDialog voucher={voucher} till={till} onClose={() => setUsing(false)} />}
    </section>
  );
}

/** Returns why a code cannot be used, with the day and the time, or null if it can. */
function useWhyNot({ state, ended_at: endedAt, due_date: due }: TillVoucher): string | null {
  const t = useTillTexts();
  const format = useFormat();
  const when = (at: string | null) => (at === null ? '–' : format.dayAndTime(at));
  if (state === 'used') return endedAt === null ? t.voucherUsedEver : t.voucherUsed(when(endedAt));
  if (state === 'expired') return t.voucherExpired(when(due));
  if (state === 'given_back') return t.voucherGivenBack(when(endedAt));
  return state === 'void' ? t.voucherVoid : null;
}
