import type { Program, WhatIf, WhatIfProgress, WhatIfWaiting } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../../api.ts';
import { usePlace } from '../../session.ts';
import { askWhatIf } from './ask-what-if.ts';

/** The days that are replayed. Without them, the last twelve months. */
export interface Range {
  readonly from: string | null;
  readonly to: string | null;
}

type Progress = WhatIfProgress | WhatIfWaiting | null;

export type WhatIfState =
  | { readonly kind: 'running'; readonly progress: Progress }
  | { readonly kind: 'done'; readonly result: WhatIf; readonly at: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Runs the what-if of a program as soon as it is `isReady`, and another one if something changes. Leaving the page stops it; who looks
 * something up and comes back finds the result.
 */
export function useWhatIf(program: Program, version: number, range: Range, isReady: boolean) {
  const { api, shop } = usePlace();
  const [progress, setProgress] = useState<Progress>(null);
  // Beside what belongs to the shop: a purchase or a move of the clock does not run it again.
  const queryKey = ['what-if', shop.id, version, range, program];
  const whatIf = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      setProgress(null);
      const onProgress = (next: Progress) => {
        if (!signal.aborted) setProgress(next);
      };
      return askWhatIf(api, { program, ...range }, { signal, onProgress });
    },
    enabled: isReady,
    staleTime: Infinity,
    gcTime: 30 * 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return {
    state: stateOf(),
    stop: () => void queries.cancelQueries({ queryKey }),
    again: () => void whatIf.refetch(),
  };

  function stateOf(): WhatIfState {
    const { data, error, isError, isFetching, dataUpdatedAt } = whatIf;
    if (isFetching) return { kind: 'running', progress };
    if (isError) return { kind: 'failed', error };
    if (data !== undefined) return { kind: 'done', result: data, at: dataUpdatedAt };
    return isReady ? { kind: 'stopped' } : { kind: 'running', progress: null };
  }
}
