import { useEffect, useEffectEvent } from 'react';
import { readTyped } from './typed.ts';

/** Keys that came so fast that no hand typed them. */
interface Burst {
  text: string;
  readonly firstAt: number;
  lastAt: number;
  /** The field that had the focus, and what it said before. */
  readonly field: HTMLInputElement | HTMLTextAreaElement | null;
  readonly before: string;
}

/** A slow wireless scanner takes 40 ms from key to key, a fast typist 70. */
const MOST_MS_A_KEY = 45;
/** A longer pause ends a burst. A scanner may stumble once, for example on a busy device. */
const MOST_PAUSE_MS = 120;

/**
 * Takes a code from a scanner that types like a keyboard and ends with Enter or Tab, wherever the focus is. What the field
 * with the focus said before the scan, it says again afterwards.
 */
export function useScanner(onScan: (code: string) => void): void {
  const take = useEffectEvent(onScan);
  useEffect(() => {
    let burst: Burst | null = null;
    const listener = (event: KeyboardEvent) => {
      if (burst !== null && (event.repeat || event.timeStamp - burst.lastAt > MOST_PAUSE_MS)) burst = null;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Enter' || event.key === 'Tab') {
        const scanned = burst;
        burst = null;
        if (scanned !== null && isScan(scanned)) end(event, scanned);
      } else if (event.key.length === 1) {
        burst ??= startBurst(event);
        burst.text += event.key;
        burst.lastAt = event.timeStamp;
      }
    };
    const end = (event: KeyboardEvent, { text, field, before }: Burst) => {
      const dialog = document.querySelector('dialog[open]');
      // A field in a dialog, such as the search, takes a scan as any text.
      if (dialog !== null && field !== null) return;
      // Enter would press the button that has the focus.
      event.preventDefault();
      event.stopPropagation();
      if (dialog !== null) return;
      if (field !== null) write(field, before);
      take(text);
    };
    window.addEventListener('keydown', listener, true);
    return () => window.removeEventListener('keydown', listener, true);
  }, []);
}

function startBurst({ target, timeStamp }: KeyboardEvent): Burst {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  return {
    text: '',
    firstAt: timeStamp,
    lastAt: timeStamp,
    field: isField ? target : null,
    before: isField ? target.value : '',
  };
}

function isScan({ text, firstAt, lastAt }: Burst): boolean {
  const { kind } = readTyped(text);
  return (kind === 'member' || kind === 'voucher') && lastAt - firstAt <= MOST_MS_A_KEY * (text.length - 1);
}

/** Writes into a field of React as if somebody had typed. */
function write(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
  Object.getOwnPropertyDescriptor(prototype.prototype, 'value')!.set!.call(field, text);
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
