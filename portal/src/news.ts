import type { HistoryItem } from '@loyalty/sdk';
import { local } from './storage.ts';

/** The newest things that the member has seen, kept in this browser until they sign out. Dates only: nothing in it says who they are. */
interface Seen {
  /** The sign-in that it belongs to. */
  readonly session: string | null;
  /** The date of the newest movement of the visit before. */
  readonly before: string;
  /** The date of the newest movement that was shown. */
  readonly newest: string;
  /** The last time at which Home was shown. */
  readonly at: number;
  readonly rank: number;
}

export interface News {
  /** Points gained since the visit before. */
  readonly points: number;
  /** The dates of the oldest and the newest of these gains. */
  readonly dates: readonly [oldest: string, newest: string] | null;
  readonly hasJoined: boolean;
  /** True if the tier is higher than at the visit before. */
  readonly hasClimbed: boolean;
}

/** Looking again within this time is the same visit, so a reload does not hide the news. */
const VISIT_MS = 30 * 60_000;
/** A first look within this time of the first movement is that of somebody who has just joined. */
const JOINING_MS = 10 * 60_000;

/** Compares what is there with what the member saw at the visit before, and remembers it. */
export function readNews(
  { commerceId, session, now }: { commerceId: number; session: string | null; now: Date },
  activity: readonly HistoryItem[],
  rank: number,
): News {
  const newest = activity[0]?.date ?? '';
  const kept = readSeen(commerceId);
  const seen = kept?.session === session ? kept : null;
  const isSameVisit = seen !== null && Math.abs(Date.now() - seen.at) < VISIT_MS;
  const before = seen === null ? newest : isSameVisit ? seen.before : seen.newest;
  const next: Seen = { session, before, newest, at: Date.now(), rank };
  try {
    local.setItem(keyOf(commerceId), JSON.stringify(next));
  } catch {
    // The storage is full. The next visit has no news then.
  }

  const gains = activity.filter(({ date, points }) => (date ?? '') > before && (points ?? 0) > 0);
  const first = activity.at(-1)?.date;
  const isNew = first == null || now.getTime() - new Date(first).getTime() < JOINING_MS;
  return {
    points: gains.reduce((sum, { points }) => sum + (points ?? 0), 0),
    dates: gains.length === 0 ? null : [gains.at(-1)!.date!, gains[0]!.date!],
    hasJoined: seen === null && isNew && activity.length <= 1,
    hasClimbed: seen !== null && rank > seen.rank,
  };
}

/** Forgets what was seen, so that nothing of a member stays in the browser. */
export function forgetNews(commerceId: number): void {
  local.removeItem(keyOf(commerceId));
}

function readSeen(commerceId: number): Seen | null {
  try {
    return JSON.parse(local.getItem(keyOf(commerceId)) ?? 'null') as Seen | null;
  } catch {
    return null;
  }
}

const keyOf = (commerceId: number) => `loyalty/${commerceId}/seen`;
