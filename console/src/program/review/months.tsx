import type { WhatIfMonth } from '@loyalty/sdk/admin';
import { useFormat } from '../../format.ts';
import { monthOf } from './effect.tsx';
import { useReviewTexts } from './texts.ts';

/** Points by month, as bars side by side and as a table. */
export function Months({ months: all }: { months: readonly WhatIfMonth[] }) {
  const t = useReviewTexts();
  const f = useFormat();
  // A young shop has no purchases in the first months of the range.
  const months = all.slice(all.findIndex(({ purchases }) => purchases > 0));
  const highest = Math.max(1, ...months.flatMap(({ earned }) => [earned.then, earned.now]));
  const narrow = new Intl.DateTimeFormat(f.locale, { month: 'short', timeZone: 'UTC' });
  const height = (points: number) => ({ height: `${(Math.max(0, points) / highest) * 100}%` });
  return (
    <>
      <p className="month-legend small" aria-hidden="true">
        <span className="month-key then" /> {t.inForce} <span className="month-key now" /> {t.proposed}
      </p>
      <div className="bars" aria-hidden="true">
        {months.map(({ month, earned }) => (
          <div
            key={month}
            className="bar-pair"
            title={`${monthOf(month, f)}: ${f.number(earned.then)} → ${f.number(earned.now)}`}
          >
            <div>
              <span className="bar then" style={height(earned.then)} />
              <span className="bar now" style={height(earned.now)} />
            </div>
            <span>{narrow.format(new Date(`${month}-15T12:00:00Z`))}</span>
          </div>
        ))}
      </div>
      <details>
        <summary>{t.asTable}</summary>
        <table className="table tight">
          <caption className="unseen">{t.byMonth}</caption>
          <thead>
            <tr>
              <th scope="col">{t.month}</th>
              <th scope="col" className="number">
                {t.purchases}
              </th>
              <th scope="col" className="number">
                {t.inForce}
              </th>
              <th scope="col" className="number">
                {t.proposed}
              </th>
            </tr>
          </thead>
          <tbody>
            {months.map(({ month, purchases, earned }) => (
              <tr key={month}>
                <th scope="row">{monthOf(month, f)}</th>
                <td className="number">{f.number(purchases)}</td>
                <td className="number">{f.number(earned.then)}</td>
                <td className="number">
                  <b>{f.number(earned.now)}</b>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
