import { newIdempotencyKey, type TillVoucher } from '@loyalty/sdk/admin';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { isCode, isWithoutAnswer, markStale, queries } from '../api.ts';
import { usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { sayProblem } from '../ui/states.tsx';
import { BenefitThumb } from './benefit-thumb.tsx';
import { Terms } from './ready-to-use.tsx';
import { placeOf } from './register.ts';
import { useTillTexts } from './texts.ts';
import type { Till } from './use-till.ts';

/** An Enter that is held down, or pressed twice in one go, opens the question but does not answer it. */
const TIME_TO_READ_MS = 350;

/** Asks once, because a used code cannot be given back. Its key is made here, so a second press uses it once. */
export function UseDialog(props: { voucher: TillVoucher; till: Till; onClose: () => void }) {
  const { voucher, till, onClose } = props;
  const t = useTillTexts();
  const shared = useTexts();
  const { api, shop } = usePlace();
  const [idempotencyKey] = useState(newIdempotencyKey);
  const [openedAt] = useState(() => performance.now());
  const answer = useRef<HTMLButtonElement>(null);
  useEffect(() => answer.current?.focus(), []);
  const { client_benefit_code: code, title } = voucher;
  const use = useMutation({
    mutationFn: () =>
      api.redeemVoucher(code, placeOf(till.register), { idempotencyKey, attempts: 2, timeoutMs: 8_000 }),
    onSuccess: (used) => {
      queries.setQueryData([shop.id, 'voucher', code], used);
      onClose();
      till.noteUsed(used);
    },
    onSettled: () => {
      markStale(shop.id);
      for (const name of ['till-day', 'till-member', 'voucher'])
        void queries.invalidateQueries({ queryKey: [shop.id, name] });
    },
  });
  return (
    <Dialog title={t.useTitle(title)} onClose={onClose} locked={use.isPending}>
      <div className="row">
        <BenefitThumb voucher={voucher} />
        <div className="row-words">
          <span>{voucher.description}</span>
          <span className="small">
            <Terms voucher={voucher} />
          </span>
        </div>
      </div>
      <p>{t.useText}</p>
      {use.isError && (
        <p className="strip wrong" role="alert">
          <Icon name="alert" />
          <span>{sayWhy(use.error)}</span>
        </p>
      )}
      <div className="dialog-acts">
        <Button onClick={onClose}>{shared.cancel}</Button>
        <Button
          ref={answer}
          look="main"
          busy={use.isPending}
          onClick={() => {
            if (performance.now() - openedAt > TIME_TO_READ_MS) use.mutate();
          }}
        >
          {use.isPending ? t.using : t.useNow}
        </Button>
      </div>
    </Dialog>
  );

  function sayWhy(error: unknown): string {
    if (isWithoutAnswer(error)) return t.useUnknown;
    if (isCode(error, 'benefit_used')) return t.voucherUsedEver;
    const isGone = ['voucher_expired', 'voucher_given_back', 'voucher_void'].some((one) =>
      isCode(error, one),
    );
    return isGone ? t.voucherGone : sayProblem(error, shared);
  }
}
