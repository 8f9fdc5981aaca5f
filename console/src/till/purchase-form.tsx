import { useEffect, useId, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { useFormat } from '../format.ts';
import { usePlace, useProgram } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { amountOf, caretBefore, changeAmount, signsAfter, writeAmount } from './amount.ts';
import { mayHaveCounted, type Draft } from './drafts.ts';
import { Preview } from './preview.tsx';
import { useRefusal } from './refusal.ts';
import { useTillTexts } from './texts.ts';

/** The amount and the one button. Enter records. */
export function PurchaseForm(props: {
  input: RefObject<HTMLInputElement | null>;
  draft: Draft;
  refusal: unknown;
  /** Seconds since the same was recorded here, or null. */
  recordedAgo: (amount: number) => number | null;
  waits: boolean;
  onType: (amount: string) => void;
  onRecord: (amount: number) => void;
}) {
  const { input, draft, refusal, recordedAgo, onType, onRecord } = props;
  const t = useTillTexts();
  const format = useFormat();
  const { shop } = usePlace();
  const program = useProgram();
  const refusalOf = useRefusal();
  const id = useId();
  const caret = useRef<number | null>(null);
  /** What the button was pressed for without recording: it is said what is missing, or asked whether it is meant. */
  const [stopped, setStopped] = useState<{ amount: string; ago: number | null } | null>(null);

  const { sent } = draft;
  const isLocked = mayHaveCounted(draft);
  const written = writeAmount(draft.amount, format.locale);
  const amount = amountOf(draft.amount);
  const held = stopped?.amount === draft.amount && !isLocked ? stopped : null;

  useEffect(() => input.current?.focus(), [input, draft.buyer]);
  // Separators come and go while somebody types: the caret stays between the same digits.
  useLayoutEffect(() => {
    if (caret.current === null) return;
    const at = caretBefore(written, caret.current);
    caret.current = null;
    input.current?.setSelectionRange(at, at);
  });

  function record() {
    if (sent?.outcome === 'sending') return;
    if (sent !== null) return onRecord(sent.body.amount);
    if (typeof amount !== 'number') return setStopped({ amount: draft.amount, ago: null });
    const ago = recordedAgo(amount);
    if (ago !== null && held === null) return setStopped({ amount: draft.amount, ago });
    setStopped(null);
    onRecord(amount);
  }

  const problem =
    amount === 'fraction'
      ? t.whole(shop.currency, written)
      : held !== null && amount === 'empty'
        ? t.typeAmount
        : held !== null && amount === 'zero'
          ? t.zero
          : refusal !== null && typeof amount === 'number'
            ? refusalOf(refusal, amount)
            : null;

  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        record();
      }}
    >
      <div className="purchase">
        <label className="label" htmlFor={id}>
          {t.purchase}
        </label>
        <span className="purchase-line">
          <input
            ref={input}
            id={id}
            inputMode="numeric"
            enterKeyHint="done"
            autoComplete="off"
            aria-describedby={`${id}-preview ${id}-problem`}
            aria-invalid={problem === null ? undefined : true}
            readOnly={isLocked}
            data-digits={written.length}
            value={written}
            onChange={(event) => {
              const { value, selectionStart } = event.currentTarget;
              const { data, inputType } = event.nativeEvent as InputEvent;
              const at = selectionStart ?? value.length;
              caret.current = signsAfter(value, at);
              onType(changeAmount(draft.amount, { text: value, caret: at, data, inputType }, format.locale));
            }}
          />
          <span className="currency">{shop.currency}</span>
        </span>
        <span id={`${id}-preview`} className="icon-line">
          <Preview
            buyer={draft.buyer}
            amount={
              isLocked ? sent!.body.amount : typeof amount === 'number' && refusal === null ? amount : null
            }
            waits={props.waits}
          />
        </span>
      </div>
      <p id={`${id}-problem`} role="alert" className="wrong amount-problem">
        {problem}
      </p>
      {program.data?.status === 'paused' && (
        <p className="strip ending">
          <Icon name="info" />
          <span>{t.paused}</span>
        </p>
      )}
      {held?.ago != null && (
        <p className="strip ending" role="alert">
          <Icon name="alert" />
          <span>{t.twice(held.ago)}</span>
        </p>
      )}
      {(sent?.outcome === 'unsent' || sent?.outcome === 'unknown') && (
        <p className={sent.outcome === 'unknown' ? 'strip wrong' : 'strip ending'} role="alert">
          <Icon name="offline" />
          <span>{sent.outcome === 'unknown' ? t.unknown : t.offlineUnsent}</span>
        </p>
      )}
      <Button look="main big" type="submit" busy={sent?.outcome === 'sending'}>
        {sent?.outcome === 'sending'
          ? t.recording
          : sent?.outcome === 'unknown'
            ? t.tryAgain
            : held?.ago != null
              ? t.recordAgain
              : t.record}{' '}
        <kbd aria-hidden="true">Enter</kbd>
      </Button>
    </form>
  );
}
