import { inGroups } from '@loyalty/ui/format.ts';
import { lazy, Suspense, useId, useState } from 'react';
import { useFormat } from '../format.ts';
import { useTexts } from '../texts/texts.ts';
import { Drawn, Icon } from '../ui/icon.tsx';
import { sayProblem } from '../ui/states.tsx';
import { FinderList } from './finder-list.tsx';
import { CAMERA } from './icons.ts';
import { useTillTexts } from './texts.ts';
import { readTyped } from './typed.ts';
import { useFinder, type FinderProps } from './use-finder.ts';

const Camera = lazy(() => import('./camera.tsx'));

/**
 * One field for everything. Letters list the names that fit; Enter takes what a code or an address stands for. A scanner
 * types into it wherever the focus is, and the camera does the same.
 */
export function Finder(props: FinderProps) {
  const { text, input } = props;
  const t = useTillTexts();
  const id = useId();
  const finder = useFinder(props);
  const { at, change, clear, lines, lookUp, onKeyDown } = finder;
  const [hasCamera, setCamera] = useState(false);
  // Anyone who pressed Enter gets the match, without a list that only flashes up.
  const isOpen = lines.length > 0 && !finder.isHurried;

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
        <FinderList
          id={id}
          label={t.finder}
          lines={lines}
          at={at}
          onPoint={finder.setAt}
          onPick={finder.pick}
        />
      )}
      <FinderNotes id={`${id}-note`} text={text} finder={finder} />
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
}

/** The note below the field: how many were found, that nothing was, or why nobody knows. */
function FinderNotes(props: { id: string; text: string; finder: ReturnType<typeof useFinder> }) {
  const { answer, isAsking, isFresh, isHurried, lines, lookUp } = props.finder;
  const t = useTillTexts();
  const shared = useTexts();
  const format = useFormat();
  const isEmpty = isFresh && lines.length === 0;
  return (
    <>
      <p id={props.id} role="status" className={isEmpty ? 'strip ending finder-note' : 'unseen'}>
        {isEmpty && <Icon name="info" />}
        {isEmpty ? (
          <span>
            <Nothing text={props.text} />
          </span>
        ) : isFresh && lines.length > 0 ? (
          t.found(lines.length, format)
        ) : (
          ''
        )}
      </p>
      {isAsking && isHurried && answer.isFetching && <p className="finder-note small">{t.finding}</p>}
      {isAsking && answer.isError && !answer.isFetching && (
        <p className="finder-note wrong" role="alert">
          {sayProblem(answer.error, shared)}{' '}
          <button type="button" className="text-button" onClick={() => lookUp(props.text)}>
            {t.retry}
          </button>
        </p>
      )}
    </>
  );
}

/** Says why nothing was found, by what was typed. */
function Nothing({ text }: { text: string }) {
  const t = useTillTexts();
  const typed = readTyped(text);
  if (typed.kind === 'member' || typed.kind === 'voucher') return t.nothing[typed.kind](inGroups(typed.text));
  if (typed.kind === 'email') return t.nothing.email;
  return typed.kind === 'name' ? t.nothing.name(typed.text) : t.nothing.digits;
}
