import { useEffect, useEffectEvent } from 'react';
import { scannedCode } from './typed.ts';

type Field = HTMLInputElement | HTMLTextAreaElement;

interface Key {
  readonly sign: string;
  readonly at: number;
  /** The field that had the focus, and what it said before the key. */
  readonly field: Field | null;
  readonly before: string;
}

/** A slow wireless scanner takes 40 ms from key to key, a fast typist 60. */
const MOST_MS_A_KEY = 45;
/** On a busy device a scanner may stumble a few times. Five slow keys could be a hand that types just before a scan. */
const MOST_STUMBLES = 4;
const MOST_PAUSE_MS = 120;

/**
 * Takes a code from a scanner that types like a keyboard and ends with Enter or Tab, wherever the focus is. The field with the focus gets
 * back the text that it had before the scan.
 */
export function useScanner(onScan: (code: string) => void): void {
  const take = useEffectEvent(onScan);
  useEffect(() => {
    let keys: Key[] = [];
    const listener = (event: KeyboardEvent) => {
      const last = keys.at(-1);
      if (last !== undefined && (event.repeat || event.timeStamp - last.at > MOST_PAUSE_MS)) keys = [];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Enter' || event.key === 'Tab') {
        const scanned = findScan(keys);
        keys = [];
        if (scanned !== null) end(event, scanned);
      } else if (event.key.length === 1) keys.push(keyOf(event));
    };
    const end = (event: KeyboardEvent, scanned: readonly Key[]) => {
      const { field, before } = scanned[0]!;
      const dialog = document.querySelector('dialog[open]');
      // A field in a dialog, such as the search, takes a scan as any text.
      if (dialog !== null && field !== null) return;
      // Enter would press the button that has the focus.
      event.preventDefault();
      event.stopPropagation();
      if (dialog !== null) return;
      if (field !== null) write(field, before);
      take(scannedCode(textOf(scanned))!);
    };
    window.addEventListener('keydown', listener, true);
    return () => window.removeEventListener('keydown', listener, true);
  }, []);
}

function keyOf({ key, timeStamp, target }: KeyboardEvent): Key {
  const field = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement ? target : null;
  return { sign: key, at: timeStamp, field, before: field?.value ?? '' };
}

/** Returns the longest run of fast keys at the end that is a code. Slower keys before it were typed by hand. */
function findScan(keys: readonly Key[]): readonly Key[] | null {
  const begins: number[] = [];
  for (let i = keys.length - 1; i >= 0 && begins.length <= MOST_STUMBLES; i--)
    if (i === 0 || keys[i]!.at - keys[i - 1]!.at > MOST_MS_A_KEY) begins.push(i);
  const runs = begins.toReversed().map((begin) => keys.slice(begin));
  return runs.find((run) => scannedCode(textOf(run)) !== null) ?? null;
}

const textOf = (keys: readonly Key[]) => keys.map(({ sign }) => sign).join('');

/** Writes into a field of React as if somebody had typed. */
function write(field: Field, text: string): void {
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
  Object.getOwnPropertyDescriptor(prototype.prototype, 'value')!.set!.call(field, text);
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
