import { createTexts } from '../language.ts';
import { useTexts } from '../texts/texts.ts';
import { en } from './texts-en.ts';
import { es } from './texts-es.ts';

const useOwnTexts = createTexts({ en, es });

export type TeamTexts = typeof en;

/** The texts of the page Team, with those of the frame as `shared`. */
export function useTeamTexts() {
  const shared = useTexts();
  return { ...useOwnTexts(), shared };
}
