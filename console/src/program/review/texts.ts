import { createTexts } from '../../language.ts';
import { en } from './texts-en.ts';
import { es } from './texts-es.ts';

/** The texts of the review. */
export const useReviewTexts = createTexts({ en, es });
