/** The languages in which the service writes to people. */
export const LANGUAGES = ['en', 'es'] as const;

export type Language = (typeof LANGUAGES)[number];

/** Returns the language for a BCP 47 tag: Spanish for any Spanish, and English for everything else. */
export function languageOf(locale: string): Language {
  return /^es(?:-|$)/i.test(locale) ? 'es' : 'en';
}

/** Returns the first language of an `Accept-Language` header that is one of ours; null if none is. */
export function languageWanted(acceptLanguage = ''): Language | null {
  const wanted = acceptLanguage
    .split(',', MOST_LANGUAGES)
    .map((part) => /^\s*(en|es)(?=[-;,\s]|$)/i.exec(part)?.[1]?.toLowerCase());
  return (wanted.find((language) => language !== undefined) as Language | undefined) ?? null;
}

const MOST_LANGUAGES = 20;
