import { useMemo } from 'react';
import { useFormat, type Format } from '../format.ts';
import type { ReportSpec } from './specs.ts';

/** Writes the figures of reports. */
export interface Values {
  readonly say: (spec: Pick<ReportSpec, 'money'>, figure: string, value: number | null) => string;
  readonly percent: (percent: number) => string;
  /** `+12 %`, or null if there was nothing before. */
  readonly growth: (now: number, before: number) => string | null;
  /** `12K`, for an axis. */
  readonly short: (value: number, isMoney: boolean) => string;
}

export function useValues(): Values {
  const format = useFormat();
  return useMemo(() => createValues(format), [format]);
}

function createValues(f: Format): Values {
  const percent = new Intl.NumberFormat(f.locale, { style: 'percent', maximumFractionDigits: 1 });
  const growth = new Intl.NumberFormat(f.locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  });
  const compact = new Intl.NumberFormat(f.locale, { notation: 'compact', maximumFractionDigits: 1 });
  const withMinus = (text: string) => text.replace('-', '−');
  return {
    say(spec, figure, value) {
      if (value === null) return '–';
      if (figure === 'breakage_percent') return percent.format(value / 100);
      if (figure === 'change') return f.change(value);
      return spec.money.includes(figure) ? f.money(value) : f.number(value);
    },
    percent: (value) => percent.format(value / 100),
    growth: (now, before) => (before <= 0 ? null : withMinus(growth.format((now - before) / before))),
    short(value, isMoney) {
      if (Math.abs(value) >= 10_000) return withMinus(compact.format(value));
      return isMoney ? f.money(value) : f.number(value);
    },
  };
}
