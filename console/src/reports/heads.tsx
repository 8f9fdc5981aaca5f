import type { AnyReport } from './read-report.ts';
import { Compared, Fits, Followed, Key } from './figure.tsx';
import { placeOf, type ChartSpec, type ReportSpec } from './specs.ts';
import { useReportTexts } from './texts.ts';
import { useValues } from './values.ts';

/**
 * The figures of the whole range beside those of the range before. Their keys are the legend of the chart. If there are
 * several charts, the name of a figure shows its own.
 */
export function Heads(props: {
  spec: ReportSpec;
  report: AnyReport;
  shown: ChartSpec<string>;
  onShow: (figure: string) => void;
}) {
  const t = useReportTexts();
  const values = useValues();
  const { spec, report, shown } = props;
  return (
    <ul className="heads">
      {spec.heads.map((figure) => {
        const name = t.figures[figure]!;
        const now = report.total[figure] ?? null;
        const before = report.before[figure] ?? null;
        const said = values.say(spec, figure, now);
        const place = placeOf(spec, figure);
        const isShown = place?.chart === shown;
        const key = isShown && place.series.less === undefined && shown.series.length > 1 && (
          <Key {...place.series} />
        );
        return (
          <li key={figure} className={isShown && spec.charts.length > 1 ? 'is-shown' : ''}>
            {spec.charts.length > 1 && place !== null ? (
              <button
                type="button"
                className="head-name"
                aria-pressed={isShown}
                aria-label={t.showIn(name)}
                onClick={() => props.onShow(place.chart.key)}
              >
                {key}
                {name}
              </button>
            ) : (
              <p className="head-name">
                {key}
                {name}
              </p>
            )}
            <Fits className="head-figure" said={said}>
              <Followed
                id={`head-${figure}`}
                name={name}
                value={now}
                said={said}
                link={report.links[figure] ?? null}
                days={report.range}
              />
            </Fits>
            <Compared
              growth={figure === 'breakage_percent' ? null : values.growth(now ?? 0, before ?? 0)}
              isSame={now === before}
              isGood={spec.good.includes(figure) ? (now ?? 0) > (before ?? 0) : null}
              before={values.say(spec, figure, before)}
            />
          </li>
        );
      })}
    </ul>
  );
}
