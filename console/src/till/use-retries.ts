import { useEffect, useEffectEvent } from 'react';
import type { Draft } from './drafts.ts';

const RETRY_EVERY_MS = 4_000;

/** Sends again what is not known, when the network is back and every few seconds. */
export function useRetries(drafts: readonly Draft[], retry: (draft: Draft) => void): void {
  const waiting = drafts.filter(({ sent }) => sent !== null && sent.outcome !== 'sending');
  const retryAll = useEffectEvent(() => {
    if (navigator.onLine) waiting.forEach(retry);
  });
  const isWaiting = waiting.length > 0;
  useEffect(() => {
    if (!isWaiting) return undefined;
    const listener = () => retryAll();
    window.addEventListener('online', listener);
    const timer = setInterval(listener, RETRY_EVERY_MS);
    return () => {
      window.removeEventListener('online', listener);
      clearInterval(timer);
    };
  }, [isWaiting]);
}
