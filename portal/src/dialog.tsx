import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useClub } from './club.ts';
import { Icon } from './icon.tsx';

/** A modal dialog: it holds the keyboard focus until it is closed. It cannot be closed while it is `locked`. */
export function Dialog(props: {
  title: string;
  locked?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const { t } = useClub();
  const box = useRef<HTMLDialogElement>(null);
  const title = useId();
  useLayoutEffect(() => {
    const dialog = box.current;
    const before = document.activeElement as HTMLElement | null;
    dialog?.showModal();
    return () => {
      dialog?.close();
      before?.focus();
    };
  }, []);

  const close = () => props.locked || props.onClose();
  return (
    <dialog
      ref={box}
      aria-labelledby={title}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === box.current && close()}
    >
      <div class="dialog-inside">
        <header>
          <h2 id={title}>{props.title}</h2>
          <button type="button" class="plain close" aria-label={t.close} onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  );
}
