import { createTexts } from '../../language.ts';
import { en } from './texts-en.ts';
import { es } from './texts-es.ts';

export type RuleTexts = typeof en;

export const useRuleTexts = createTexts({ en, es });
