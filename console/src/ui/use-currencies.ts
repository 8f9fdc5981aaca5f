import { useContext, useMemo } from 'react';
import { LocaleContext } from '../language.ts';

/** All currencies with their names, in the order of the names. */
export function useCurrencies(chosen: string): readonly (readonly [string, string])[] {
  const locale = useContext(LocaleContext);
  return useMemo(() => {
    const names = new Intl.DisplayNames(locale, { type: 'currency' });
    const codes = new Set([...Intl.supportedValuesOf('currency'), chosen]);
    return [...codes]
      .map((code) => [code, `${nameOf(names, code)} (${code})`] as const)
      .sort(([, a], [, b]) => a.localeCompare(b, locale));
  }, [locale, chosen]);
}

/** The name of a currency, or its code while that is none: a file may bring anything into a draft. */
function nameOf(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}
