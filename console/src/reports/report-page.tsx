import type {
  BenefitsReport,
  LevelsReport,
  LiabilityReport,
  PointsReport,
  ReportName,
} from '@loyalty/sdk/admin';
import { lazy, Suspense, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useKeptPlace } from '../members/kept-place.ts';
import { usePlace, useProgram } from '../session.ts';
import { Empty, Problem, Waiting } from '../ui/states.tsx';
import { BenefitTable } from './benefit-table.tsx';
import { Heads } from './heads.tsx';
import { Outstanding } from './outstanding.tsx';
import { usePeriodNames } from './period-names.ts';
import { PeriodTable } from './period-table.tsx';
import { queryOfRange } from './range.ts';
import { RangeBar } from './range-bar.tsx';
import { useReport, type AnyReport } from './read-report.ts';
import { ReportChart } from './report-chart.tsx';
import { SPECS, TABS, type Tab } from './specs.ts';
import { Statement } from './statement.tsx';
import { useReportTexts } from './texts.ts';
import { TierTable } from './tier-table.tsx';
import { useRange, type RangeOfAddress } from './use-range.ts';

/** It has figures of its own, and no chart. */
const EarningReport = lazy(() => import('./earning-report.tsx'));

/** A report over the days of the address: its figures, its chart and its table, and what only this report has. */
export function ReportPage({ name }: { name: Tab }) {
  const t = useReportTexts();
  const { path } = usePlace();
  const program = useProgram();
  const view = useRange();
  const query = view === null ? '' : queryOfRange(view.range);
  return (
    <>
      <div className="page-head report-head">
        <h1>{t.reports}</h1>
      </div>
      <nav ref={showCurrent} className="report-tabs" aria-label={t.reports}>
        <ul>
          {TABS.map((one) => (
            <li key={one}>
              <Link href={`${path('reports', one)}${query}`} aria-current={one === name ? 'page' : undefined}>
                {t.tabs[one]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {view !== null ? (
        name === 'earning' ? (
          <Suspense fallback={<Coming />}>
            <EarningReport view={view} />
          </Suspense>
        ) : (
          <Shown key={name} {...{ name, view }} />
        )
      ) : program.isError ? (
        <Problem error={program.error} onRetry={() => void program.refetch()} />
      ) : (
        <Coming />
      )}
    </>
  );
}

/** On a phone the tabs are longer than the screen. */
function showCurrent(tabs: HTMLElement | null): void {
  const current = tabs?.querySelector<HTMLElement>('[aria-current]');
  if (tabs && current) tabs.scrollLeft = current.offsetLeft - tabs.offsetLeft - 16;
}

function Shown({ name, view }: { name: ReportName; view: RangeOfAddress }) {
  const t = useReportTexts();
  const names = usePeriodNames();
  const { range, today, change } = view;
  const answer = useReport(name, range);
  const report = answer.data;
  useKeptPlace(report !== undefined);
  return (
    <div className="stack">
      <p className="report-about">{t.about[name]}</p>
      <div className="range-line">
        <RangeBar {...{ today, range }} onChange={(next) => change({ range: next })} />
        <p className="small" role="status">
          {report !== undefined &&
            t.comparedWith(names.range({ from: report.range.before_from, to: report.range.before_to }))}
        </p>
      </div>
      {report !== undefined ? (
        <div className="stack report" aria-busy={answer.isPlaceholderData}>
          <Figures {...{ name, view, report }} />
        </div>
      ) : answer.isError ? (
        <section className="card">
          <Problem error={answer.error} onRetry={() => void answer.refetch()} />
        </section>
      ) : (
        <Coming />
      )}
    </div>
  );
}

function Figures({ name, view, report }: { name: ReportName; view: RangeOfAddress; report: AnyReport }) {
  const t = useReportTexts();
  const spec = SPECS[name];
  const shown = spec.charts.find(({ key }) => key === view.show) ?? spec.charts[0]!;
  const { above, below } = more(name, report);
  if (isNew(report) && !TELLS_NOW.includes(name)) return <NothingYet />;
  const isQuiet = !hasFigures(report.periods.map(({ figures }) => figures));
  return (
    <>
      {above}
      <section className="card chart-card" aria-label={t.tabs[name]}>
        <Heads
          {...{ spec, report, shown }}
          onShow={(figure) => view.change({ show: figure === spec.charts[0]!.key ? null : figure })}
        />
        <div className="chart-place">
          <ReportChart {...{ spec, report }} chart={shown} />
          {isQuiet && <p className="chart-quiet">{t.quiet}</p>}
        </div>
      </section>
      {below}
      <PeriodTable {...{ spec, report }} />
    </>
  );
}

/** These tell about now, whatever happened in the range. */
const TELLS_NOW: readonly ReportName[] = ['levels', 'benefits', 'liability'];

/** Returns the parts of a report besides its periods. */
function more(name: ReportName, report: unknown): { above: ReactNode; below: ReactNode } {
  switch (name) {
    case 'points':
      return { above: null, below: <Statement report={report as PointsReport} /> };
    case 'levels':
      return { above: <TierTable report={report as LevelsReport} />, below: null };
    case 'benefits':
      return { above: null, below: <BenefitTable report={report as BenefitsReport} /> };
    case 'liability':
      return { above: <Outstanding report={report as LiabilityReport} />, below: null };
    default:
      return { above: null, below: null };
  }
}

const hasFigures = (all: readonly AnyReport['total'][]) =>
  all.some((figures) => Object.values(figures).some((value) => value !== null && value !== 0));

const isNew = (report: AnyReport) =>
  !hasFigures([report.total, report.before, ...report.periods.map(({ figures }) => figures)]);

function NothingYet() {
  const t = useReportTexts();
  const { path } = usePlace();
  return (
    <section className="card">
      <Empty
        title={t.nothingYetTitle}
        act={
          <Link className="button main" href={path('till')}>
            {t.toTill}
          </Link>
        }
      >
        {t.nothingYetText}
      </Empty>
    </section>
  );
}

function Coming() {
  return (
    <div className="report-coming">
      <Waiting rows={1} tall />
      <div className="bone" />
    </div>
  );
}
