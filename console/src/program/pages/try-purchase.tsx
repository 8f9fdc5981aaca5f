import type { Factor, Program, TriedPurchase } from '@loyalty/sdk/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { useFormat } from '../../format.ts';
import { LocaleContext } from '../../language.ts';
import { usePlace } from '../../session.ts';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useEditing } from '../editing.ts';
import { readNumber, writeNumber } from '../numbers.ts';
import { useCurrencySymbol } from './currency-symbol.ts';
import { usePageTexts } from './texts.ts';

/** What a purchase would earn under the draft and what it earns now, on each tier, by the rule that records purchases. */
export function TryPurchase() {
  const t = usePageTexts();
  const f = useFormat();
  const locale = useContext(LocaleContext);
  const { program, base, isChanged, check, isChecking } = useEditing();
  const symbol = useCurrencySymbol(program.currency);
  const [typed, setTyped] = useState(() => writeNumber(exampleAmount(base.program), locale));
  const amount = useDebounced(readNumber(typed, locale), 150);
  const isRight = !isChanged || (check?.problems.length === 0 && !isChecking);
  const proposed = useTried(program, amount, isRight);
  const inForce = useTried(base.program, amount, isChanged);
  const lines = isRight || proposed.isPlaceholderData ? proposed.data : undefined;
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
              <li key={line.level_name ?? ''}>
                <span className="row-words">
                  <span className="name">{line.level_name ?? t.tryBase}</span>
                  <span className="small">{tellFactors(line.factors)}</span>
                </span>
                <Points line={line} before={inForce.data?.[at]} />
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

  function Points({ line, before }: { line: TriedPurchase; before: TriedPurchase | undefined }) {
    const now = line.points === null ? '…' : f.number(line.points);
    const isOther = before?.level_name === line.level_name && before.points !== line.points;
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

function useTried(program: Program, amount: number | null, isEnabled: boolean) {
  const { api, shop } = usePlace();
  const isWhole = amount !== null && Number.isInteger(amount) && amount >= 1 && amount <= 1e12;
  return useQuery({
    queryKey: [shop.id, 'program-try', program, amount],
    queryFn: ({ signal }) => api.tryPurchase({ program, amount: amount! }, { signal, attempts: 1 }),
    enabled: isEnabled && isWhole,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

/** `17 ÷ 2 × 1.5 Captain`: the tier's name stands above already. */
const tellFactors = (factors: readonly Factor[]): string => factors.map(({ formula }) => formula).join(' ');

/** An amount that is usual where a point costs so much, and not a round one: the rounding is to be seen. */
function exampleAmount({ earning }: Program): number {
  return Math.max(1, Math.round(earning.money_per_point * 17.5));
}
