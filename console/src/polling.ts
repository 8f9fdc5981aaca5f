import type { Query } from '@tanstack/react-query';
import { isStatus, queries } from './api.ts';
import { createStore, useStore } from './store.ts';

/** Without a key or a touch for so long, nobody looks at the page. */
const UNATTENDED_AFTER_MS = 10 * 60_000;

const attended = createStore(true);
let timer: ReturnType<typeof setTimeout> | undefined;

function noteSomebody(): void {
  clearTimeout(timer);
  timer = setTimeout(() => attended.set(false), UNATTENDED_AFTER_MS);
  if (attended.get()) return;
  attended.set(true);
  // The page may show what was true yesterday.
  void queries.refetchQueries({ type: 'active', stale: true });
}

for (const event of ['pointerdown', 'keydown', 'focus'])
  window.addEventListener(event, noteSomebody, { capture: true, passive: true });
noteSomebody();

/**
 * Returns how often a query is read again, for `refetchInterval`. Not while nobody is there, because each call keeps the session of a person
 * alive; nor after a 401, because the question to sign in again would come back as often as it is closed.
 */
export function usePolling(everyMs: number): (query: Pick<Query, 'state'>) => number | false {
  const isAttended = useStore(attended);
  return ({ state }) => isAttended && !isStatus(state.error, 401) && everyMs;
}
