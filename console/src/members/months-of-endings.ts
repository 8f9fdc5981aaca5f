import type { MemberPage } from '@loyalty/sdk/admin';
import type { Format } from '../format.ts';

export interface EndingMonth {
  readonly key: string;
  /** Such as `June 2026`; null for everything later. */
  readonly label: string | null;
  /** The first instant in it at which points end; null for everything later. */
  readonly first: string | null;
  readonly points: number;
}

const MOST = 12;

/** Sums up what ends by the month of the shop's calendar: at most twelve, the last for all that is later. */
export function monthsOfEndings(
  endings: MemberPage['expirations'],
  { month }: Pick<Format, 'month'>,
): readonly EndingMonth[] {
  const months = new Map<string, EndingMonth>();
  for (const { points, expiration_date: at } of endings) {
    const label = at === null ? null : month(at);
    const isLater = label === null || (!months.has(label) && months.size >= MOST - 1);
    const key = isLater ? 'later' : label;
    const before = months.get(key);
    months.set(key, {
      key,
      label: isLater ? null : label,
      first: isLater ? null : (before?.first ?? at),
      points: (before?.points ?? 0) + points,
    });
  }
  return [...months.values()];
}
