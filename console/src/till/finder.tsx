import type { Found } from '@loyalty/sdk/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  lazy,
  Suspense,
  useEffect,
  useEffectEvent,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import type { KeyboardEvent, Ref, RefObject } from 'react';
import { flushSync } from 'react-dom';
import { queries } from '../api.ts';
import { inGroups, initials, useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Drawn, Icon } from '../ui/icon.tsx';
import { sayProblem } from '../ui/states.tsx';
import { codeIn } from '../amount.ts';
import { CAMERA } from './icons.ts';
import { useTillTexts } from './texts.ts';
import { isWorthAsking, readTyped, scannedCode, type Typed } from './typed.ts';
import { useDebounced } from '../ui/use-debounced.ts';
import { useScanner } from './use-scanner.ts';

const Camera = lazy(() => import('./camera.tsx'));

export interface Picks {
  /** `amount` is what was typed while the answer was on its way. */
  member(memberId: number, name: string, text: string, amount: string): void;
  stranger(email: string, amount: string): void;
  voucher(code: number): void;
  /** Nothing is meant any more: the field was cleared. */
  none(): void;
}

/** What other parts of the till do with the field. */
export interface Finding {
  /** Looks up what was scanned or typed elsewhere. */
  lookUp(text: string): void;
  /** Goes on in the field with what somebody began to type elsewhere. */
  type(text: string): void;
}

interface Line {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly end?: string;
  readonly mark: string | null;
  readonly pick: () => void;
}

/**
 * One field for everything. Letters list the names that fit; Enter takes what a code or an address stands for. A scanner
 * types into it wherever the focus is, and the camera does the same.
 */
