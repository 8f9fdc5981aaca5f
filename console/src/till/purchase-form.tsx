import { lazy, useEffect, useId, useLayoutEffect, useRef, type RefObject } from 'react';
import { useFormat } from '../format.ts';
import { Overlay } from '../frame/overlays.tsx';
import { usePlace, useProgram } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { caretBefore, changeAmount, signsAfter, writeAmount } from '../amount.ts';
import type { Draft } from './drafts.ts';
import { Pad, useHasPad } from './pad.tsx';
import { Preview } from './preview.tsx';
import { useTillTexts } from './texts.ts';
import { soughtAmong } from './typed.ts';
import { useQuestions } from './use-questions.ts';
import type { Till } from './use-till.ts';

/** Only where rules name products or categories. */
const SoldButtons = lazy(() => import('./sold-buttons.tsx'));

/** The amount and the one button. Enter records. */
export function PurchaseForm(props: {
  input: RefObject<HTMLInputElement | null>;
  draft: Draft;
  till: Till;
  waits: boolean;
  /** Letters, or an address, belong into the field that finds. */
  onSeek: (text: string) => void;
  /** A card or a code. */
  onScan: (code: string) => void;
}) {
  const { input, draft, till, onSeek } = props;
  const t = useTillTexts();
  const format = useFormat();
  const { shop } = usePlace();
  const id = useId();
  const caret = useRef<number | null>(null);
  const hasPad = useHasPad();
  const program = useProgram().data;
  const { asked, problem, paid, previewed, isLocked, isLooking, record } = useQuestions(props);

  const { sent } = draft;
  const written = writeAmount(draft.amount, format.locale);
  useEffect(() => input.current?.focus(), [input, draft.buyer]);
  // Separators come and go while somebody types: the caret stays between the same digits.
  useLayoutEffect(() => {
    if (caret.current === null) return;
    const at = caretBefore(written, caret.current);
    caret.current = null;
    input.current?.setSelectionRange(at, at);
  });

  function change(field: HTMLInputElement, data: string | null, inputType: string) {
    const { value, selectionStart } = field;
    const sought = soughtAmong(value, written, shop.currency);
    if (sought !== null) return onSeek(sought);
    const at = selectionStart ?? value.length;
    caret.current = signsAfter(value, at);
    return till.type(changeAmount({ text: value, caret: at, data, inputType }, format.locale));
  }

  return (
    <form
      className={hasPad ? 'purchase-form has-pad' : 'purchase-form'}
      aria-busy={isLooking || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        record('enter');
      }}
    >
      <div className="stack">
        <div className="purchase">
          <label className="label" htmlFor={id}>
            {t.purchase}
          </label>
          <span className="purchase-line">
            <input
              ref={input}
              id={id}
              inputMode={hasPad ? 'none' : 'decimal'}
              enterKeyHint="done"
              autoComplete="off"
              aria-describedby={`${id}-preview ${id}-problem`}
              aria-invalid={problem === null ? undefined : true}
              readOnly={isLocked}
              data-digits={Math.min(19, written.length)}
              value={written}
              onChange={(event) => {
                const { data, inputType } = event.nativeEvent as InputEvent;
                change(event.currentTarget, data, inputType ?? '');
              }}
            />
            <span className="currency">{shop.currency}</span>
          </span>
          <span id={`${id}-preview`} className="icon-line">
            {paid !== null && paid.cents > 0 && (
              <b className="counts-as">{t.countsAs(format.money(paid.units))}</b>
            )}
            <Preview
              draft={draft}
              amount={isLocked || till.refusal === null ? previewed : null}
              waits={props.waits}
            />
          </span>
        </div>
        <p id={`${id}-problem`} role="alert" className="wrong amount-problem">
          {problem}
        </p>
        {program?.sold.length ? (
          <Overlay>
            <SoldButtons things={program.sold} draft={draft} isLocked={isLocked} onSell={till.sell} />
          </Overlay>
        ) : null}
        <Notices asked={asked?.words ?? null} sent={sent} />
        {asked?.isByHand === true ? (
          // No Enter answers it: a scanner sends one too.
          <div className="asked">
            <Button
              look="main big"
              onClick={() => {
                input.current?.focus();
                input.current?.select();
              }}
            >
              {t.changeAmount}
            </Button>
            <Button look="big" onClick={() => record('answer')}>
              {asked.answer}
            </Button>
          </div>
        ) : (
          <Button look="main big" type="submit" busy={sent?.outcome === 'sending' || isLooking}>
            {sent?.outcome === 'sending'
              ? t.recording
              : sent?.outcome === 'unknown'
                ? t.tryAgain
                : (asked?.answer ?? t.record)}{' '}
            <kbd aria-hidden="true">Enter</kbd>
          </Button>
        )}
      </div>
      {hasPad && <Pad input={input} isLocked={isLocked} onType={till.type} raw={draft.amount} />}
    </form>
  );
}

/** The notices between the amount and the button: a paused program, a question, a purchase that nobody has answered. */
function Notices({ asked, sent }: { asked: string | null; sent: Draft['sent'] }) {
  const t = useTillTexts();
  const program = useProgram();
  return (
    <>
      {program.data?.status === 'paused' && (
        <p className="strip ending">
          <Icon name="info" />
          <span>{t.paused}</span>
        </p>
      )}
      {asked !== null && (
        <p className="strip ending" role="alert">
          <Icon name="alert" />
          <span>{asked}</span>
        </p>
      )}
      {(sent?.outcome === 'unsent' || sent?.outcome === 'unknown') && (
        <p className={sent.outcome === 'unknown' ? 'strip wrong' : 'strip ending'} role="alert">
          <Icon name="offline" />
          <span>{sent.outcome === 'unknown' ? t.unknown : t.offlineUnsent}</span>
        </p>
      )}
    </>
  );
}
