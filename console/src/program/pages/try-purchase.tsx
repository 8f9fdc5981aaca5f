import type { Program } from '@loyalty/sdk/admin';
import { useContext, useState } from 'react';
import { LocaleContext } from '../../language.ts';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useEditing } from '../editing.ts';
import { readNumber, writeNumber } from '../numbers.ts';
import { useCurrencySymbol } from './currency-symbol.ts';
import { usePageTexts } from './texts.ts';
import { TriedLevels } from './tried-levels.tsx';
import { useTried } from './use-tried.ts';

/** Shows the points that a purchase would earn under the draft and earns now, on each tier, by the rule that records purchases. */
export function TryPurchase() {
  const t = usePageTexts();
  const locale = useContext(LocaleContext);
  const { program, base, isChanged } = useEditing();
  const [typed, setTyped] = useState(() => writeNumber(exampleAmount(base.program), locale));
  const amount = useDebounced(readNumber(typed, locale), 150);
  const tried = useTried(program, { amount });
  const inForce = useTried(isChanged ? base.program : null, { amount });
  return (
    <aside className="card inside form aside" aria-labelledby="try">
      <h2 id="try">{t.tryTitle}</h2>
      <AmountToTry typed={typed} onType={setTyped} />
      <div role="status">
        <TriedLevels tried={tried} before={inForce.data?.levels} />
      </div>
      {tried.data?.levels.some(({ factors }) => factors.some(({ kind }) => kind === 'double_points')) ===
        true && <p className="small">{t.tryDouble}</p>}
    </aside>
  );
}

/** The amount of a purchase that nobody made. */
export function AmountToTry({ typed, onType }: { typed: string; onType: (typed: string) => void }) {
  const t = usePageTexts();
  const { program } = useEditing();
  const symbol = useCurrencySymbol(program.currency);
  return (
    <label className="input unit-input is-figure little">
      <span aria-hidden="true">{symbol}</span>
      <span className="unseen">{t.tryAmount}</span>
      <input
        inputMode="numeric"
        autoComplete="off"
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
      />
    </label>
  );
}

/** An amount that is usual where a point costs so much, and not a round one: the rounding is to be seen. */
export function exampleAmount({ earning }: Program): number {
  return Math.max(1, Math.round(earning.money_per_point * 17.5));
}
