import { ConnectionError } from '@loyalty/sdk';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<T> {
  /** The value loaded last. It stays while it is being reloaded. */
  readonly value: T | null;
  readonly error: unknown;
  readonly busy: boolean;
  /** Loads again, for example after an act of the member. */
  readonly reload: () => Promise<void>;
  /** When the value was last known to be true, by the commerce's clock if `now` is. */
  readonly asOf: Date | null;
  /** True if the service did not answer the last question, so the value may have changed since `asOf`. */
  readonly isStale: boolean;
}

export interface LoadOptions<T> {
  /** The time for `asOf`. */
  readonly now?: () => Date;
  /** Asks whether the value has changed, in fewer requests than loading it takes. */
  readonly hasChanged?: (value: T, signal: AbortSignal) => Promise<boolean>;
  /** Asks this often while the page is visible. Without it, only when the member comes back to the page. */
  readonly everyMs?: number;
  /** Returns a value to show if the service does not answer. */
  readonly kept?: () => { readonly value: T; readonly asOf: Date } | null;
  /** Each change of it asks again, such as another view. */
  readonly on?: unknown;
}

/** The value that the device has kept is shown after this time. The service may still answer. */
const PATIENCE_MS = 1_500;
/** Nothing is asked again within this time, except after an act: two events may announce the same return to the page. */
const PAUSE_MS = 1_000;
/** After this time a value is loaded as a whole, because `hasChanged` sees only the most important changes. */
const WHOLE_MS = 60_000;
/** The longest pause while the service does not answer, and while nobody has touched the page for a while. */
const SLOW_MS = 30_000;
const IDLE_MS = 10 * 60_000;

/**
 * Loads on the first render and on `reload`, and keeps the value true: it asks again when the member comes back to the
 * page, when the browser is online again, when `on` changes and, if wanted, every few seconds.
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  options: LoadOptions<T> = {},
): Loaded<T> {
  const question = useQuestion(load, options);
  const { ask, askAgain, times } = question;
  useBrowser(question);
  const isFirst = useRef(true);
  useEffect(() => {
    // While the service does not answer, only the pauses between two questions count.
    if (!isFirst.current && times.current.failures === 0) askAgain();
    isFirst.current = false;
  }, [options.on]);
  useTimer(question, options.everyMs);
  const reload = useCallback(() => ask(true), []);
  return { ...question.state, reload };
}

/** The question to the service: its last answer, and the functions that ask it. They stay the same in every render. */
type Question = ReturnType<typeof useQuestion>;

