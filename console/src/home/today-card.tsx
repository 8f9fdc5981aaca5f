import type { ReportOverview } from '@loyalty/sdk/admin';
import { useLocation } from 'wouter';
import { useFormat } from '../format.ts';
import type { ChartLook, Tone } from '../reports/chart-look.ts';
import { addDays } from '../reports/days.ts';
import { Fits, Followed } from '../reports/figure.tsx';
import { addressOfLink } from '../reports/links.ts';
import { usePeriodNames } from '../reports/period-names.ts';
import { LazyChart } from '../reports/report-chart.tsx';
import { useValues } from '../reports/values.ts';
import { usePlace } from '../session.ts';
import { useHomeTexts } from './texts.ts';

/** The day so far, as one large figure above the days that led to it. */
export function TodayCard({ overview }: { overview: ReportOverview }) {
  const t = useHomeTexts();
  const f = useFormat();
  const names = usePeriodNames();
  const values = useValues();
  const { path } = usePlace();
  const [, go] = useLocation();
  const { of_today: now, of_week_ago: weekAgo, today, days, links } = overview;
  const isToday = { from: today, to: today };
  const look: ChartLook = {
    id: 'today-chart',
    title: t.chartTitle,
    about: t.chartAbout,
    columns: days.map(({ day }) => ({
      label: names.long({ from: day, to: day }, 'day'),
      short: names.short({ from: day, to: day }, 'day'),
      ...(day === today && { note: t.soFar }),
    })),
    series: [
      {
        label: t.amount,
        look: 'bar',
        tone: 'soft',
        tones: days.map(({ day }): Tone => (day === today ? 'main' : 'soft')),
        values: days.map(({ figures }) => figures.amount),
        says: days.map(
          ({ figures }) => `${f.money(figures.amount)}, ${t.purchasesCount(figures.purchases, f)}`,
        ),
      },
    ],
    axis: (value) => values.short(value, true),
  };
  const small = [
    ['earned', t.earned],
    ['used_codes', t.used],
    ['joined', t.joined],
  ] as const;
  return (
    <section className="card today" aria-labelledby="today">
      <div className="today-words">
        <div>
          <h2 id="today" className="label">
            {t.today}
          </h2>
          <Fits className="huge" said={f.money(now.amount)}>
            <Followed
              id="today-amount"
              name={t.amount}
              value={now.amount}
              said={f.money(now.amount)}
              link={links.amount}
              days={isToday}
            />
          </Fits>
          {now.purchases === 0 ? (
            <p>{t.noneToday}</p>
          ) : (
            <p className="today-from">
              {t.from}{' '}
              <Followed
                id="today-purchases"
                name={t.purchases}
                value={now.purchases}
                said={f.number(now.purchases)}
                link={links.purchases}
                days={isToday}
              />{' '}
              {t.fromPurchases(now.purchases, f)}
            </p>
          )}
          <p className="small">
            {t.weekAgo(
              names.weekday(addDays(today, -7)),
              f.money(weekAgo.amount),
              t.purchasesCount(weekAgo.purchases, f),
            )}
          </p>
        </div>
        <dl className="small-figures">
          {small.map(([figure, name]) => (
            <div key={figure}>
              <dt className="label">{name}</dt>
              <dd>
                <Followed
                  id={`today-${figure}`}
                  name={name}
                  value={now[figure]}
                  said={f.number(now[figure])}
                  link={links[figure]}
                  days={isToday}
                />
              </dd>
            </div>
          ))}
        </dl>
      </div>
      <div className="chart-place">
        <LazyChart
          look={look}
          height={200}
          onOpen={(i) => go(addressOfLink(path, links.amount, { from: days[i]!.day, to: days[i]!.day }))}
        />
      </div>
    </section>
  );
}
