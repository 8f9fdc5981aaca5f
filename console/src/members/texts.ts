import { createTexts } from '../language.ts';
import { useTexts } from '../texts/texts.ts';
import { en } from './texts-en.ts';
import { es } from './texts-es.ts';

const useOwnTexts = createTexts({ en, es });

/** The texts of the members' pages, with those of the frame as `shared`. */
export function useMemberTexts() {
  const shared = useTexts();
  const own = useOwnTexts();
  return {
    ...own,
    members: shared.members,
    shared,
    /** The name of a person, or else another way to tell them apart. */
    nameOf: (person: { username: string | null; email: string | null; state: string }): string =>
      person.username ?? (person.state === 'erased' ? own.erasedName : (person.email ?? shared.noName)),
  };
}
