import { ApiError, type PurchaseLine } from '@loyalty/sdk/admin';
import { useContext, useState } from 'react';
import { useFormat } from '../../format.ts';
import { LocaleContext } from '../../language.ts';
import { useNow } from '../../session.ts';
import { Choice, Field } from '../../ui/field.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useEditing } from '../editing.ts';
import { readNumber, writeNumber } from '../numbers.ts';
import { AmountToTry, exampleAmount } from '../pages/try-purchase.tsx';
import { TriedLevels } from '../pages/tried-levels.tsx';
import { useTried, type Purchase } from '../pages/use-tried.ts';
import { addDays, instantOf, localTimeOf } from '../zone.ts';
import { useRuleTexts } from './texts.ts';

/** What a purchase would earn on one of the next seven days, of one kind of thing, for anybody or for one member. */
export function TryRules() {
  const t = useRuleTexts();
  const locale = useContext(LocaleContext);
  const { program, base, isChanged } = useEditing();
  const { time_zone: zone } = program;
  const now = useNow();
  const today = localTimeOf(now, zone).slice(0, 10);
  const [typed, setTyped] = useState(() => writeNumber(exampleAmount(base.program), locale));
  const [sold, setSold] = useState('');
  const [time, setTime] = useState('09:00');
  const [card, setCard] = useState('');
  /** How many days from today. */
  const [day, setDay] = useState(0);
  const amount = useDebounced(readNumber(typed, locale), 150);
  const code = useDebounced(readCard(card), 150);
  const instantAfter = (days: number) => instantOf(`${addDays(today, days)}T${time}`, zone);
  const purchase: Purchase = {
    amount,
    lines: linesOf(sold, amount),
    client_code: code,
    at: instantAfter(0),
  };
  const week = useTried(program, purchase);
  const at = { ...purchase, at: instantAfter(day) };
  const proposed = useTried(program, at);
  const inForce = useTried(isChanged ? base.program : null, at);
  const isUnknown = proposed.error instanceof ApiError && [403, 404].includes(proposed.error.status);
  return (
    <aside className="card inside form aside" aria-labelledby="try">
      <h2 id="try">{t.tryTitle}</h2>
      <AmountToTry typed={typed} onType={setTyped} />
      <Choice
        label={t.trySold}
        value={sold}
        options={[['', t.tryAnything], ...thingsIn(program)]}
        onChange={(event) => setSold(event.currentTarget.value)}
      />
      <div className="field-pair">
        <Field
          type="time"
          label={t.tryTime}
          value={time}
          onChange={(event) => setTime(event.currentTarget.value || '09:00')}
        />
        <Field
          label={t.tryCard}
          placeholder={t.tryAnybody}
          inputMode="numeric"
          autoComplete="off"
          maxLength={15}
          problem={isUnknown ? t.tryUnknown : null}
          value={card}
          onChange={(event) => setCard(event.currentTarget.value)}
        />
      </div>
      <Week days={week.data?.days ?? []} zone={zone} chosen={day} onPick={setDay} />
      <div role="status">{!isUnknown && <TriedLevels tried={proposed} before={inForce.data?.levels} />}</div>
    </aside>
  );
}

/** The points of the same purchase on each of seven days, for somebody on the lowest tier or for the member. */
function Week(props: {
  days: readonly { readonly at: string; readonly points: readonly (number | null)[] }[];
  zone: string;
  chosen: number;
  onPick: (day: number) => void;
}) {
  const t = useRuleTexts();
  const f = useFormat();
  const weekday = new Intl.DateTimeFormat(f.locale, { weekday: 'short', timeZone: props.zone });
  const least = Math.min(...props.days.map(({ points }) => points[0] ?? 0));
  return (
    <fieldset className="week">
      <legend className="unseen">{t.tryDay}</legend>
      {props.days.map(({ at, points: [points = null] }, index) => (
        <label key={at} className={index === props.chosen ? 'is-on' : undefined}>
          <input
            type="radio"
            name="try-day"
            className="unseen"
            aria-label={`${f.day(at)}: ${points === null ? '…' : f.number(points)}`}
            checked={index === props.chosen}
            onChange={() => props.onPick(index)}
          />
          <span className="small">{weekday.format(new Date(at))}</span>
          <b className={points !== null && points > least ? 'gain' : undefined}>
            {points === null ? '…' : f.number(points)}
          </b>
        </label>
      ))}
    </fieldset>
  );
}

/** The products and categories that the rules name, as values that tell the two apart. */
function thingsIn({ earning }: { earning: Parameters<typeof exampleAmount>[0]['earning'] }) {
  const named = [...earning.rules.map(({ when }) => when), earning.exclude];
  const words = (name: 'products' | 'categories') =>
    [...new Set(named.flatMap((one) => one[name]))].map((word) => [`${name}/${word}`, word] as const);
  return [...words('categories'), ...words('products')];
}

function linesOf(sold: string, amount: number | null): PurchaseLine[] | null {
  if (sold === '' || amount === null) return null;
  const [kind, word] = [sold.slice(0, sold.indexOf('/')), sold.slice(sold.indexOf('/') + 1)];
  return [{ id: '1', amount, ...(kind === 'products' ? { product: word } : { categories: [word] }) }];
}

/** Spaces between the digits of a card do not matter. */
function readCard(text: string): number | null {
  const digits = text.replaceAll(/\D/g, '');
  return digits.length === 9 ? Number(digits) : null;
}
