import { useContext, useMemo, type ReactNode } from 'react';
import { createFormat, FormatContext } from '../format.ts';
import { LocaleContext } from '../language.ts';
import { usePlace } from '../session.ts';

/** Below it, times are compared with the real one, not with that of a sandbox: for keys, sessions and the audit. */
export function RealTime({ children }: { children: ReactNode }) {
  const locale = useContext(LocaleContext);
  const { shop } = usePlace();
  const format = useMemo(
    () => createFormat(locale, shop.time_zone, shop.currency),
    [locale, shop.time_zone, shop.currency],
  );
  return <FormatContext value={format}>{children}</FormatContext>;
}
