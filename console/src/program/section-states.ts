import { useMemo } from 'react';
import { useEditing } from './editing.ts';
import { isSame, valueAt } from './paths.ts';
import type { Section } from './sections.ts';

/** Tells of a page whether the draft has changes or problems there. */
export function useSectionStates(): (section: Section) => 'changed' | 'wrong' | null {
  const { program, base, problemsIn } = useEditing();
  return useMemo(
    () =>
      ({ places }) => {
        if (places.some((place) => problemsIn(place).length > 0)) return 'wrong';
        const isChanged = places.some(
          (place) => !isSame(valueAt(program, place), valueAt(base.program, place)),
        );
        return isChanged ? 'changed' : null;
      },
    [program, base, problemsIn],
  );
}
