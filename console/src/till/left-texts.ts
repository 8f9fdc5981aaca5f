import { createTexts } from '../language.ts';

const en = {
  unfinished: (name: string) => `Go on with ${name}?`,
  unfinishedText: (amount: string) => `${amount} was typed and not recorded.`,
  unfinishedGoOn: 'Go on',
  unfinishedDrop: 'Discard',
};

const es: typeof en = {
  unfinished: (name) => `¿Seguir con ${name}?`,
  unfinishedText: (amount) => `${amount} se escribió y no se registró.`,
  unfinishedGoOn: 'Seguir',
  unfinishedDrop: 'Descartar',
};

/** The texts of an offer to go on with what was typed before a reload. */
export const useLeftTexts = createTexts({ en, es });