export function Finder(props: {
  /** What the field says: that which was found last. */
  text: string;
  onText: (text: string) => void;
  input: RefObject<HTMLInputElement | null>;
  picks: Picks;
  finding: Ref<Finding>;
  canClear: boolean;
}) {
  const { text, onText, input, picks } = props;
  const t = useTillTexts();
  const shared = useTexts();
  const format = useFormat();
  const { api, shop } = usePlace();
  const id = useId();
  /** The list is open, or an answer is waited for, only after somebody typed. */
  const [isAsking, setAsking] = useState(false);
  const [isHurried, setHurried] = useState(false);
  /** The text that was asked for by Enter or by a scan. */
  const [asked, setAsked] = useState('');
  const [at, setAt] = useState(-1);
  const [hasCamera, setCamera] = useState(false);
  /** Whoever knows the amount types it without waiting for the answer. */
  const ahead = useRef('');

  const typed = readTyped(text);
  const calm = useDebounced(text, 130);
  const isDue = isAsking && (asked === text || (calm === text && isWorthAsking(typed)));
  const found = useQuery({
    queryKey: [shop.id, 'find', typed.text],
    queryFn: ({ signal }) => api.find(typed.text, { signal, attempts: 2, timeoutMs: 6_000 }),
    enabled: isDue && typed.text !== '',
    placeholderData: keepPreviousData,
    staleTime: 2_000,
  });
  const isFresh = isDue && found.isSuccess && !found.isPlaceholderData && !found.isFetching;
  const lines =
    isAsking && found.data !== undefined && (isDue || isWorthAsking(typed)) ? linesOf(found.data) : [];
  const isEmpty = isFresh && lines.length === 0;
  // Whoever pressed Enter gets what was found, without a list that only flashes up.
  const isOpen = lines.length > 0 && !isHurried;

  const take = useEffectEvent(() => {
    setHurried(false);
    if (lines.length === 1) lines[0]!.pick();
    else if (lines.length > 1) setAt(0);
  });
  // Enter was pressed, or a code was scanned, before the answer was there. The amount has the focus before the next key:
  // what is typed in between would be lost, and 17 would become 7.
  useEffect(() => {
    if (isHurried && isFresh) queueMicrotask(() => flushSync(take));
  }, [isHurried, isFresh]);
  useEffect(() => {
    if (found.isError) setHurried(false);
  }, [found.isError]);

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
    if (found.isError) void found.refetch();
  };
  useScanner(lookUp);
  useImperativeHandle(props.finding, () => ({
    lookUp,
    type(text) {
      // The next key may come a few milliseconds later, from a scanner.
      flushSync(() => change(text));
      input.current?.focus();
      input.current?.setSelectionRange(text.length, text.length);
    },
  }));

  function change(text: string) {
    onText(text);
    setAsking(true);
    setAt(-1);
    setHurried(false);
    ahead.current = '';
  }

  function onKeyDown(event: KeyboardEvent) {
    if (isHurried && /^[\d.,]$/.test(event.key)) {
      event.preventDefault();
      ahead.current += event.key;
      return;
    }
    if (isHurried && event.key === 'Backspace' && ahead.current !== '') {
      event.preventDefault();
      ahead.current = ahead.current.slice(0, -1);
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && lines.length > 0) {
      event.preventDefault();
      setAt((at + step + lines.length) % lines.length);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      // A second scan while the first is looked up.
      if (codeIn(ahead.current) !== null) lookUp(ahead.current);
      else if (isHurried && ahead.current !== '') return;
      else if (lines[at] !== undefined && isAsking) lines[at].pick();
      else if (text.trim() !== '') lookUp(text);
    }
    if (event.key === 'Escape' && text !== '') {
      event.preventDefault();
      clear();
    }
  }

  function clear() {
    setAsking(false);
    setHurried(false);
    picks.none();
    input.current?.focus();
  }

  return (
    <div className="finding">
      <form className="finder" role="search" onSubmit={(event) => event.preventDefault()}>
        <Icon name="till" size={24} />
        <input
          ref={input}
          autoFocus
          role="combobox"
          aria-label={t.finder}
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-activedescendant={lines[at] === undefined ? undefined : `${id}-${at}`}
          aria-autocomplete="list"
          aria-describedby={`${id}-note`}
          placeholder={t.finderHint}
          enterKeyHint="search"
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          maxLength={255}
          data-long={text.length > 13 || undefined}
          value={text}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => change(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {(text !== '' || props.canClear) && (
          <button type="button" className="round" aria-label={t.nextCustomer} onClick={clear}>
            <Icon name="close" />
          </button>
        )}
        <button type="button" className="round" aria-label={t.camera} onClick={() => setCamera(true)}>
          <Drawn path={CAMERA} size={22} />
        </button>
      </form>
      {isOpen && (
        <div id={`${id}-list`} role="listbox" aria-label={t.finder} className="card finder-list">
          {lines.map((line, i) => (
            <div
              key={line.id}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === at}
              className="palette-line"
              onPointerMove={() => setAt(i)}
              onClick={() => line.pick()}
            >
              {line.mark === null ? (
                <span className="badge">
                  <Icon
                    name={line.id === 'voucher' ? 'ticket' : line.id === 'stranger' ? 'mail' : 'purchase'}
                  />
                </span>
              ) : (
                <span className="avatar little">{line.mark}</span>
              )}
              <span className="row-words">
                <span className="name clip">{line.label}</span>
                {line.hint !== '' && <span className="small clip">{line.hint}</span>}
              </span>
              {line.end !== undefined && <span className="small number">{line.end}</span>}
            </div>
          ))}
        </div>
      )}
      <p id={`${id}-note`} role="status" className={isEmpty ? 'strip ending finder-note' : 'unseen'}>
        {isEmpty && <Icon name="info" />}
        {isEmpty ? (
          <span>
            <Nothing typed={typed} />
          </span>
        ) : isFresh && lines.length > 0 ? (
          t.found(lines.length, format)
        ) : (
          ''
        )}
      </p>
      {isAsking && isHurried && found.isFetching && <p className="finder-note small">{t.finding}</p>}
      {isAsking && found.isError && !found.isFetching && (
        <p className="finder-note wrong" role="alert">
          {sayProblem(found.error, shared)}{' '}
          <button type="button" className="text-button" onClick={() => lookUp(text)}>
            {t.retry}
          </button>
        </p>
      )}
      {hasCamera && (
        <Suspense fallback={null}>
          <Camera
            onRead={(code) => {
              setCamera(false);
              lookUp(code);
            }}
            onClose={() => setCamera(false)}
            onType={() => {
              setCamera(false);
              // The dialog gives the focus back first.
              setTimeout(() => input.current?.focus());
            }}
          />
        </Suspense>
      )}
    </div>
  );

  function linesOf({ members, voucher, movement, stranger }: Found): Line[] {
    const picking = (pick: () => void) => () => {
      setAsking(false);
      setHurried(false);
      setAt(-1);
      pick();
    };
    const all: Line[] = members.map((member) => {
      const code = member.client_code === null ? null : inGroups(member.client_code);
      const name = member.username ?? member.email ?? code ?? shared.noName;
      return {
        id: `member ${member.member_id}`,
        label: name,
        hint: [
          code,
          member.state === 'member' ? member.level_name : shared.states[member.state],
          member.username === null ? null : member.email,
        ]
          .filter(Boolean)
          .join(' · '),
        end: shared.points(member.points, format),
        mark: initials(member.username),
        pick: picking(() => picks.member(member.member_id, name, code ?? name, ahead.current)),
      };
    });
    if (voucher !== null)
      all.push({
        id: 'voucher',
        label: voucher.title,
        hint: [inGroups(voucher.client_benefit_code), shared.voucherStates[voucher.state]].join(' · '),
        mark: null,
        pick: picking(() => {
          queries.setQueryData([shop.id, 'voucher', voucher.client_benefit_code], voucher);
          picks.voucher(voucher.client_benefit_code);
        }),
      });
    if (movement !== null)
      all.push({
        id: 'movement',
        label: shared.foundMovement(String(movement.id)),
        hint: '',
        mark: null,
        pick: picking(() => picks.member(movement.member_id, '', String(movement.id), ahead.current)),
      });
    if (stranger !== null)
      all.push({
        id: 'stranger',
        label: t.newEmail(stranger),
        hint: t.newEmailHint,
        mark: null,
        pick: picking(() => picks.stranger(stranger, ahead.current)),
      });
    return all;
  }
}

/** Says why nothing was found, by what was typed. */
function Nothing({ typed }: { typed: Typed }) {
  const t = useTillTexts();
  if (typed.kind === 'member' || typed.kind === 'voucher') return t.nothing[typed.kind](inGroups(typed.text));
  if (typed.kind === 'email') return t.nothing.email;
  return typed.kind === 'name' ? t.nothing.name(typed.text) : t.nothing.digits;
}
