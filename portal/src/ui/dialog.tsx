import { openModal } from '@loyalty/ui/modal.ts';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useClub } from '../club.ts';
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
  const close = () => props.locked || props.onClose();
  const latest = useRef(close);
  latest.current = close;
  useLayoutEffect(() => openModal(box.current!, () => latest.current()), []);

  return (
    <dialog ref={box} aria-labelledby={title}>
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
