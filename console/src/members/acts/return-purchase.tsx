import type { MemberMovement, ReversalPreview } from '@loyalty/sdk/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { changeAmount, decimalsOf, readAmount, sumOf, writeAmount, type Paid } from '../../amount.ts';
import { useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { Field } from '../../ui/field.tsx';
import { say } from '../../ui/say.tsx';
import { sayProblem } from '../../ui/states.tsx';
import { useMemberTexts } from '../texts.ts';
import { ActDialog } from './act-dialog.tsx';
import { useKeyedDraft } from './keyed-draft.ts';
import { Reason } from './reason.tsx';

const NOTHING = {
  /** Empty if all that is left comes back. */
  amount: '',
  reason: '',
};

interface Reversal {
  readonly amount: number;
  readonly cents?: number;
  readonly reason?: string;
}

/** Takes a purchase back: all that is left of it, or a part. It counts once, even if an answer is lost. */
export function ReturnPurchase({
  line,
  isPart: isPartNow,
  onClose,
}: {
  line: MemberMovement;
  isPart: boolean;
  onClose: () => void;
}) {
  const t = useMemberTexts();
  const f = useFormat();
  const { api, shop } = usePlace();
  const left = {
    units: (line.amount ?? 0) - line.reversed_amount,
    cents: line.cents - line.reversed_cents,
  };
  const money = (paid: Paid) => f.money(sumOf(paid, shop.currency));
  const draft = useKeyedDraft<typeof NOTHING, Reversal>(`return ${line.id}`, NOTHING);
  const [problem, setProblem] = useState<string | null>(null);
  const { sent } = draft;
  const { amount, reason } = draft.typed;
  // What was sent stays what it was, whichever button has opened the dialog again.
  const isPart = sent === null ? isPartNow : amount !== '';
  const part = isPart ? readAmount(amount, decimalsOf(shop.currency)) : left;
  const type = (part: Partial<typeof NOTHING>) => {
    setProblem(null);
    draft.type(part);
  };
  const returned =
    sent !== null
      ? { units: sent.amount, cents: sent.cents ?? 0 }
      : typeof part === 'object' && isWithin(part, left)
        ? part
        : null;
  const asked = useDeferredValue(returned);
  const preview = useQuery({
    queryKey: [shop.id, 'member', 'return', line.id, asked],
    queryFn: ({ signal }) => api.previewReversal(line.id, toReverse(asked!), { signal }),
    enabled: asked !== null && sent === null,
    placeholderData: keepPreviousData,
  });
  const check = () => {
    setProblem(returned === null ? t.acts.amountWrong(money(left)) : null);
    if (!isPart) draft.type({ amount: '' });
    return returned !== null;
  };
  const kept = returned === null ? 0 : sumOf(left, shop.currency) - sumOf(returned, shop.currency);
  return (
    <ActDialog
      title={isPart ? t.acts.returnPartTitle : t.acts.returnTitle(money(returned ?? left))}
      submit={returned === null ? t.acts.returnIt : t.acts.returnAmount(money(returned))}
      isUnknown={draft.isUnknown}
      check={check}
      act={() =>
        draft.send(
          { ...toReverse(returned!), ...(reason.trim() !== '' && { reason: reason.trim() }) },
          (body, options) => api.reversePurchase(line.id, body, options),
        )
      }
      onDone={({ points, balance }) => {
        draft.forget();
        say(
          t.acts.returnedNow(
            money(returned!),
            t.shared.points(Math.abs(points), f),
            balance === null ? null : f.number(balance),
          ),
        );
      }}
      onClose={onClose}
    >
      <p>
        {t.acts.returnOf(money({ units: line.amount ?? 0, cents: line.cents }), f.dayAndTime(line.at))}
        {(line.reversed_amount > 0 || line.reversed_cents > 0) &&
          ` ${t.acts.returnedBefore(money({ units: line.reversed_amount, cents: line.reversed_cents }))}`}
      </p>
      {isPart && (
        <Field
          autoFocus
          label={t.acts.amountOf(money(left))}
          inputMode={decimalsOf(shop.currency) > 0 ? 'decimal' : 'numeric'}
          autoComplete="off"
          className="figure-input"
          problem={problem}
          value={writeAmount(amount, f.locale)}
          onChange={({ currentTarget: { value: text, selectionStart }, nativeEvent }) => {
            const { data, inputType } = nativeEvent as InputEvent;
            const caret = selectionStart ?? text.length;
            type({ amount: changeAmount({ text, caret, data, inputType }, f.locale) });
          }}
        />
      )}
      {sent === null && (
        <Effect
          preview={preview.data}
          isComing={preview.isFetching && returned !== null}
          counted={f.money(left.units)}
        />
      )}
      {sent === null && preview.isError && returned !== null && (
        <p className="strip ending">{sayProblem(preview.error, t.shared)}</p>
      )}
      {sent === null && kept > 0 && preview.data !== undefined && preview.data.amount > 0 && (
        <p className="small">
          {t.acts.returnKeeps(f.money(kept), f.money(left.units - preview.data.amount))}
        </p>
      )}
      <p className="small">{t.acts.returnFinal}</p>
      <Reason
        isOptional
        value={reason}
        hint={t.acts.reasonShown}
        onType={(value) => type({ reason: value })}
      />
    </ActDialog>
  );
}

const isWithin = ({ units, cents }: Paid, left: Paid) =>
  units < left.units || (units === left.units && cents <= left.cents);

const toReverse = ({ units, cents }: Paid) => ({ amount: units, ...(cents > 0 && { cents }) });

/** Shows the effect that the service predicts for the return. `counted` is what the purchase counts as until then. */
function Effect(props: { preview: ReversalPreview | undefined; isComing: boolean; counted: string }) {
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
            {preview.amount > 0
              ? t.acts.returnTakes(t.shared.points(preview.points, f))
              : t.acts.returnTakesNothing(props.counted)}{' '}
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
