import { createTexts } from '../../language.ts';
import { en } from './texts-en.ts';
import { es } from './texts-es.ts';

/** The texts of the pages of this folder. */
export const usePageTexts = createTexts({ en, es });
