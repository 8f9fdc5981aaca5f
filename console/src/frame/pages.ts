import type { StaffRole } from '@loyalty/sdk/admin';
import { lazy, type ComponentType } from 'react';
import { BASE } from '../place.ts';
import type { IconName } from '../ui/icon.tsx';

type Loaded = Promise<{ default: ComponentType }>;

/** A page in the navigation. */
type PageName = 'home' | 'till' | 'members' | 'program' | 'reports' | 'developers' | 'team';
/** A page to which other pages and the search lead. */
type OtherPageName = 'poster' | 'first-day';

export interface PageOfShop<Name extends PageName | OtherPageName = PageName> {
  readonly name: Name;
  readonly icon: IconName;
  /** The lowest role that may see it. */
  readonly role: StaffRole;
  /** Loads it. Repeating the call loads nothing again. */
  readonly load: () => Loaded;
  readonly View: ComponentType;
}

/** The pages of the console, in the order of the navigation. Each reads what follows its name in the address itself. */
export const PAGES: readonly PageOfShop[] = [
  page('home', 'home', 'manager', () => import('../home/home-page.tsx')),
  page('till', 'till', 'cashier', () => import('../till/till-page.tsx')),
  page('members', 'members', 'manager', () => import('../members/members-page.tsx')),
  page('program', 'program', 'owner', () => import('../program/program-page.tsx')),
  page('reports', 'reports', 'manager', () => import('../reports/reports-page.tsx')),
  page('developers', 'developers', 'owner', () => import('../developers/developers-page.tsx')),
  page('team', 'team', 'owner', () => import('../team/team-page.tsx')),
];

const OTHER_PAGES: readonly PageOfShop<OtherPageName>[] = [
  page('poster', 'shop', 'manager', () => import('../first-day/poster-page.tsx')),
  page('first-day', 'shop', 'owner', () => import('../first-day/first-day-page.tsx')),
];

/** Returns the page of an address, whether or not it is in the navigation. */
export const pageNamed = (name: string): PageOfShop<PageName | OtherPageName> | undefined =>
  [...PAGES, ...OTHER_PAGES].find((one) => one.name === name);

function page<Name extends PageName | OtherPageName>(
  name: Name,
  icon: IconName,
  role: StaffRole,
  load: () => Loaded,
): PageOfShop<Name> {
  return { name, icon, role, load, View: lazy(load) };
}

/** Begins to load the page of an address, while the service is still asked who is there. */
export function loadPageOf(path: string): void {
  const [, , name = 'till'] = path.slice(BASE.length).split('/');
  // If it fails, the page says so when it is shown.
  pageNamed(name)
    ?.load()
    .catch(() => undefined);
}
