import type { ReportLink, ReportMovementKind, ReportName, ReportPeopleKind } from '@loyalty/sdk/admin';
import type { Place } from '../session.ts';
import type { Days } from './days.ts';

/** Narrows a list further than its figure. */
export interface LinkMore {
  readonly benefit_id?: string;
  readonly level_id?: string;
}

/** The address of the list that a figure of these days is made of. */
export function addressOfLink(
  path: Place['path'],
  link: ReportLink,
  days: Days,
  more: LinkMore = {},
): string {
  if (link.list !== 'members') {
    const query = new URLSearchParams({ kind: link.kind, from: days.from, to: days.to });
    if (more.benefit_id !== undefined) query.set('benefit', more.benefit_id);
    if (more.level_id !== undefined) query.set('tier', more.level_id);
    return `${path('reports', link.list)}?${query}`;
  }
  const { search } = link;
  const query = new URLSearchParams();
  const add = (name: string, value: string | number | undefined) => {
    if (value !== undefined) query.set(name, String(value));
  };
  add('state', search.state);
  add('tier', search.level_id === null ? '-' : search.level_id);
  add('min', search.min_points);
  add('max', search.max_points);
  add('ending', search.expiring_days);
  return `${path('members')}${query.size === 0 ? '' : `?${query}`}`;
}

const REPORT_OF: Readonly<Partial<Record<ReportMovementKind | ReportPeopleKind, ReportName>>> = {
  from_purchases: 'purchases',
  joined: 'members',
  left: 'members',
  active: 'members',
  used: 'benefits',
  issued: 'benefits',
  given: 'benefits',
  codes_given_back: 'benefits',
  reached: 'levels',
  ending: 'liability',
};

/** The report that a list belongs to, for the way back. */
export const reportOf = (kind: ReportMovementKind | ReportPeopleKind): ReportName =>
  REPORT_OF[kind] ?? 'points';
