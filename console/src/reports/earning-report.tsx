import type { EarnedFigures, EarningReport as Report, SoldFigures } from '@loyalty/sdk/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useFormat } from '../format.ts';
import { usePlace } from '../session.ts';
import { Empty, Problem, Waiting } from '../ui/states.tsx';
import { useEarningTexts } from './earning-texts.ts';
import { RangeBar } from './range-bar.tsx';
import { SaveReport } from './save.tsx';
import type { RangeOfAddress } from './use-range.ts';

/** What purchases earned, and why: by rule, product, category, branch, and weekday and hour. */
export default function EarningReport({ view: { today, range, change } }: { view: RangeOfAddress }) {
  const t = useEarningTexts();
  const { api, shop } = usePlace();
  const { from, to } = range;
  const answer = useQuery({
    queryKey: [shop.id, 'earning-report', from, to],
    queryFn: ({ signal }) => api.getEarningReport({ from, to }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const report = answer.data;
  return (
    <div className="stack">
      <p className="report-about">{t.about}</p>
      <div className="range-line">
        <RangeBar {...{ today, range }} hasSteps={false} onChange={(next) => change({ range: next })} />
        <SaveReport name="earning" range={range} title={t.title} />
      </div>
      {report !== undefined ? (
        <div className="stack report" aria-busy={answer.isPlaceholderData}>
          <Parts report={report} />
        </div>
      ) : answer.isError ? (
        <section className="card">
          <Problem error={answer.error} onRetry={() => void answer.refetch()} />
        </section>
      ) : (
        <Waiting rows={4} tall />
      )}
    </div>
  );
}

function Parts({ report }: { report: Report }) {
  const t = useEarningTexts();
  const { path, may } = usePlace();
  const { rules, products, categories, branches, total } = report;
  if (total.purchases === 0)
    return (
      <section className="card">
        <Empty title={t.quiet}>{t.quietText}</Empty>
      </section>
    );
  return (
    <>
      {rules.length === 0 ? (
        <section className="card">
          <Empty
            title={t.noRules}
            act={
              may('owner') && (
                <Link className="button" href={path('program', 'rules')}>
                  {t.toRules}
                </Link>
              )
            }
          >
            {t.noRulesText}
          </Empty>
        </section>
      ) : (
        <Table
          id="by-rule"
          title={t.rules}
          first={t.rule}
          points={t.cost}
          lines={rules.map(({ rule_id: id, title, state, ...figures }) => ({
            id,
            name: title,
            note: state === 'running' ? null : t.states[state],
            ...figures,
          }))}
          hint={t.rulesHint}
        />
      )}
      <Table
        id="by-category"
        title={t.categories}
        first={t.category}
        lines={soldLines(categories, t)}
        hint={t.categoriesHint}
      />
      <Table id="by-product" title={t.products} first={t.product} lines={soldLines(products, t)} />
      <Table
        id="by-branch"
        title={t.branches}
        first={t.branch}
        lines={branches.map(({ branch_id: id, name, ...figures }) => ({
          id: String(id),
          name: name ?? (id === null ? t.noBranch : t.unknownBranch(id)),
          note: null,
          ...figures,
        }))}
      />
      <Week report={report} />
    </>
  );
}

interface Line extends EarnedFigures {
  readonly id: string;
  readonly name: string;
  readonly note: string | null;
}

function soldLines(
  { named, others, unnamed }: SoldFigures,
  t: ReturnType<typeof useEarningTexts>,
): readonly Line[] {
  if (named.length === 0) return [];
  const rest = [
    { id: 'others ', name: t.others, note: null, ...others },
    { id: 'unnamed ', name: t.unnamed, note: null, ...unnamed },
  ];
  return [
    ...named.map(({ name, ...figures }) => ({ id: name, name, note: null, ...figures })),
    ...rest.filter(({ amount }) => amount !== 0),
  ];
}

/** Nothing if no purchase says such a thing. */
function Table(props: {
  id: string;
  title: string;
  first: string;
  points?: string;
  lines: readonly Line[];
  hint?: string;
}) {
  const t = useEarningTexts();
  const f = useFormat();
  const { id, lines } = props;
  if (lines.length === 0) return null;
  return (
    <section className="card" aria-labelledby={id}>
      <div className="table-head">
        <h2 id={id}>{props.title}</h2>
      </div>
      <div className="scrolls" role="group" aria-labelledby={id} tabIndex={0}>
        <table className="table figures">
          <thead>
            <tr>
              <th scope="col">{props.first}</th>
              <th scope="col" className="number">
                {t.purchases}
              </th>
              <th scope="col" className="number">
                {t.amount}
              </th>
              <th scope="col" className="number">
                {props.points ?? t.points}
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <tr key={line.id}>
                <th scope="row">
                  {line.name} {line.note !== null && <span className="tag">{line.note}</span>}
                </th>
                <td className="number">{f.number(line.purchases)}</td>
                <td className="number">{f.money(line.amount)}</td>
                <td className="number">{f.number(line.points)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {props.hint !== undefined && <p className="small table-hint">{props.hint}</p>}
    </section>
  );
}

const WEEK = [1, 2, 3, 4, 5, 6, 7] as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** The hours of the week: the darker, the more was bought. Each says its figures. */
function Week({ report: { hours } }: { report: Report }) {
  const t = useEarningTexts();
  const f = useFormat();
  const most = Math.max(1, ...hours.map(({ amount }) => amount));
  const first = Math.min(...hours.map(({ hour }) => hour));
  const last = Math.max(...hours.map(({ hour }) => hour));
  const shown = HOURS.filter((hour) => hour >= first && hour <= last);
  // 1 January 2024 is a Monday.
  const nameOf = (weekday: number, length: 'short' | 'long') =>
    new Intl.DateTimeFormat(f.locale, { weekday: length, timeZone: 'UTC' }).format(
      new Date(Date.UTC(2024, 0, weekday)),
    );
  return (
    <section className="card" aria-labelledby="by-hour">
      <div className="table-head">
        <h2 id="by-hour">{t.hours}</h2>
      </div>
      <div className="scrolls" role="group" aria-labelledby="by-hour" tabIndex={0}>
        <table className="hours">
          <thead>
            <tr>
              <td />
              {shown.map((hour) => (
                <th key={hour} scope="col" className="small">
                  {hour}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {WEEK.map((weekday) => (
              <tr key={weekday}>
                <th scope="row">
                  <abbr title={nameOf(weekday, 'long')}>{nameOf(weekday, 'short')}</abbr>
                </th>
                {shown.map((hour) => {
                  const cell = hours.find((one) => one.weekday === weekday && one.hour === hour);
                  const said =
                    cell === undefined
                      ? t.nothing
                      : t.hour(f.number(cell.purchases), f.money(cell.amount), f.number(cell.points));
                  return (
                    <td key={hour} title={`${nameOf(weekday, 'long')}, ${hour}: ${said}`}>
                      <span className="unseen">{said}</span>
                      <meter aria-hidden="true" min={0} max={most} value={cell?.amount ?? 0} />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="small table-hint">{t.hoursHint}</p>
    </section>
  );
}
