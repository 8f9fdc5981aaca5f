import type { Cause } from '@loyalty/sdk/admin';
import { usePlace } from '../session.ts';
import { useProgramTexts } from './texts.ts';

/** Says who published a version, in a word or two. Null if that is not known. */
export function useAuthorName(): (by: Cause | null) => string | null {
  const { authors } = useProgramTexts();
  const { session } = usePlace();
  return (by) => {
    if (by === null) return null;
    if (by.kind === 'staff') return by.email === session.email ? authors.you : by.name || by.email;
    if (by.kind === 'key') return by.name ?? authors.key;
    return by.kind === 'command_line' ? authors.commandLine : null;
  };
}
