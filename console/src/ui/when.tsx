import { useFormat } from '../format.ts';

/** A day as people say it, with the day and the time of the calendar beside it. */
export function When({ at, isWide = false }: { at: string; isWide?: boolean }) {
  const format = useFormat();
  const said = format.recentDay(at);
  const day = format.day(at);
  return (
    <time className={isWide ? 'when wide' : 'when'} dateTime={at} title={format.dayAndTime(at)}>
      <span>{said}</span>
      <span className="small">{said === day ? format.time(at) : `${day}, ${format.time(at)}`}</span>
    </time>
  );
}
