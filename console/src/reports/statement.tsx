import type { PointsFigures, PointsReport } from '@loyalty/sdk/admin';
import { useFormat } from '../format.ts';
import { Followed } from './figure.tsx';
import { useReportTexts } from './texts.ts';

const IN = ['from_purchases', 'from_rewards', 'added_by_hand', 'given_back'] as const;
const OUT = ['spent', 'expired', 'returned', 'taken_by_hand', 'erased'] as const;

/** Every way in which points came and went, adding up to the change of all balances together. */
export function Statement({ report }: { report: PointsReport }) {
  const t = useReportTexts();
  const f = useFormat();
  const { total, range, links } = report;
  const line = (figure: keyof PointsFigures, sign: 1 | -1) =>
    total[figure] === 0 ? null : (
      <div key={figure}>
        <dt>{t.figures[figure]}</dt>
        <dd className={sign > 0 ? 'gain' : ''}>
          <Followed
            id={`made-${figure}`}
            name={t.figures[figure]!}
            value={total[figure]}
            said={f.change(sign * total[figure])}
            link={links[figure]}
            days={range}
          />
        </dd>
      </div>
    );
  const lines = [...IN.map((figure) => line(figure, 1)), ...OUT.map((figure) => line(figure, -1))];
  if (lines.every((one) => one === null)) return null;
  return (
    <section className="card inside" aria-labelledby="statement">
      <h2 id="statement">{t.statement}</h2>
      <dl className="statement">
        {lines}
        <div className="sum-line">
          <dt>{t.figures['change']}</dt>
          <dd>{f.change(total.change)}</dd>
        </div>
      </dl>
    </section>
  );
}
