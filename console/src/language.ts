import { useContext, createContext } from 'react';

export type Language = 'en' | 'es';

/** The language and region of numbers and days, and the language of the texts. */
export const LocaleContext = createContext('en');

/** Returns the browser's first language that the console speaks, else the shop's, else English. */
export function pickLocale(preferred: readonly string[], shop = 'en'): string {
  return [...preferred, shop].find((tag) => /^(en|es)\b/i.test(tag)) ?? 'en';
}

export function languageOf(locale: string): Language {
  return /^es\b/i.test(locale) ? 'es' : 'en';
}

/**
 * Makes a hook from a catalog of texts. Each page has its own catalog and is loaded with it. English sets the shape, so
 * the compiler finds a text that is missing in Spanish.
 */
export function createTexts<T>(catalogs: { readonly en: T; readonly es: NoInfer<T> }): () => T {
  return () => catalogs[languageOf(useContext(LocaleContext))];
}
