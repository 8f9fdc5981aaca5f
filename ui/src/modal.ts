/**
 * Opens a dialog above the page. Escape and a press outside of it call `close`, which may refuse. Returns what takes the dialog
 * away: then the focus goes back to where it was.
 */
export function openModal(dialog: HTMLDialogElement, close: () => void): () => void {
  const before = document.activeElement as HTMLElement | null;
  dialog.showModal();
  let focused: HTMLElement | null = null;
  const onCancel = (event: Event) => {
    event.preventDefault();
    focused = document.activeElement as HTMLElement | null;
    close();
  };
  // Chromium closes a dialog that has refused when Escape is pressed again. It is opened anew.
  const onClose = () => {
    dialog.showModal();
    focused?.focus();
  };
  // Where the press begins counts: somebody who selects text in the dialog may let go outside of it.
  const onPointerDown = (event: Event) => {
    if (event.target === dialog) close();
  };
  dialog.addEventListener('cancel', onCancel);
  dialog.addEventListener('close', onClose);
  dialog.addEventListener('pointerdown', onPointerDown);
  return () => {
    dialog.removeEventListener('cancel', onCancel);
    dialog.removeEventListener('close', onClose);
    dialog.removeEventListener('pointerdown', onPointerDown);
    dialog.close();
    if (before?.isConnected === true) before.focus();
  };
}
