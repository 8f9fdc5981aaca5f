import type { StaffProgram } from '@loyalty/sdk/admin';
import { useId } from 'react';
import type { Draft } from './drafts.ts';
import type { Sold } from './sold-lines.ts';
import { useSoldTexts } from './sold-texts.ts';
import './sold-buttons.css';

type Thing = StaffProgram['sold'][number];

/** What of the purchase was sold, of the products and categories that rules name. One press means all of it; an amount, so much. */
export default function SoldButtons(props: {
  things: readonly Thing[];
  draft: Draft;
  isLocked: boolean;
  onSell: (sold: readonly Sold[]) => void;
}) {
  const { things, draft, isLocked, onSell } = props;
  const t = useSoldTexts();
  const id = useId();
  const { sold = [] } = draft;
  /** The first without an amount takes what the others leave. */
  const rest = sold.findIndex(({ amount }) => amount === null);
  const placeOf = (thing: Thing) => sold.findIndex((one) => isOf(one, thing));
  const press = (thing: Thing) => {
    const place = placeOf(thing);
    onSell(place === -1 ? [...sold, lineOf(thing)] : sold.toSpliced(place, 1));
  };
  return (
    <fieldset className="sold" disabled={isLocked}>
      <legend className="label">{t.sold}</legend>
      <div className="sold-things">
        {things.map((thing) => (
          <button
            key={`${thing.kind} ${thing.name}`}
            type="button"
            className="sold-thing"
            aria-pressed={placeOf(thing) !== -1}
            onClick={({ currentTarget }) => {
              press(thing);
              // Enter records: the amount is the first field of the form.
              currentTarget.form?.querySelector('input')?.focus();
            }}
          >
            {thing.name}
          </button>
        ))}
      </div>
      {sold.map((one, place) => (
        <p key={nameOf(one)} className="sold-part">
          <label htmlFor={`${id}-${place}`}>{t.partOf(nameOf(one))}</label>
          <input
            id={`${id}-${place}`}
            className="input"
            inputMode="numeric"
            autoComplete="off"
            placeholder={place === rest ? t.rest : '0'}
            value={one.amount ?? ''}
            onChange={({ currentTarget: { value } }) =>
              onSell(sold.with(place, { ...one, amount: readWhole(value) }))
            }
          />
        </p>
      ))}
    </fieldset>
  );
}

const lineOf = ({ kind, name }: Thing): Sold =>
  kind === 'product' ? { product: name, amount: null } : { categories: [name], amount: null };

const isOf = (sold: Sold, { kind, name }: Thing): boolean =>
  kind === 'product' ? sold.product === name : sold.categories?.[0] === name;

const nameOf = ({ product, categories }: Sold): string => product ?? categories?.[0] ?? '';

/** Null for nothing, and for what is no whole number. */
function readWhole(text: string): number | null {
  const digits = text.replaceAll(/\D/g, '').slice(0, 12);
  return digits === '' ? null : Number(digits);
}
