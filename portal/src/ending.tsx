import { useClub } from './club.ts';
import type { MyClub } from './use-my-club.ts';

/** A year of points that end every week has 53 dates. This many months are shown, and the rest in one line. */
const MAX_MONTHS = 6;

/** When points end, by month. With one date there is nothing to add to what the balance says. */
export function Ending({ myClub }: { myClub: MyClub }) {
  const { t, f, now } = useClub();
  const { expirations } = myClub;
  if (expirations.length < 2) return null;
  const months = new Map<string, number>();
  for (const { points, expiration_date: date } of expirations) {
    const month = f.shortMonth(date, now());
    months.set(month, (months.get(month) ?? 0) + points);
  }
  const shown = [...months].slice(0, MAX_MONTHS);
  const later = [...months].slice(MAX_MONTHS).reduce((sum, [, points]) => sum + points, 0);
  const most = Math.max(...shown.map(([, points]) => points));
  return (
    <section aria-labelledby="ending">
      <h2 id="ending">{t.ending}</h2>
      <ul class="card months">
        {shown.map(([month, points]) => (
          <li key={month}>
            <span class="month">{month}</span>
            <progress aria-hidden="true" max={most} value={points} />
            <span class="month-points">{t.points(points, f)}</span>
          </li>
        ))}
        {later > 0 && (
          <li>
            <span class="month">{t.later}</span>
            <span />
            <span class="month-points">{t.points(later, f)}</span>
          </li>
        )}
      </ul>
    </section>
  );
}
