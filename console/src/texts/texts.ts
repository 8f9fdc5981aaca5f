import { createTexts } from '../language.ts';
import { en } from './en.ts';
import { es } from './es.ts';

/** The texts of the frame, of signing in and of parts that all pages share. */
export const useTexts = createTexts({ en, es });
export type Texts = typeof en;
