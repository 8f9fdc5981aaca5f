import { createTexts } from '../language.ts';
import { useTexts } from '../texts/texts.ts';
import { en } from './texts-en.ts';
import { es } from './texts-es.ts';

const useOwnTexts = createTexts({ en, es });

export type ProgramTexts = ReturnType<typeof useProgramTexts>;

/** The texts that all pages of Program share, with those of the frame as `shared`. */
export function useProgramTexts() {
  const shared = useTexts();
  return { ...useOwnTexts(), shared };
}
