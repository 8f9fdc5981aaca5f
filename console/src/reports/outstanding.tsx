import type { LiabilityReport, ReportLink } from '@loyalty/sdk/admin';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import type { ChartLook, Tone } from './chart-look.ts';
import { addDays } from './days.ts';
import { Followed } from './figure.tsx';
import { addressOfLink } from './links.ts';
import { usePeriodNames } from './period-names.ts';
import { LazyChart } from './report-chart.tsx';
import { SaveReport } from './save.tsx';
import { useReportTexts } from './texts.ts';
import { useValues } from './values.ts';

/** The points that members can spend now, and the months in which they would end. */
export function Outstanding({ report }: { report: LiabilityReport }) {
  const t = useReportTexts();
  const f = useFormat();
  const { now, now_links: links, range } = report;
  const today = { from: range.today, to: range.today };
  return (
    <section className="card" aria-labelledby="now">
      <div className="outstanding-now">
        <div>
          <h2 id="now" className="label">
            {t.canSpend}
          </h2>
          <p className="figure huge">
            <Followed
              id="can-spend"
              name={t.canSpend}
              value={now.points}
              said={f.number(now.points)}
              link={links.points}
              days={today}
            />
          </p>
          <p className="small">{t.heldBy(now.holders, f)}</p>
        </div>
        <dl className="small-figures">
          {now.never_end > 0 && <Fact name={t.neverEnd} said={f.number(now.never_end)} />}
          {now.waiting > 0 && (
            <Fact
              name={t.waiting}
              said={
                <Followed
                  id="waiting"
                  name={t.waiting}
                  value={now.waiting}
                  said={f.number(now.waiting)}
                  link={WAITING}
                  days={today}
                />
              }
            />
          )}
          {now.debt > 0 && (
            <Fact
              name={t.debt}
              said={
                <Followed
                  id="debt"
                  name={t.debt}
                  value={now.debt}
                  said={f.number(now.debt)}
                  link={links.debt}
                  days={today}
                />
              }
            />
          )}
        </dl>
      </div>
      {report.endings.length > 0 && <Endings report={report} />}
    </section>
  );
}

/** People who have not joined, and have points. */
const WAITING: ReportLink = { list: 'members', search: { state: 'invited', min_points: 1 } };

function Fact({ name, said }: { name: string; said: ReactNode }) {
  return (
    <div>
      <dt className="label">{name}</dt>
      <dd>{said}</dd>
    </div>
  );
}

function Endings({ report }: { report: LiabilityReport }) {
  const t = useReportTexts();
  const f = useFormat();
  const names = usePeriodNames();
  const values = useValues();
  const { path } = usePlace();
  const [, go] = useLocation();
  const { endings, now_links: links, range } = report;
  const soon = addDays(range.today, 31);
  const nameOf = (line: (typeof endings)[number]) => (line.to === null ? t.later36 : names.month(line.from));
  // The last line is everything later. Lists go no further than ten years.
  const daysOf = ({ from, to }: (typeof endings)[number]) => ({
    from,
    to: to ?? addDays(range.today, 3_650),
  });
  const look: ChartLook = {
    id: 'endings-chart',
    title: t.endings,
    about: t.chartAbout,
    columns: endings.map((line) => ({
      label: nameOf(line),
      short: line.to === null ? t.later36 : names.short({ from: line.from, to: line.from }, 'month'),
    })),
    series: [
      {
        label: t.pointsColumn,
        look: 'bar',
        tone: 'soft',
        tones: endings.map((line): Tone => (line.from <= soon ? 'ending' : 'soft')),
        values: endings.map(({ points }) => points),
        says: endings.map(({ points }) => f.number(points)),
      },
    ],
    axis: (value) => values.short(value, false),
  };
  return (
    <div className="endings-part">
      <div className="table-head">
        <div>
          <h3 id="endings">{t.endings}</h3>
          <p className="small">{t.endingsAbout}</p>
        </div>
        <SaveReport name="endings" range={{ ...range, by: 'month' }} title={t.endings} />
      </div>
      <div className="endings-both">
        <div className="chart-place">
          <LazyChart
            look={look}
            height={260}
            onOpen={(i) => go(addressOfLink(path, links.endings, daysOf(endings[i]!)))}
          />
        </div>
        <div className="scrolls short" role="group" aria-labelledby="endings" tabIndex={0}>
          <table className="table figures">
            <thead>
              <tr>
                <th scope="col">{t.month}</th>
                <th scope="col" className="number">
                  {t.pointsColumn}
                </th>
                <th scope="col" className="number">
                  {t.people}
                </th>
              </tr>
            </thead>
            <tbody>
              {endings.map((line) => (
                <tr key={line.from}>
                  <th scope="row">{nameOf(line)}</th>
                  <td className="number">
                    <Followed
                      id={`ending-${line.from}`}
                      name={nameOf(line)}
                      value={line.points}
                      said={f.number(line.points)}
                      link={links.endings}
                      days={daysOf(line)}
                    />
                  </td>
                  <td className="number">{f.number(line.holders)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </div>
  );
}
