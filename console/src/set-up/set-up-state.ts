import { createSetUpClient, type SetUp, type SetUpAnswers, type SetUpStep } from '@loyalty/sdk/admin';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useContext, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { isStatus, queries } from '../api.ts';
import { createFormat, type Format } from '../format.ts';
import { LocaleContext } from '../language.ts';
import { SERVICE } from '../place.ts';

/** The client of the set-up. It has no session and no shop. */
export const setUpApi = createSetUpClient({ baseUrl: SERVICE });

const KEY = ['set-up'] as const;

/** The steps after the address is proved, in order. */
export const STEPS: readonly SetUpStep[] = ['shop', 'place', 'points', 'benefit', 'open'];

export const pathOf = (step: SetUpStep): string => `/set-up/${step}`;

/** The set-up of this browser; null if it has none. */
export function useSetUp() {
  return useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }): Promise<SetUp | null> => {
      if (!hasBegun()) return null;
      try {
        return await setUpApi.getSetUp({ signal });
      } catch (error) {
        if (!isStatus(error, 401) && !isStatus(error, 404)) throw error;
        noteBegun(false);
        return null;
      }
    },
    // Another window may go on with the same set-up.
    refetchOnWindowFocus: true,
  });
}

export function keepSetUp(setUp: SetUp | null): void {
  noteBegun(setUp !== null);
  queries.setQueryData(KEY, setUp);
}

const BEGUN = 'loyalty/console/set-up';

/** Whether this browser may have a set-up. Pages cannot read its cookie, and asking in vain is an error in the console. */
function hasBegun(): boolean {
  try {
    return localStorage.getItem(BEGUN) !== null;
  } catch {
    return true;
  }
}

function noteBegun(begun: boolean): void {
  try {
    if (begun) localStorage.setItem(BEGUN, 'yes');
    else localStorage.removeItem(BEGUN);
  } catch {
    // A browser that stores nothing asks the service each time.
  }
}

/**
 * Keeps the answers of a step, and goes to the next one; back to the check if the person had come that far. A form that is changed
 * meanwhile resets it: then the person stays with what was typed since.
 */
export function useStep(step: SetUpStep, { answers }: SetUp) {
  const [, go] = useLocation();
  const next = answers.step === 'open' ? 'open' : STEPS[STEPS.indexOf(step) + 1]!;
  const furthest = STEPS.indexOf(next) > STEPS.indexOf(answers.step ?? 'shop') ? next : answers.step;
  const save = useMutation({
    // One after the other: the newest answers are the last to arrive.
    scope: { id: 'set-up' },
    mutationFn: (answers: Partial<SetUpAnswers>) => setUpApi.saveSetUp({ ...answers, step: furthest }),
    onSuccess: keepSetUp,
    onError: askAgainIfLost,
  });
  return {
    ...save,
    mutate: (answers: Partial<SetUpAnswers>) => save.mutate(answers, { onSuccess: () => go(pathOf(next)) }),
  };
}

/** Another browser has taken over, or the link has ended: the door says what to do. */
export function askAgainIfLost(error: unknown): void {
  if (isStatus(error, 401) || isStatus(error, 404)) void queries.invalidateQueries({ queryKey: KEY });
}

/** Returns the consequences of the answers as they are typed, by the service's own rules. The last result stays until a new one arrives. */
export function usePreview(setUp: SetUp, typed: Partial<SetUpAnswers>): SetUp {
  const [asked, ask] = useState(typed);
  const text = JSON.stringify(typed);
  useEffect(() => {
    const timer = setTimeout(() => ask(JSON.parse(text) as Partial<SetUpAnswers>), 150);
    return () => clearTimeout(timer);
  }, [text]);
  const preview = useQuery({
    queryKey: [...KEY, 'preview', asked],
    queryFn: ({ signal }) => setUpApi.previewSetUp(asked, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
  });
  const shown = preview.data ?? setUp;
  return useMemo(
    () => ({ ...shown, answers: { ...shown.answers, ...(JSON.parse(text) as object) } }),
    [shown, text],
  );
}

/** Writes numbers for the person who sets the shop up, with amounts in its currency. */
export function useSetUpFormat({ currency }: SetUpAnswers): Format {
  const locale = useContext(LocaleContext);
  return useMemo(() => createFormat(locale, 'UTC', currency ?? 'EUR'), [locale, currency]);
}
