import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<T> {
  /** The value loaded last. It stays while it is being reloaded. */
  readonly value: T | null;
  readonly error: unknown;
  readonly busy: boolean;
  readonly reload: () => Promise<void>;
}

/** Loads on the first render and on `reload`. After an error, also when the browser is online again. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ value: T | null; error: unknown; busy: boolean }>({
    value: null,
    error: null,
    busy: true,
  });
  const latest = useRef<AbortController | null>(null);
  const current = useRef(load);
  current.current = load;
  const reload = useCallback(async () => {
    latest.current?.abort();
    const ours = new AbortController();
    latest.current = ours;
    setState((before) => ({ ...before, busy: true }));
    try {
      const value = await current.current(ours.signal);
      if (!ours.signal.aborted) setState({ value, error: null, busy: false });
    } catch (error) {
      if (!ours.signal.aborted) setState((before) => ({ ...before, error, busy: false }));
    }
  }, []);

  useEffect(() => {
    void reload();
    return () => latest.current?.abort();
  }, []);
  useEffect(() => {
    if (state.error === null) return undefined;
    const again = () => void reload();
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [state.error]);
  return { ...state, reload };
}
