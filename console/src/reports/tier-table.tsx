import type { LevelsReport } from '@loyalty/sdk/admin';
import { useFormat } from '../format.ts';
import { Followed } from './figure.tsx';
import { SaveReport } from './save.tsx';
import { useReportTexts } from './texts.ts';
import { useValues } from './values.ts';

/** How many members each tier has now, and how many of them reached it in the range. */
export function TierTable({ report }: { report: LevelsReport }) {
  const t = useReportTexts();
  const f = useFormat();
  const values = useValues();
  const { levels, range } = report;
  if (levels.every(({ level_id }) => level_id === null))
    return <p className="card inside small">{t.noTiers}</p>;
  const lines = levels.toReversed().filter(({ level_id, members }) => level_id !== null || members > 0);
  return (
    <section className="card" aria-labelledby="tiers">
      <div className="table-head">
        <h2 id="tiers">{t.tierTable}</h2>
        <SaveReport name="levels" range={range} title={t.tierTable} />
      </div>
      <div className="scrolls" role="group" aria-labelledby="tiers" tabIndex={0}>
        <table className="table figures tiers">
          <thead>
            <tr>
              <th scope="col">{t.tier}</th>
              <th scope="col" className="number">
                {t.figures['members']}
              </th>
              <th scope="col">{t.share}</th>
              <th scope="col" className="number">
                {t.reachedInRange}
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <tr key={line.level_id ?? '-'}>
                <th scope="row">{line.name ?? t.noTier}</th>
                <td className="number">
                  <Followed
                    id={`members-${line.level_id ?? '-'}`}
                    name={line.name ?? t.noTier}
                    value={line.members}
                    said={f.number(line.members)}
                    link={line.link}
                    days={range}
                  />
                </td>
                <td>
                  <span className="share">
                    <progress max={100} value={line.percent ?? 0} aria-hidden="true" />
                    {line.percent === null ? '–' : values.percent(line.percent)}
                  </span>
                </td>
                <td className="number">
                  {line.level_id === null ? (
                    <span className="none">–</span>
                  ) : (
                    <Followed
                      id={`reached-${line.level_id}`}
                      name={`${line.name}, ${t.reachedInRange}`}
                      value={line.reached}
                      said={f.number(line.reached)}
                      link={report.links.reached}
                      days={range}
                      more={{ level_id: line.level_id }}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
