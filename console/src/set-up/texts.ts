import { createTexts } from '../language.ts';
import { en } from './texts-en.ts';
import { es } from './texts-es.ts';

/** The texts of setting up a shop. */
export const useSetUpTexts = createTexts({ en, es });
