import type { Factor, Program, TriedPurchase } from '@loyalty/sdk/admin';
import { useContext, useState } from 'react';
import { useFormat } from '../../format.ts';
import { LocaleContext } from '../../language.ts';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useEditing } from '../editing.ts';
import { readNumber, writeNumber } from '../numbers.ts';
import { useCurrencySymbol } from './currency-symbol.ts';
import { usePageTexts } from './texts.ts';
import { useTried } from './use-tried.ts';

type Line = TriedPurchase['levels'][number];

/** Shows the points that a purchase would earn under the draft and earns now, on each tier, by the rule that records purchases. */
export function TryPurchase() {
  const t = usePageTexts();
  const f = useFormat();
  const locale = useContext(LocaleContext);
  const { program, base, isChanged } = useEditing();
  const symbol = useCurrencySymbol(program.currency);
  const [typed, setTyped] = useState(() => writeNumber(exampleAmount(base.program), locale));
  const amount = useDebounced(readNumber(typed, locale), 150);
  const proposed = useTried(program, amount);
  const inForce = useTried(isChanged ? base.program : null, amount);
  const lines = proposed.data?.levels;
  return (
    <aside className="card inside form aside" aria-labelledby="try">
      <h2 id="try">{t.tryTitle}</h2>
      <label className="input unit-input is-figure little">
        <span aria-hidden="true">{symbol}</span>
        <span className="unseen">{t.tryAmount}</span>
        <input
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <div role="status">
        {lines === undefined ? (
          <p className="small">{t.tryWaiting}</p>
        ) : (
          <ul className="tried">
            {lines.map((line, at) => (
              <li key={line.name ?? ''}>
                <span className="row-words">
                  <span className="name">{line.name ?? t.tryBase}</span>
                  <span className="small">{tellFactors(line.factors)}</span>
                </span>
                <Points line={line} before={inForce.data?.levels[at]} />
              </li>
            ))}
          </ul>
        )}
      </div>
      {lines?.some(({ factors }) => factors.some(({ kind }) => kind === 'double_points')) === true && (
        <p className="small">{t.tryDouble}</p>
      )}
    </aside>
  );

  function Points({ line, before }: { line: Line; before: Line | undefined }) {
    const now = line.points === null ? '…' : f.number(line.points);
    const isOther = before !== undefined && before.points !== line.points;
    return (
      <span className="tried-points">
        {isOther && before.points !== null && (
          <s>
            <span className="unseen">{t.tryBefore} </span>
            {f.number(before.points)}
          </s>
        )}{' '}
        <b className="gain">{now}</b>
      </span>
    );
  }
}

/** `17 ÷ 2 × 1.5 Captain`: the tier's name stands above already. */
const tellFactors = (factors: readonly Factor[]): string => factors.map(({ formula }) => formula).join(' ');

/** An amount that is usual where a point costs so much, and not a round one: the rounding is to be seen. */
function exampleAmount({ earning }: Program): number {
  return Math.max(1, Math.round(earning.money_per_point * 17.5));
}
