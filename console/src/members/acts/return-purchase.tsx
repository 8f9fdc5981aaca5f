import { newIdempotencyKey, type MemberMovement, type ReversalPreview } from '@loyalty/sdk/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { Field } from '../../ui/field.tsx';
import { say } from '../../ui/say.tsx';
import { sayProblem } from '../../ui/states.tsx';
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
  const isAmount = count > 0 && count <= left;
  const asked = useDeferredValue(count);
  const preview = useQuery({
    queryKey: [shop.id, 'member', 'return', line.id, asked],
    queryFn: ({ signal }) => api.previewReversal(line.id, { amount: asked }, { signal }),
    enabled: asked > 0 && asked <= left,
    placeholderData: keepPreviousData,
  });
  const check = () => {
    setProblem(isAmount ? null : t.acts.amountWrong(f.money(left)));
    return isAmount;
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
      <Effect preview={preview.data} isComing={preview.isFetching && isAmount} />
      {preview.isError && isAmount && <p className="strip ending">{sayProblem(preview.error, t.shared)}</p>}
      {isAmount && count < left && <p className="small">{t.acts.returnKeeps(f.money(left - count))}</p>}
      <p className="small">{t.acts.returnFinal}</p>
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

/** What the service says that the return would do. */
function Effect(props: { preview: ReversalPreview | undefined; isComing: boolean }) {
  const t = useMemberTexts();
  const f = useFormat();
  const { preview } = props;
  return (
    <div role="status" className="effect" aria-busy={props.isComing}>
      {preview === undefined ? (
        <p>{props.isComing ? t.acts.computing : '\u00A0'}</p>
      ) : (
        <>
          <p>
            {t.acts.returnTakes(t.shared.points(preview.points, f))}{' '}
            <span className="small">{t.balance}</span> <b>{f.number(preview.balance + preview.points)}</b>
            {' → '}
            <b className={preview.balance < 0 ? 'ending' : undefined}>{f.number(preview.balance)}</b>
          </p>
          {preview.lost_levels.length > 0 && (
            <p className="strip ending">{t.acts.returnLoses(preview.lost_levels.join(', '))}</p>
          )}
        </>
      )}
    </div>
  );
}