function useQuestion<T>(load: (signal: AbortSignal) => Promise<T>, options: LoadOptions<T>) {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({
    value: null,
    error: null,
    busy: true,
    asOf: null,
    isStale: false,
  });
  const latest = useRef<{ controller: AbortController; isWhole: boolean } | null>(null);
  const isWanted = useRef(false);
  const times = useRef({
    loadedAt: -Infinity,
    askedAt: -Infinity,
    touchedAt: performance.now(),
    failures: 0,
  });
  const current = useRef({ load, options, state });
  current.current = { load, options, state };

  const showKept = useCallback(() => {
    const kept = current.current.options.kept?.();
    if (kept) setState((before) => (before.value === null ? { ...before, ...kept, isStale: true } : before));
  }, []);

  const ask = useCallback(async (whole: boolean) => {
    const { load, options, state } = current.current;
    const at = performance.now();
    const now = options.now ?? (() => new Date());
    latest.current?.controller.abort();
    const ours = new AbortController();
    latest.current = { controller: ours, isWhole: whole };
    times.current.askedAt = at;
    isWanted.current = false;
    const { hasChanged } = options;
    try {
      // After a failure, one small question shows whether it makes sense to ask the others.
      const isSmall = hasChanged !== undefined && (!whole || times.current.failures > 0);
      const isChanged = !isSmall || state.value === null || (await hasChanged(state.value, ours.signal));
      if (!isChanged && !whole) {
        if (ours.signal.aborted) return;
        setState((before) => ({ ...before, error: null, busy: false, asOf: now(), isStale: false }));
      } else {
        if (ours.signal.aborted) return;
        setState((before) => ({ ...before, busy: true }));
        const value = await load(ours.signal);
        if (ours.signal.aborted) return;
        setState({ value, error: null, busy: false, asOf: now(), isStale: false });
        times.current.loadedAt = at;
      }
      times.current.failures = 0;
    } catch (error) {
      if (ours.signal.aborted) return;
      // The other requests would only be tried again.
      ours.abort();
      times.current.failures += 1;
      showKept();
      setState((before) => ({ ...before, error, busy: false, isStale: true }));
    } finally {
      if (latest.current?.controller === ours) latest.current = null;
    }
  }, []);
  /** Without a network there is nothing to ask, and only `online` changes that. */
  const giveUp = useCallback(() => {
    showKept();
    const error = new ConnectionError(new Error('the browser is offline'));
    setState((before) => ({ ...before, error, busy: false, isStale: true }));
  }, []);

  const askAgain = useCallback((): void => {
    const { options } = current.current;
    const { loadedAt, askedAt } = times.current;
    const at = performance.now();
    if (document.hidden || !navigator.onLine) return;
    if (latest.current !== null || at - askedAt < PAUSE_MS) isWanted.current = true;
    else void ask(options.hasChanged === undefined || at - loadedAt > WHOLE_MS);
  }, []);
  /** The member is back, so a request that has been waiting since before is not waited for. */
  const comeBack = useCallback((): void => {
    if (latest.current === null) return askAgain();
    if (document.hidden || performance.now() - times.current.askedAt < PAUSE_MS) return;
    void ask(latest.current.isWhole);
  }, []);

  /** True if the last answer is not known to be true: there is none, or the service did not answer. */
  const isInDoubt = useCallback(
    () => current.current.state.error !== null || current.current.options.hasChanged === undefined,
    [],
  );
  return { state, latest, isWanted, times, ask, askAgain, comeBack, giveUp, showKept, isInDoubt };
}

/** Asks at first, and whenever the browser says that the member is back, or the network. */
function useBrowser({ latest, times, ask, comeBack, giveUp, showKept, isInDoubt }: Question): void {
  useEffect(() => {
    if (navigator.onLine) void ask(true);
    else giveUp();
    const patience = setTimeout(showKept, navigator.onLine ? PATIENCE_MS : 0);
    const listeners = new AbortController();
    const on = (target: EventTarget, names: readonly string[], listener: () => void) => {
      for (const name of names) target.addEventListener(name, listener, { signal: listeners.signal });
    };
    on(window, ['online'], () => {
      if (latest.current !== null) comeBack();
      else void ask(isInDoubt());
    });
    on(window, ['offline'], () => {
      latest.current?.controller.abort();
      giveUp();
    });
    on(window, ['focus', 'pageshow'], comeBack);
    on(document, ['visibilitychange'], comeBack);
    on(window, TOUCHES, () => void (times.current.touchedAt = performance.now()));
    return () => {
      clearTimeout(patience);
      latest.current?.controller.abort();
      listeners.abort();
    };
  }, []);
}

const TOUCHES = ['pointerdown', 'keydown', 'focus', 'pageshow'];

/** Asks every few seconds, less often while the service does not answer or nobody touches the page. */
function useTimer({ isWanted, times, askAgain }: Question, everyMs: number | undefined): void {
  useEffect(() => {
    if (everyMs === undefined) {
      const timer = setInterval(() => isWanted.current && askAgain(), PAUSE_MS);
      return () => clearInterval(timer);
    }
    const timer = setInterval(() => {
      const { askedAt, touchedAt, failures } = times.current;
      const at = performance.now();
      const pause = at - touchedAt > IDLE_MS ? SLOW_MS : Math.min(SLOW_MS, everyMs * 2 ** failures);
      // Timers are not exact, so a little less than the pause is enough.
      if (at - askedAt > pause - everyMs / 4) askAgain();
    }, everyMs / 2);
    return () => clearInterval(timer);
  }, [everyMs]);
}
