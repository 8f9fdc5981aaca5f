import { lazy, Suspense } from 'react';
import { useLocation } from 'wouter';
import { useTexts } from '../texts/texts.ts';
import { usePlace } from '../session.ts';
import type { ChartColumn, ChartLook, ChartSeries } from './chart-look.ts';
import { Key } from './figure.tsx';
import { addressOfLink } from './links.ts';
import { usePeriodNames } from './period-names.ts';
import type { AnyReport, Figures } from './read-report.ts';
import type { ChartSpec, ReportSpec, SeriesSpec } from './specs.ts';
import { useReportTexts } from './texts.ts';
import { useValues } from './values.ts';

const Chart = lazy(() => import('./chart.tsx'));

/** A chart that is loaded when it is needed. Its place is kept free. */
export function LazyChart(props: { look: ChartLook; height?: number; onOpen?: (column: number) => void }) {
  const { height = 280 } = props;
  return (
    <Suspense fallback={<ChartComing height={height} />}>
      <Chart {...props} height={height} />
    </Suspense>
  );
}

function ChartComing({ height }: { height: number }) {
  const t = useTexts();
  return (
    <div className="chart-coming" data-height={height}>
      <span className="unseen">{t.loading}</span>
    </div>
  );
}

/** The chart of a report over its periods, with the range before as a dashed line. */
export function ReportChart({
  spec,
  chart,
  report,
}: {
  spec: ReportSpec;
  chart: ChartSpec<string>;
  report: AnyReport;
}) {
  const t = useReportTexts();
  const names = usePeriodNames();
  const values = useValues();
  const { path } = usePlace();
  const [, go] = useLocation();
  const { range, periods, periods_before: earlier, links } = report;

  const columns = periods.map((period): ChartColumn => {
    const isRunning = period.from <= range.today && period.to >= range.today;
    return {
      label: names.long(period, range.by),
      short: names.short(period, range.by),
      ...(isRunning && { isRunning, note: t.soFar }),
      ...(period.from > range.today && { note: t.notYet }),
    };
  });
  const say = (figure: string, value: number | null) => values.say(spec, figure, value);
  const series = chart.series.map((one): ChartSeries => {
    const drawn = periods.map((period) => (period.from > range.today ? null : valueOf(one, period.figures)));
    return {
      label: one.less === undefined ? t.figures[one.figure]! : t.again,
      look: one.look,
      tone: one.tone,
      ...(one.isDown === true && { isDown: true }),
      values: drawn,
      says: drawn.map((value) => say(one.figure, value)),
    };
  });
  if (chart.before !== null) {
    const figure = chart.before;
    const drawn = periods.map((_, i) => earlier[i]?.figures[figure] ?? null);
    const isEmpty = drawn.every((value) => value === null || value === 0);
    if (!isEmpty)
      series.push({
        label: t.beforeSeries(t.figures[figure]!),
        look: 'dashed',
        tone: 'before',
        values: drawn,
        says: drawn.map((value) => say(figure, value)),
      });
  }
  // The heads are the legend of what they name.
  const named = new Set(chart.series.filter((one) => one.less === undefined).map(({ figure }) => figure));
  const unnamed = series.filter(
    ({ label }) => !spec.heads.some((head) => named.has(head) && t.figures[head] === label),
  );
  const link = links[chart.key] ?? null;
  const isMoney = spec.money.includes(chart.key);
  const look: ChartLook = {
    id: 'chart',
    title: t.chartTitle(chart.series.map(({ figure }) => t.figures[figure]).join(', '), names.range(range)),
    about: link === null ? t.chartOnly : t.chartAbout,
    columns,
    series,
    axis: (value) => values.short(value, isMoney),
    ...(chart.isFromZero !== undefined && { isFromZero: chart.isFromZero }),
  };
  return (
    <>
      <LazyChart
        look={look}
        {...(link !== null && { onOpen: (i: number) => go(addressOfLink(path, link, periods[i]!)) })}
      />
      {unnamed.length > 0 && (
        <ul className="chart-legend">
          {unnamed.map(({ label, tone, look }) => (
            <li key={label}>
              <Key {...{ tone, look }} />
              {label}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function valueOf({ figure, less }: SeriesSpec<string>, figures: Figures): number | null {
  const value = figures[figure] ?? null;
  return value === null || less === undefined ? value : value - (figures[less] ?? 0);
}
