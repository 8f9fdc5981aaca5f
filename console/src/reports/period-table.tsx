import { useState } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { Button } from '../ui/button.tsx';
import type { Days } from './days.ts';
import { Followed } from './figure.tsx';
import { usePeriodNames } from './period-names.ts';
import type { AnyReport } from './read-report.ts';
import { SaveReport, SaveTable } from './save.tsx';
import type { ReportSpec } from './specs.ts';
import { useReportTexts } from './texts.ts';
import { useValues } from './values.ts';

/** So many lines are shown at first; the newest are what one asks for. */
const FIRST_LINES = 31;

/** The figures of the chart, line by line, the newest first. Each number leads to what it is made of. */
export function PeriodTable({ spec, report }: { spec: ReportSpec; report: AnyReport }) {
  const t = useReportTexts();
  const f = useFormat();
  const names = usePeriodNames();
  const values = useValues();
  const { path } = usePlace();
  const [isWhole, setWhole] = useState(false);
  const { range, periods } = report;
  const happened = periods.filter((period) => period.from <= range.today).toReversed();
  const lines = isWhole ? happened : happened.slice(0, FIRST_LINES);
  const columns = [
    ...spec.heads,
    ...spec.columns.filter((figure) =>
      [report.total, ...periods.map(({ figures }) => figures)].some((one) => (one[figure] ?? 0) !== 0),
    ),
  ];
  const cell = (place: string, figure: string, value: number | null, days: Days) => (
    <td key={figure} className="number">
      <Followed
        id={`${place}-${figure}`}
        name={t.figures[figure]!}
        value={value}
        said={values.say(spec, figure, value)}
        link={report.links[figure] ?? null}
        days={days}
      />
    </td>
  );
  return (
    <section className="card" aria-labelledby="by-period">
      <div className="table-head">
        <h2 id="by-period">{t.by[range.by]}</h2>
        {spec.name === 'levels' ? (
          <SaveTable
            title={t.by[range.by]}
            name={`${spec.name}-${range.from}-${range.to}`}
            rows={() => [
              [t.from, t.to, ...columns.map((figure) => t.figures[figure]!)],
              ...periods.map(({ from, to, figures }) => [
                from,
                to,
                ...columns.map((figure) => figures[figure] ?? null),
              ]),
            ]}
          />
        ) : (
          <SaveReport name={spec.name} range={range} title={t.by[range.by]} />
        )}
      </div>
      <div className="scrolls" role="group" aria-labelledby="by-period" tabIndex={0}>
        <table className="table figures">
          <thead>
            <tr>
              <th scope="col">{t.steps[range.by]}</th>
              {columns.map((figure) => (
                <th key={figure} scope="col" className="number">
                  {t.figures[figure]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map((period) => (
              <tr key={period.from}>
                <th scope="row">
                  {range.by === 'day' ? (
                    names.long(period, range.by)
                  ) : (
                    <Link
                      className="followed"
                      href={`${path('reports', spec.name)}?from=${period.from}&to=${period.to}`}
                    >
                      {names.long(period, range.by)}
                    </Link>
                  )}
                  {period.to >= range.today && <span className="small"> {t.soFar}</span>}
                </th>
                {columns.map((figure) => cell(period.from, figure, period.figures[figure] ?? null, period))}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t.inAll}</th>
              {columns.map((figure) => cell('all', figure, report.total[figure] ?? null, range))}
            </tr>
          </tfoot>
        </table>
      </div>
      {lines.length < happened.length && (
        <div className="table-foot">
          <Button onClick={() => setWhole(true)}>{t.showAll(happened.length, f)}</Button>
        </div>
      )}
    </section>
  );
}
