import { useMemo } from 'react';
import { useFormat, type Format } from '../format.ts';
import { usePlace } from '../session.ts';
import type { ReportSpec } from './specs.ts';

/** Writes the figures of reports. */
export interface Values {
  readonly say: (spec: Pick<ReportSpec, 'money'>, figure: string, value: number | null) => string;
  readonly percent: (percent: number) => string;
  /** `+12 %`. Null if there was nothing before, or next to nothing. */
  readonly growth: (now: number, before: number) => string | null;
  /** `12K`, for an axis. */
  readonly short: (value: number, isMoney: boolean) => string;
}

export function useValues(): Values {
  const format = useFormat();
  const { currency } = usePlace().shop;
  return useMemo(() => createValues(format, currency), [format, currency]);
}

function createValues(f: Format, currency: string): Values {
  const percent = new Intl.NumberFormat(f.locale, { style: 'percent', maximumFractionDigits: 1 });
  const growth = new Intl.NumberFormat(f.locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  });
  const few = { notation: 'compact', maximumFractionDigits: 1 } as const;
  const compact = new Intl.NumberFormat(f.locale, few);
  const compactMoney = new Intl.NumberFormat(f.locale, {
    ...few,
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  });
  const withMinus = (text: string) => text.replace('-', '−');
  return {
    say(spec, figure, value) {
      if (value === null) return '–';
      if (figure === 'breakage_percent') return percent.format(value / 100);
      if (figure === 'change') return f.change(value);
      return spec.money.includes(figure) ? f.money(value) : f.number(value);
    },
    percent: (value) => percent.format(value / 100),
    growth(now, before) {
      const part = (now - before) / before;
      return before > 0 && part < 10 ? withMinus(growth.format(part)) : null;
    },
    short(value, isMoney) {
      if (Math.abs(value) >= 10_000) return withMinus((isMoney ? compactMoney : compact).format(value));
      return isMoney ? f.money(value) : f.number(value);
    },
  };
}
