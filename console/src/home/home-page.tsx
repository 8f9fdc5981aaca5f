import type { ReportOverview } from '@loyalty/sdk/admin';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useFormat } from '../format.ts';
import { useKeptPlace } from '../members/kept-place.ts';
import '../reports/reports.css';
import { usePeriodNames } from '../reports/period-names.ts';
import { usePlace, useProgram } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Problem } from '../ui/states.tsx';
import { AttentionCard } from './attention-card.tsx';
import { FirstSteps, RemainingSteps } from './first-steps.tsx';
import { Further } from './further.tsx';
import './home.css';
import { MonthCards } from './month-cards.tsx';
import { useHomeTexts } from './texts.ts';
import { TodayCard } from './today-card.tsx';

/** Where the day begins: what happened today, what needs somebody, and how the last month went. */
export default function HomePage() {
  const t = useHomeTexts();
  const names = usePeriodNames();
  const { api, shop, path } = usePlace();
  const overview = useQuery({
    queryKey: [shop.id, 'overview'],
    queryFn: ({ signal }) => api.getReportOverview({ signal }),
    // Read again whenever somebody comes back to the page. Asking without them would keep their session alive.
    staleTime: 15_000,
  });
  const { data } = overview;
  useKeptPlace(data !== undefined);
  return (
    <>
      <div className="page-head">
        <div className="words">
          <h1 className="day-title">{data === undefined ? t.home : names.day(data.today)}</h1>
          <DoublePoints />
        </div>
        <div className="acts">
          <Link className="button" href={path('members')}>
            {t.find}
          </Link>
          <Link className="button main" href={path('till')}>
            {t.record}
          </Link>
        </div>
      </div>
      {data !== undefined ? (
        <Overview overview={data} />
      ) : overview.isError ? (
        <section className="card">
          <Problem error={overview.error} onRetry={() => void overview.refetch()} />
        </section>
      ) : (
        <Coming />
      )}
    </>
  );
}

function Overview({ overview }: { overview: ReportOverview }) {
  // With little to look at, there is room beside the figure of today.
  const isCalm = overview.attention.length + (overview.ending_soon.points > 0 ? 1 : 0) < 2;
  const isYoung = overview.before_30_days.purchases === 0;
  if (!overview.has_sold) return <FirstSteps attention={<AttentionCard overview={overview} isQuiet />} />;
  return (
    <div className="stack">
      <div className="home-top">
        <TodayCard overview={overview} />
        <div className="stack">
          <AttentionCard overview={overview} />
          {isCalm && <Further today={overview.today} isNarrow />}
        </div>
      </div>
      {isYoung && <RemainingSteps />}
      <MonthCards overview={overview} />
      {!isCalm && <Further today={overview.today} />}
    </div>
  );
}

/** The two cards at the top, before their figures are there. */
function Coming() {
  const shared = useTexts();
  return (
    <div className="home-top home-coming" role="status">
      <span className="unseen">{shared.loading}</span>
      <span className="bone" />
      <span className="bone" />
    </div>
  );
}

function DoublePoints() {
  const t = useHomeTexts();
  const f = useFormat();
  const open = useProgram().data?.double_points.find(({ is_open }) => is_open);
  if (open === undefined) return null;
  // The instant of the end is no longer part of it: days that end at midnight end with the day before.
  const last = new Date(Date.parse(open.to) - 1).toISOString();
  return (
    <p className="small gain" title={f.dayAndTime(open.to)}>
      {f.day(last) === f.day(open.to)
        ? t.doublePoints(f.dayAndTime(open.to))
        : t.doublePointsThrough(f.day(last))}
    </p>
  );
}
