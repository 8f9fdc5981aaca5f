import type { MemberPage } from '@loyalty/sdk/admin';
import { useId } from 'react';
import { useFormat } from '../format.ts';
import { useProgram } from '../session.ts';
import { monthsOfEndings, type EndingMonth } from './months-of-endings.ts';
import { useMemberTexts } from './texts.ts';

const HEIGHT = 46;

/** The balance, and what of it ends when, month by month. */
export function BalanceCard({ member }: { member: MemberPage }) {
  const t = useMemberTexts();
  const f = useFormat();
  const id = useId();
  const program = useProgram();
  const [first] = member.expirations;
  const months = monthsOfEndings(member.expirations, f);
  return (
    <section className="card inside stack balance-card" aria-labelledby={id}>
      <div>
        <h2 id={id} className="label">
          {t.balance}
        </h2>
        <p className="figure">{f.number(member.points)}</p>
      </div>
      {member.waiting !== null && (
        <p className="small">
          {member.waiting.next_at === null
            ? t.waitsForShop(member.waiting.points, f)
            : t.waitsUntil(member.waiting.points, f.day(member.waiting.next_at), f)}
        </p>
      )}
      {months.length > 0 && <Endings months={months} />}
      <p className="small">
        {first?.expiration_date != null
          ? t.endsFirst(first.points, f.day(first.expiration_date), f)
          : program.data?.points_expiration.mode === 'none'
            ? t.endsNever
            : t.endsNothing}
      </p>
    </section>
  );
}

/** Bars for the eye, if there are several to compare; the same as a table for screen readers. */
function Endings({ months }: { months: readonly EndingMonth[] }) {
  const t = useMemberTexts();
  const f = useFormat();
  const most = Math.max(...months.map(({ points }) => points));
  // A sandbox has a clock of its own.
  const soon = Date.parse(useProgram().data?.now ?? '') + 31 * 86_400_000;
  const step = 20;
  // A single bar as wide as the card would look like a box: there is room for six at least.
  const width = Math.max(months.length, 6) * step - 4;
  return (
    <>
      {months.length > 1 && (
        <svg
          className="endings"
          viewBox={`0 0 ${width} ${HEIGHT}`}
          width="100%"
          height={HEIGHT}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {months.map(({ key, first, points }, i) => {
            const height = Math.max(3, Math.round((HEIGHT - 1) * (points / most)));
            const isSoon = first !== null && Date.parse(first) < soon;
            return (
              <rect
                key={key}
                className={isSoon ? 'soon' : undefined}
                x={i * step}
                y={HEIGHT - height}
                width={step - 4}
                height={height}
                rx={3}
              />
            );
          })}
        </svg>
      )}
      <table className="unseen">
        <caption>{t.endsTable}</caption>
        <thead>
          <tr>
            <th scope="col">{t.endsDay}</th>
            <th scope="col">{t.columns.points}</th>
          </tr>
        </thead>
        <tbody>
          {months.map(({ key, label, points }) => (
            <tr key={key}>
              <th scope="row">{label ?? t.endsLater}</th>
              <td>{f.number(points)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
