import type { Format } from '../format.ts';
import { createTexts } from '../language.ts';

const en = {
  cards: 'Stamp cards',
  of: (have: string, need: string) => `${have} of ${need} stamps`,
  missing: (n: number, gift: string, f: Format) => `${f.number(n)} more to ${gift}`,
};

const es: typeof en = {
  cards: 'Tarjetas de sellos',
  of: (have, need) => `${have} de ${need} sellos`,
  missing: (n, gift, f) =>
    f.plural(n, { one: `Falta 1 para ${gift}`, other: `Faltan ${f.number(n)} para ${gift}` }),
};

/** The texts of the stamp cards of a customer. */
export const useStampTexts = createTexts({ en, es });
