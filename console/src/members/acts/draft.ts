import { useState } from 'react';
import { usePlace } from '../../session.ts';

/** Text typed into dialogs that were closed before they were done. It is gone with the page. */
const drafts = new Map<string, unknown>();

/** A state that outlives its dialog: anyone who closes one by mistake finds everything typed again. */
export function useDraft<T extends object>(
  act: string,
  initial: () => T,
): [draft: T, change: (part: Partial<T>) => void, forget: () => void] {
  const { session, shop } = usePlace();
  const name = `${session.email} ${shop.id} ${act}`;
  const [draft, setDraft] = useState<T>(() => (drafts.get(name) as T | undefined) ?? initial());
  const change = (part: Partial<T>) => {
    setDraft((before) => {
      const next = { ...before, ...part };
      drafts.set(name, next);
      return next;
    });
  };
  return [draft, change, () => void drafts.delete(name)];
}
