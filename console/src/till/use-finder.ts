import { useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from 'react';
import type { KeyboardEvent, Ref, RefObject } from 'react';
import { flushSync } from 'react-dom';
import { codeIn } from '../amount.ts';
import { queries } from '../api.ts';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { linesOf, type Line } from './finder-lines.ts';
import { useTillTexts } from './texts.ts';
import { scannedCode } from './typed.ts';
import { useFound } from './use-found.ts';
import { useScanner } from './use-scanner.ts';

export interface Picks {
  /** `amount` is what was typed while the answer was on its way. */
  member(memberId: number, name: string, text: string, amount: string): void;
  stranger(email: string, amount: string): void;
  voucher(code: number): void;
  /** Nothing fits what was scanned or entered. It stays in the field. */
  nothing(): void;
  /** The field was cleared. */
  none(): void;
}

/** The actions on the field for other parts of the till. */
export interface Finding {
  /** Looks up what was scanned or typed elsewhere. */
  lookUp(text: string): void;
  /** Goes on in the field with what somebody began to type elsewhere. */
  type(text: string): void;
}

export interface FinderProps {
  /** The text in the field: the last match. */
  text: string;
  onText: (text: string) => void;
  input: RefObject<HTMLInputElement | null>;
  picks: Picks;
  finding: Ref<Finding>;
  canClear: boolean;
}

/** The state and actions of the till's field: the text asked for, the lines that fit, and the keys. */
export function useFinder({ text, onText, input, picks, finding }: FinderProps) {
  const words = { shared: useTexts(), till: useTillTexts(), format: useFormat() };
  const { shop } = usePlace();
  /** The list is open, or an answer is waited for, only after somebody typed. */
  const [isAsking, setAsking] = useState(false);
  const [isHurried, setHurried] = useState(false);
  /** The text that was asked for by Enter or by a scan. */
  const [asked, setAsked] = useState('');
  const [at, setAt] = useState(-1);
  /** A cashier who knows the amount types it without waiting for the answer. */
  const ahead = useRef('');

  const { answer, shown, isFresh } = useFound(text, isAsking, asked);
  const lines = shown === null ? [] : linesOf(shown, words);

  const pick = ({ stands }: Line) => {
    setAsking(false);
    setHurried(false);
    setAt(-1);
    if (stands.for === 'member') picks.member(stands.memberId, stands.name, stands.text, ahead.current);
    else if (stands.for === 'stranger') picks.stranger(stands.email, ahead.current);
    else {
      const code = stands.voucher.client_benefit_code;
      queries.setQueryData([shop.id, 'voucher', code], stands.voucher);
      picks.voucher(code);
    }
  };

  const take = useEffectEvent(() => {
    setHurried(false);
    if (lines.length === 1) pick(lines[0]!);
    else if (lines.length > 1) setAt(0);
    else picks.nothing();
  });
  // Enter was pressed, or a code was scanned, before the answer was there. The amount has the focus before the next key:
  // what is typed in between would be lost, and 17 would become 7.
  useEffect(() => {
    if (isHurried && isFresh) queueMicrotask(() => flushSync(take));
  }, [isHurried, isFresh]);
  const hasFailed = answer.isError && !answer.isFetching;
  useEffect(() => {
    if (hasFailed) setHurried(false);
  }, [hasFailed]);

  const lookUp = (text: string) => {
    const sought = scannedCode(text) ?? text;
    ahead.current = '';
    // From here on, keys belong to whoever was looked up. In the amount they would be the last customer's.
    input.current?.focus();
    onText(sought);
    setAsked(sought);
    setAsking(true);
    setAt(-1);
    setHurried(true);
    // The answer may be an old one: points and codes change all day.
    if (answer.isError) void answer.refetch();
  };
  const change = (text: string) => {
    onText(text);
    setAsking(true);
    setAt(-1);
    setHurried(false);
    ahead.current = '';
  };
  const clear = () => {
    setAsking(false);
    setHurried(false);
    picks.none();
    input.current?.focus();
  };
  useScanner(lookUp);
  useImperativeHandle(finding, () => ({
    lookUp,
    type(text) {
      // The next key may come a few milliseconds later, from a scanner.
      flushSync(() => change(text));
      input.current?.focus();
      input.current?.setSelectionRange(text.length, text.length);
    },
  }));

  /** Keeps a key that was meant for the amount. Returns whether it did. */
  const keepAhead = (key: string): boolean => {
    if (!isHurried) return false;
    if (/^[\d.,]$/.test(key)) ahead.current += key;
    else if (key === 'Backspace' && ahead.current !== '') ahead.current = ahead.current.slice(0, -1);
    else return false;
    return true;
  };
  const enter = () => {
    // A second scan while the first is looked up.
    if (codeIn(ahead.current) !== null) lookUp(ahead.current);
    else if (isHurried && ahead.current !== '') return;
    else if (lines[at] !== undefined && isAsking) pick(lines[at]);
    else if (text.trim() !== '') lookUp(text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (keepAhead(event.key)) event.preventDefault();
    else if (step !== undefined && lines.length > 0) {
      event.preventDefault();
      setAt((at + step + lines.length) % lines.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      enter();
    } else if (event.key === 'Escape' && text !== '') {
      event.preventDefault();
      clear();
    }
  };

  return { answer, at, change, clear, isAsking, isFresh, isHurried, lines, lookUp, onKeyDown, pick, setAt };
}
