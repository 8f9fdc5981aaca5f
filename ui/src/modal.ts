/**
 * Opens a dialog above the page. Escape and a press outside of it call `close`. Returns what takes the dialog away: then the
 * focus goes back to where it was.
 */
export function openModal(dialog: HTMLDialogElement, close: () => void): () => void {
  const before = document.activeElement as HTMLElement | null;
  dialog.showModal();
  const onCancel = (event: Event) => {
    event.preventDefault();
    close();
  };
  // Where the press begins counts: somebody who selects text in the dialog may let go outside of it.
  const onPointerDown = (event: Event) => {
    if (event.target === dialog) close();
  };
  dialog.addEventListener('cancel', onCancel);
  dialog.addEventListener('pointerdown', onPointerDown);
  return () => {
    dialog.removeEventListener('cancel', onCancel);
    dialog.removeEventListener('pointerdown', onPointerDown);
    dialog.close();
    if (before?.isConnected === true) before.focus();
  };
}
