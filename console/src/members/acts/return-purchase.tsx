import { newIdempotencyKey, type MemberMovement } from '@loyalty/sdk/admin';
import { useState } from 'react';
import { useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { Field } from '../../ui/field.tsx';
import { say } from '../../ui/say.tsx';
import { useMemberTexts } from '../texts.ts';
import { ActDialog } from './act-dialog.tsx';
import { useDraft } from './draft.ts';
import { Reason } from './reason.tsx';

/** Takes a purchase back: all that is left of it, or a part. */
export function ReturnPurchase({
  line,
  isPart,
  onClose,
}: {
  line: MemberMovement;
  isPart: boolean;
  onClose: () => void;
}) {
  const t = useMemberTexts();
  const f = useFormat();
  const { api, shop } = usePlace();
  const left = (line.amount ?? 0) - line.reversed_amount;
  const leftPoints = line.points - line.reversed_points;
  const [draft, change, forget] = useDraft(`${shop.id} return ${line.id} ${isPart}`, () => ({
    amount: isPart ? '' : String(left),
    reason: '',
    key: newIdempotencyKey(),
    isSent: false,
  }));
  const [problem, setProblem] = useState<string | null>(null);
  const { amount, reason, key, isSent } = draft;
  const count = isPart ? Number(amount) : left;
  const type = (part: Partial<typeof draft>) => {
    setProblem(null);
    change({ ...part, key: newIdempotencyKey() });
  };
  const check = () => {
    const isRight = count > 0 && count <= left;
    setProblem(isRight ? null : t.acts.amountWrong(f.money(left)));
    return isRight;
  };
  return (
    <ActDialog
      title={isPart ? t.acts.returnPartTitle : t.acts.returnTitle(f.money(left))}
      submit={count > 0 ? t.acts.returnAmount(f.money(count)) : t.acts.returnIt}
      isKeyed
      check={check}
      act={() =>
        api.reversePurchase(
          line.id,
          { amount: count, ...(reason.trim() !== '' && { reason: reason.trim() }) },
          { idempotencyKey: key },
        )
      }
      onFail={(isUnknown) => change({ isSent: isUnknown })}
      onDone={({ amount: returned, points, balance }) => {
        forget();
        say(
          t.acts.returnedNow(
            f.money(returned),
            f.number(Math.abs(points)),
            balance === null ? null : f.number(balance),
          ),
        );
      }}
      onClose={onClose}
    >
      <p>
        {t.acts.returnOf(f.money(line.amount ?? 0), f.dayAndTime(line.at))}
        {line.reversed_amount > 0 && ` ${t.acts.returnedBefore(f.money(line.reversed_amount))}`}
      </p>
      {isPart && (
        <Field
          autoFocus
          label={t.acts.amountOf(f.money(left))}
          inputMode="numeric"
          autoComplete="off"
          className="figure-input"
          readOnly={isSent}
          problem={problem}
          value={amount}
          onChange={(event) =>
            type({ amount: event.currentTarget.value.replaceAll(/[^\d]/g, '').slice(0, 15) })
          }
        />
      )}
      <p className="effect" role="status">
        {count === left
          ? t.acts.returnTakes(t.shared.points(leftPoints, f))
          : count > 0 && count < left
            ? t.acts.returnKeeps(f.money(left - count))
            : '\u00A0'}
      </p>
      <p className="small">{t.acts.returnText}</p>
      <Reason
        isOptional
        value={reason}
        hint={t.acts.reasonShown}
        readOnly={isSent}
        onType={(value) => type({ reason: value })}
      />
    </ActDialog>
  );
}
