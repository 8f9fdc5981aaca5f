import type { Program, ProgramCheck, ProgramInForce, ProgramProblem } from '@loyalty/sdk/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo } from 'react';
import { queries } from '../api.ts';
import { usePlace } from '../session.ts';
import { useStore } from '../store.ts';
import { draftAt } from './draft.ts';
import { isSame, isWithin, withValueAt } from './paths.ts';
import { useDebounced } from '../ui/use-debounced.ts';

/** The program that is in force, and the person's changes of it. Every page of Program reads and writes through it. */
export interface Editing {
  readonly inForce: ProgramInForce;
  /** The program that the forms show, with the person's changes. */
  readonly program: Program;
  /** The version that the changes began from, with its program. Without changes, the one in force. */
  readonly base: { readonly version: number; readonly program: Program };
  readonly isChanged: boolean;
  /** True if somebody else has published since the changes began. */
  readonly isBehind: boolean;
  /** The service's answer about the changes. Undefined until it has answered. */
  readonly check: ProgramCheck | undefined;
  /** True while the answer is that to an earlier state of the changes. */
  readonly isChecking: boolean;
  readonly checkError: unknown;
  /** The problems at a place of the program and below it. */
  readonly problemsIn: (place: string) => readonly ProgramProblem[];
  /** Changes the value at a path: `change('earning.money_per_point', 0.5)`. */
  readonly change: (path: string, value: unknown) => void;
  /** Replaces the whole draft, such as by an old version or a file. `base` is given if it began from another version. */
  readonly changeAll: (program: Program, base?: Editing['base']) => void;
  readonly discard: () => void;
}

export const EditingContext = createContext<Editing | null>(null);

export function useEditing(): Editing {
  const editing = useContext(EditingContext);
  if (editing === null) throw new Error('there is no program here: the page stands outside of Program');
  return editing;
}

export const modelKey = (shopId: number) => [shopId, 'program-model'] as const;

/** The program in force, whole. */
export function useProgramInForce() {
  const { api, shop } = usePlace();
  return useQuery({
    queryKey: modelKey(shop.id),
    queryFn: ({ signal }) => api.getProgramModel({ signal }),
    refetchOnWindowFocus: 'always',
  });
}

/** Joins the program in force with the person's draft, and has the service check it after each pause in typing. */
export function useEditingOf(inForce: ProgramInForce): Editing {
  const { api, shop, session } = usePlace();
  const store = draftAt(shop.id, session.email);
  const draft = useStore(store);
  const base = useMemo(
    () =>
      draft === null
        ? { version: inForce.version, program: inForce.program }
        : { version: draft.version, program: draft.from },
    [draft, inForce],
  );
  const program = draft?.program ?? inForce.program;
  const calm = useDebounced(draft, 300);
  const check = useQuery({
    queryKey: [shop.id, 'program-check', calm?.version, calm?.program],
    queryFn: ({ signal }) =>
      api.checkProgram({ program: calm!.program, base_version: calm!.version }, { signal }),
    enabled: calm !== null && draft !== null,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const answer = draft === null ? undefined : check.data;

  // Somebody else has published: the program in force is read anew.
  const current = answer?.current_version;
  useEffect(() => {
    if (current !== undefined && current > inForce.version)
      void queries.invalidateQueries({ queryKey: modelKey(shop.id) });
  }, [current, inForce.version, shop.id]);
  // The changes are in force, or were undone: there is no draft any more.
  useEffect(() => {
    if (draft !== null && isSame(draft.program, inForce.program)) store.set(null);
  }, [draft, inForce, store]);

  return useMemo(() => {
    const changeAll: Editing['changeAll'] = (next, from) => {
      const now = store.get();
      const { version, program: before } =
        from ?? (now === null ? inForce : { version: now.version, program: now.from });
      store.set(isSame(next, before) ? null : { version, from: before, program: next });
    };
    return {
      inForce,
      program,
      base,
      isChanged: draft !== null,
      isBehind: draft !== null && draft.version !== inForce.version,
      check: answer,
      isChecking: draft !== null && (draft !== calm || check.isFetching || check.isPlaceholderData),
      checkError: check.error,
      problemsIn: (place) => (answer?.problems ?? []).filter(({ path }) => isWithin(path, place)),
      change: (path, value) => changeAll(withValueAt(store.get()?.program ?? inForce.program, path, value)),
      changeAll,
      discard: () => store.set(null),
    };
  }, [
    answer,
    base,
    calm,
    check.error,
    check.isFetching,
    check.isPlaceholderData,
    draft,
    inForce,
    program,
    store,
  ]);
}
