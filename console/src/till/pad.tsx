import { useSyncExternalStore, type RefObject } from 'react';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { Drawn } from '../ui/icon.tsx';
import { decimalsOf, decimalOf, type Raw } from '../amount.ts';
import { BACKSPACE } from './icons.ts';
import { useTillTexts } from './texts.ts';

/** A screen that is touched and has room for keys: a tablet. A phone brings up its own. */
const TABLET = matchMedia('(pointer: coarse) and (min-width: 600px)');

export function useHasPad(): boolean {
  return useSyncExternalStore(
    (listener) => {
      TABLET.addEventListener('change', listener);
      return () => TABLET.removeEventListener('change', listener);
    },
    () => TABLET.matches,
  );
}

/** Numbers on the screen. They type into the field, which keeps the focus: a keyboard or a scanner can go on. */
export function Pad(props: {
  input: RefObject<HTMLInputElement | null>;
  raw: Raw;
  isLocked: boolean;
  onType: (raw: Raw) => void;
}) {
  const { input, raw, isLocked, onType } = props;
  const t = useTillTexts();
  const { locale } = useFormat();
  const { shop } = usePlace();
  const press = (next: Raw) => {
    if (!isLocked) onType(next);
    input.current?.focus();
  };
  const key = (sign: string, label: string, next: Raw) => (
    <button key={sign} type="button" className="pad-key" onClick={() => press(next)}>
      {label}
    </button>
  );
  const digit = (n: number) => key(String(n), String(n), raw === '0' ? String(n) : raw + n);
  return (
    // The focus stays in the field, so that no keyboard of the device comes up.
    <div className="pad" role="group" aria-label={t.pad} onPointerDown={(event) => event.preventDefault()}>
      {[1, 2, 3, 4, 5, 6, 7, 8, 9].map(digit)}
      {decimalsOf(shop.currency) > 0
        ? key('.', decimalOf(locale), raw.includes('.') ? raw : `${raw}.`)
        : key('00', '00', raw === '' ? raw : `${raw}00`)}
      {digit(0)}
      <button
        type="button"
        className="pad-key"
        aria-label={t.backspace}
        onClick={() => press(raw.slice(0, -1))}
      >
        <Drawn path={BACKSPACE} />
      </button>
    </div>
  );
}
