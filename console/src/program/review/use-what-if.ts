import type { Program, WhatIf, WhatIfProgress, WhatIfWaiting } from '@loyalty/sdk/admin';
import { useCallback, useEffect, useState } from 'react';
import { usePlace } from '../../session.ts';
import { isSame } from '../paths.ts';
import { askWhatIf } from './ask-what-if.ts';

/** The days that are replayed. Without them, the last twelve months. */
export interface Range {
  readonly from: string | null;
  readonly to: string | null;
}

export type WhatIfState =
  | { readonly kind: 'running'; readonly progress: WhatIfProgress | WhatIfWaiting | null }
  | { readonly kind: 'done'; readonly result: WhatIf; readonly at: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The last result, so that who looks something up and comes back finds it. */
let last: {
  shopId: number;
  version: number;
  program: Program;
  range: Range;
  result: WhatIf;
  at: number;
} | null = null;

/** Runs the what-if of a program as soon as it is `isReady`, and again if something changes. Leaving the page stops it. */
export function useWhatIf(program: Program, version: number, range: Range, isReady: boolean) {
  const { api, shop } = usePlace();
  const [state, setState] = useState<WhatIfState>({ kind: 'running', progress: null });
  const [run, setRun] = useState(0);
  const [stopper, setStopper] = useState<AbortController | null>(null);
  useEffect(() => {
    if (!isReady) return undefined;
    const isKept =
      run === 0 &&
      last !== null &&
      last.shopId === shop.id &&
      last.version === version &&
      isSame(last.range, range) &&
      isSame(last.program, program);
    if (isKept) {
      setState({ kind: 'done', result: last!.result, at: last!.at });
      return undefined;
    }
    const controller = new AbortController();
    setStopper(controller);
    setState({ kind: 'running', progress: null });
    void replay(controller);
    return () => controller.abort();

    async function replay({ signal }: AbortController): Promise<void> {
      try {
        const result = await askWhatIf(
          api,
          { program, ...range },
          {
            signal,
            onProgress: (progress) => setState({ kind: 'running', progress }),
          },
        );
        last = { shopId: shop.id, version, program, range, result, at: Date.now() };
        setState({ kind: 'done', result, at: last.at });
      } catch (error) {
        if (!signal.aborted) setState({ kind: 'failed', error });
      }
    }
  }, [api, shop.id, program, version, range, isReady, run]);
  const stop = useCallback(() => {
    stopper?.abort();
    setState({ kind: 'stopped' });
  }, [stopper]);
  return { state, stop, again: () => setRun((before) => before + 1) };
}
