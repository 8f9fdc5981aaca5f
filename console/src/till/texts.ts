import { use } from 'react';
import { languageOf, pickLocale } from '../language.ts';

/** The till is the page that is waited for most, so it loads the texts of one language only. */
const texts =
  languageOf(pickLocale(navigator.languages)) === 'es'
    ? import('./texts-es.ts').then(({ es }) => es)
    : import('./texts-en.ts').then(({ en }) => en);
// If they cannot be loaded, the page says so when it is shown.
texts.catch(() => undefined);

export const useTillTexts = () => use(texts);
