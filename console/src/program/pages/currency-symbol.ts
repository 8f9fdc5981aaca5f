import { useContext } from 'react';
import { LocaleContext } from '../../language.ts';

/** The sign of a currency as it stands beside amounts, or its three letters. */
export function useCurrencySymbol(currency: string): string {
  const locale = useContext(LocaleContext);
  try {
    return (
      new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
        .formatToParts(1)
        .find(({ type }) => type === 'currency')?.value ?? currency
    );
  } catch {
    return currency;
  }
}
