import { createTexts } from '../language.ts';

const en = {
  sold: 'What was it?',
  partOf: (name: string) => `${name}, of it`,
  rest: 'the rest',
};

const es: typeof en = {
  sold: '¿Qué era?',
  partOf: (name) => `${name}, de ello`,
  rest: 'el resto',
};

/** The texts of the buttons for products and categories. */
export const useSoldTexts = createTexts({ en, es });
