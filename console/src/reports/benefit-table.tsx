import type { BenefitReportLine, BenefitsFigures, BenefitsReport } from '@loyalty/sdk/admin';
import { useFormat } from '../format.ts';
import { Drawn } from '../ui/icon.tsx';
import { Followed } from './figure.tsx';
import { ICONS } from './icons.ts';
import { SaveTable } from './save.tsx';
import { useReportTexts } from './texts.ts';

const COLUMNS = ['bought', 'given', 'used', 'given_back', 'points'] as const;

/** Shows how each benefit did in the range. */
export function BenefitTable({ report }: { report: BenefitsReport }) {
  const t = useReportTexts();
  const f = useFormat();
  const { benefits, range, links } = report;
  if (benefits.length === 0) return <p className="card inside small">{t.noBenefits}</p>;
  const columns = COLUMNS.filter((figure) => figure !== 'given_back' || report.total.given_back > 0);
  const cell = (line: BenefitReportLine, figure: keyof BenefitsFigures) => (
    <td key={figure} className="number">
      <Followed
        id={`${line.benefit_id}-${figure}`}
        name={`${line.title}, ${t.figures[figure]}`}
        value={line.total[figure]}
        said={f.number(line.total[figure])}
        link={links[figure]}
        days={range}
        more={{ benefit_id: line.benefit_id }}
      />
    </td>
  );
  return (
    <section className="card" aria-labelledby="benefits">
      <div className="table-head">
        <h2 id="benefits">{t.benefitTable}</h2>
        <SaveTable
          name={`benefits-${range.from}-${range.to}`}
          title={t.benefitTable}
          rows={() => [
            [t.benefit, ...COLUMNS.map((figure) => t.figures[figure]!)],
            ...benefits.map(({ title, total }) => [title, ...COLUMNS.map((figure) => total[figure])]),
          ]}
        />
      </div>
      <div className="scrolls" role="group" aria-labelledby="benefits" tabIndex={0}>
        <table className="table figures benefit-figures">
          <thead>
            <tr>
              <th scope="col">{t.benefit}</th>
              {columns.map((figure) => (
                <th key={figure} scope="col" className="number">
                  {t.figures[figure]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {benefits.map((line) => (
              <tr key={line.benefit_id}>
                <th scope="row">
                  <span className="benefit-line">
                    {line.image === null ? (
                      <span className="thumb">
                        <Drawn path={ICONS.gift} />
                      </span>
                    ) : (
                      <img className="thumb" src={line.image} alt="" loading="lazy" />
                    )}
                    <span className="row-words">
                      <span>{line.title}</span>
                      <span className="small">
                        {[
                          line.cost > 0 ? t.cost(line.cost, f) : null,
                          line.is_withdrawn ? t.withdrawn : null,
                          line.left_in_stock === null
                            ? null
                            : line.left_in_stock === 0
                              ? t.soldOut
                              : t.left(line.left_in_stock, f),
                        ]
                          .filter(Boolean)
                          .join(' · ')}
                      </span>
                    </span>
                  </span>
                </th>
                {columns.map((figure) => cell(line, figure))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
