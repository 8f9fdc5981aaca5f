import { openModal } from '@loyalty/ui/modal.ts';
import { useEffectEvent, useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Icon } from './icon.tsx';

/**
 * A modal dialog: a sheet from below on a phone, in the middle on anything wider. It holds the keyboard focus until it is
 * closed, and then gives it back. It cannot be closed while it is `locked`.
 */
export function Dialog(props: {
  title: string;
  locked?: boolean;
  /** Hides the title and the cross, for a dialog that is one input. */
  bare?: boolean;
  wide?: boolean;
  /** Has no cross: only a button inside closes it. */
  hasNoCross?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const t = useTexts();
  const box = useRef<HTMLDialogElement>(null);
  const title = useId();
  const close = useEffectEvent(() => {
    if (props.locked !== true) props.onClose();
  });
  useLayoutEffect(() => {
    const dialog = box.current!;
    const takeAway = openModal(dialog, () => close());
    // The browser would begin at the cross.
    dialog.querySelector<HTMLElement>('input:not([type=radio], [type=checkbox]), select, textarea')?.focus();
    return takeAway;
  }, []);

  return (
    <dialog ref={box} aria-labelledby={title} className={props.wide === true ? 'wide' : undefined}>
      <div className={props.bare === true ? 'dialog-bare' : 'dialog-inside'}>
        <header className={props.bare === true ? 'unseen' : undefined}>
          <h2 id={title}>{props.title}</h2>
          {props.bare !== true && props.hasNoCross !== true && (
            <button
              type="button"
              className="round"
              aria-label={t.close}
              aria-disabled={props.locked || undefined}
              onClick={() => props.locked !== true && props.onClose()}
            >
              <Icon name="close" />
            </button>
          )}
        </header>
        {props.children}
      </div>
    </dialog>
  );
}
