import type { HomeFigures, ReportLink, ReportOverview } from '@loyalty/sdk/admin';
import { Link } from 'wouter';
import { useFormat } from '../format.ts';
import { Compared, Fits, Followed } from '../reports/figure.tsx';
import { cutOf } from '../reports/cut-axis.ts';
import { useValues } from '../reports/values.ts';
import { usePlace } from '../session.ts';
import { useHomeTexts } from './texts.ts';

/** Everyone with points. */
const HOLDERS: ReportLink = { list: 'members', search: { min_points: 1 } };

/** The last 30 days beside the 30 before. Each card leads to its report. */
export function MonthCards({ overview }: { overview: ReportOverview }) {
  const t = useHomeTexts();
  const f = useFormat();
  const values = useValues();
  const { path } = usePlace();
  const { last_30_days: now, before_30_days: before, days, links, liability, ending_soon: ending } = overview;
  const range = { from: days[0]?.day ?? overview.today, to: overview.today };
  const card = (figure: keyof HomeFigures, name: string, report: string, isGood = true) => {
    const say = (value: number) => (figure === 'amount' ? f.money(value) : f.number(value));
    return (
      <section key={figure} className="card inside month-card" aria-label={name}>
        <h3 className="label">
          <Link href={path('reports', report)}>{name}</Link>
        </h3>
        <Fits said={say(now[figure])}>
          <Followed
            id={`month-${figure}`}
            {...{ name, link: links[figure], days: range }}
            value={now[figure]}
            said={say(now[figure])}
          />
        </Fits>
        <Compared
          growth={values.growth(now[figure], before[figure])}
          isSame={now[figure] === before[figure]}
          isGood={isGood ? now[figure] > before[figure] : null}
          before={say(before[figure])}
        />
        <Bars values={days.map(({ figures }) => figures[figure])} />
      </section>
    );
  };
  return (
    <>
      <div className="month-head">
        <h2>{t.thirtyDays}</h2>
        <span className="small">{t.comparedWith30}</span>
        <Link className="name" href={path('reports')}>
          {t.reports}
        </Link>
      </div>
      <div className="month-cards">
        {card('amount', t.amount, 'purchases')}
        {card('earned', t.earned, 'points')}
        {card('spent', t.spent, 'points', false)}
        {card('used_codes', t.used, 'benefits')}
        {card('joined', t.joined, 'members')}
        <section className="card inside month-card" aria-label={t.outstanding}>
          <h3 className="label">
            <Link href={path('reports', 'liability')}>{t.outstanding}</Link>
          </h3>
          <Fits said={f.number(liability.points)}>
            <Followed
              id="outstanding"
              name={t.outstanding}
              value={liability.points}
              said={f.number(liability.points)}
              link={HOLDERS}
              days={range}
            />
          </Fits>
          <p className="compared">{t.heldBy(liability.holders, f)}</p>
          {ending.points > 0 && (
            <p className="soon-line">
              <Followed
                id="end-soon"
                name={t.endSoon}
                value={ending.points}
                said={f.number(ending.points)}
                link={links.ending_soon}
                days={range}
              />{' '}
              {t.endSoonWords(ending.points, f)}
            </p>
          )}
        </section>
      </div>
    </>
  );
}

/** The days behind a figure, at a glance. The report has them with their numbers. A bar out of proportion is broken. */
function Bars({ values }: { values: readonly number[] }) {
  const cut = cutOf(values);
  const most = cut ?? Math.max(1, ...values);
  const step = 10;
  return (
    <svg
      className="month-bars"
      viewBox={`0 0 ${values.length * step} 36`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {values.map((value, i) => {
        const height = value === 0 ? 1 : Math.max(2, Math.min(1, value / most) * 36);
        if (value > most)
          return (
            <path
              key={i}
              d={`M${i * step + 1.5} 0h${step - 3}v5l${3 - step} 3zm0 12l${step - 3}-3v27h${3 - step}z`}
            />
          );
        return <rect key={i} x={i * step + 1.5} y={36 - height} width={step - 3} height={height} rx={1.5} />;
      })}
    </svg>
  );
}
