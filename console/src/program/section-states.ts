import { useMemo } from 'react';
import { differencesBetween } from './differences.ts';
import { useEditing } from './editing.ts';
import { sectionOf, type Section } from './sections.ts';

/** Tells of a page whether the draft has changes or problems there. */
export function useSectionStates(): (section: Section) => 'changed' | 'wrong' | null {
  const { program, base, check } = useEditing();
  return useMemo(() => {
    const wrong = new Set(check?.problems.map(({ path }) => sectionOf(path)));
    const changed = new Set(differencesBetween(base.program, program).map(({ path }) => sectionOf(path)));
    return (section) => {
      if (wrong.has(section)) return 'wrong';
      return changed.has(section) ? 'changed' : null;
    };
  }, [program, base, check]);
}
