import { useEffect, useEffectEvent } from 'react';
import { singleKeys } from './single-keys.ts';

/** `/` and Ctrl-K search, `?` shows the keys. Single keys are left alone where somebody types, and in dialogs. */
export function useShortcuts(shortcuts: { onSearch(): void; onHelp(): void }): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (document.querySelector('dialog[open]') !== null) return;
    const isTyping =
      (event.target as Element | null)?.closest('input, textarea, select, [contenteditable]') != null;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      shortcuts.onSearch();
    }
    if (!singleKeys.get() || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') {
      event.preventDefault();
      shortcuts.onSearch();
    }
    if (event.key === '?') shortcuts.onHelp();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}
