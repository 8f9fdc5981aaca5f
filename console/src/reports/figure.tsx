import type { CSSProperties, ReactNode } from 'react';
import { Link } from 'wouter';
import { keepPlace } from '../members/kept-place.ts';
import { usePlace } from '../session.ts';
import type { ReportLink } from '@loyalty/sdk/admin';
import type { Tone } from './chart-look.ts';
import type { Days } from './days.ts';
import { addressOfLink, type LinkMore } from './links.ts';
import { useReportTexts } from './texts.ts';

/** A number that leads to what it is made of. Nothing, or a sum of other figures, leads nowhere. */
export function Followed(props: {
  /** Of the page, so that the way back leads to the same number. */
  id: string;
  /** The name of the figure, for those who hear the link alone. */
  name: string;
  value: number | null;
  said: string;
  link: ReportLink | null;
  days: Days;
  more?: LinkMore;
}) {
  const t = useReportTexts();
  const { path } = usePlace();
  const { value, said, link } = props;
  if (value === null || value === 0) return <span className="none">{said}</span>;
  if (link === null) return <span>{said}</span>;
  return (
    <Link
      className="followed"
      id={props.id}
      href={addressOfLink(path, link, props.days, props.more)}
      aria-label={t.madeOf(props.name, said)}
      onClick={() => keepPlace({ y: Math.round(scrollY), focus: props.id })}
    >
      {said}
    </Link>
  );
}

/** A large figure that is never broken within its number. */
export function Fits({
  said,
  className = '',
  children,
}: {
  said: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <p className={`figure fits ${className}`} style={{ '--chars': said.length } as CSSProperties}>
      {children}
    </p>
  );
}

/** The color and the pattern that stand for a figure in the chart. */
export function Key({ tone, look = 'bar' }: { tone: Tone; look?: string }) {
  return <i className={`chart-key ${look} tone-${tone}`} aria-hidden="true" />;
}

/**
 * How much more or less than before, and how much it was. More of something good is green and less of it amber; a figure that is neither
 * good nor bad, such as points that were spent, has the color of all figures.
 */
export function Compared(props: {
  growth: string | null;
  isSame: boolean;
  /** Null if more is neither good nor bad. */
  isGood: boolean | null;
  before: string;
}) {
  const t = useReportTexts();
  const look = props.isGood === null ? 'neutral' : props.isGood ? 'gain' : 'ending';
  return (
    <p className="compared">
      {props.isSame ? (
        t.asBefore
      ) : (
        <>
          {props.growth !== null && <b className={look}>{props.growth}</b>}{' '}
          <span>{t.before(props.before)}</span>
        </>
      )}
    </p>
  );
}
