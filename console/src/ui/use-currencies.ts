import { useContext, useMemo } from 'react';
import { LocaleContext } from '../language.ts';
import { ENDED_CURRENCIES } from './ended-currencies.ts';

/** The currencies in use with their names, in the order of the names. One that has ended is there only while it is chosen. */
export function useCurrencies(chosen: string): readonly (readonly [string, string])[] {
  const locale = useContext(LocaleContext);
  return useMemo(() => {
    const names = new Intl.DisplayNames(locale, { type: 'currency' });
    const inUse = Intl.supportedValuesOf('currency').filter((code) => !ENDED_CURRENCIES.has(code));
    const codes = new Set([...inUse, chosen]);
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
