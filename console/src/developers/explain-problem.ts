import { isCode } from '../api.ts';
import type { DeveloperTexts } from './texts.ts';

/** Says why a call was refused, in the reader's language. Null for what every page says alike. */
export const explainProblem =
  (t: Pick<DeveloperTexts, 'problems'>) =>
  (error: unknown): string | null => {
    for (const [code, text] of Object.entries(t.problems)) if (isCode(error, code)) return text;
    return null;
  };
