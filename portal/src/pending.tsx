import { useClub } from './club.ts';
import { Icon } from './ui/icon.tsx';
import type { MyClub } from './use-my-club.ts';

/** The points that wait: their sum, and below it until when. */
export function Pending({ pending }: Pick<MyClub, 'pending'>) {
  const { t, f, now } = useClub();
  if (pending.length === 0) return null;
  const sum = pending.reduce((all, { points }) => all + points, 0);
  return (
    <details class="pending">
      <summary class="small icon-line">
        <Icon name="clock" size={16} />
        <b>{t.pending(t.points(sum, f))}</b>
      </summary>
      <ul class="small">
        {pending.map(({ points, available_at: at }, i) => (
          <li key={i}>
            <span>{at === null ? t.pendingConfirmed : t.earnFrom(f.moment(at, now()))}</span>
            <b>{t.points(points, f)}</b>
          </li>
        ))}
      </ul>
    </details>
  );
}
