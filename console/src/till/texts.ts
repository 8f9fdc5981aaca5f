import { createTexts } from '../language.ts';
import { en } from './texts-en.ts';
import { es } from './texts-es.ts';

export const useTillTexts = createTexts({ en, es });
