import type { Program, ProgramCheck, ProgramInForce, ProgramProblem } from '@loyalty/sdk/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo } from 'react';
import { queries } from '../api.ts';
import { usePlace } from '../session.ts';
import { useStore } from '../store.ts';
import { laterPlaceOf } from './differences.ts';
import { draftAt, type Draft } from './draft.ts';
import { withoutChange } from './merge.ts';
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
  /** Why the changes could not be checked. Null if they could be, or are under way. */
  readonly checkError: unknown;
  readonly checkAgain: () => void;
  /** The problems at a place of the program and below it. */
  readonly problemsIn: (place: string) => readonly ProgramProblem[];
  /** Changes the value at a path: `change('earning.money_per_point', 0.5)`. */
  readonly change: (path: string, value: unknown) => void;
  /**
   * Follows the value at a path, for an answer that comes later. The function that it returns changes it where it stands by then, and
   * returns false if it is gone.
   */
  readonly follow: (path: string) => (value: unknown) => boolean;
  /** Replaces the whole draft, such as by an old version or a file. `base` is given if it began from another version. */
  readonly changeAll: (program: Program, base?: Editing['base']) => void;
  /** Ends the draft. With a program that was published, only if nothing was changed since. */
  readonly discard: (published?: Program) => void;
  /** Makes a change and returns the way back, which takes only this change back and leaves what was changed later. */
  readonly undoably: (act: () => void) => () => void;
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
  const store = draftAt(shop.id, session.email, inForce.program);
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
  const { refetch: checkAgain } = check;
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
    // What is called later, such as an undo, finds what is in force by then.
    const now = (): Draft => {
      const { version, program: from } = queries.getQueryData<ProgramInForce>(modelKey(shop.id)) ?? inForce;
      return store.get() ?? { version, from, program: from };
    };
    const changeAll: Editing['changeAll'] = (next, from) => {
      const { version, program: before } = from ?? { version: now().version, program: now().from };
      store.set(isSame(next, before) ? null : { version, from: before, program: next });
    };
    const change: Editing['change'] = (path, value) => changeAll(withValueAt(now().program, path, value));
    const follow: Editing['follow'] = (path) => {
      const then = now().program;
      return (value) => {
        const place = laterPlaceOf(then, now().program, path);
        if (place !== null) change(place, value);
        return place !== null;
      };
    };
    const undoably: Editing['undoably'] = (act) => {
      const [kept, before] = [store.get(), now()];
      act();
      const [left, after] = [store.get(), now()];
      return () => {
        if (store.get() === left) return store.set(kept);
        // The change may have begun anew from another version.
        const { version, from } = now().version === after.version ? before : now();
        changeAll(withoutChange(before.program, after.program, now().program), { version, program: from });
      };
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
      checkAgain: () => void checkAgain(),
      problemsIn: (place) => (answer?.problems ?? []).filter(({ path }) => isWithin(path, place)),
      change,
      follow,
      changeAll,
      discard: (published) => {
        if (published === undefined || isSame(now().program, published)) store.set(null);
      },
      undoably,
    };
  }, [
    answer,
    base,
    calm,
    check.error,
    checkAgain,
    check.isFetching,
    check.isPlaceholderData,
    draft,
    inForce,
    program,
    shop.id,
    store,
  ]);
}
