import type { StaffRole } from '@loyalty/sdk/admin';
import { lazy, type ComponentType } from 'react';
import { BASE } from '../place.ts';
import type { IconName } from '../ui/icon.tsx';

type Loaded = Promise<{ default: ComponentType }>;

export interface PageOfShop {
  readonly name: 'till' | 'members' | 'program';
  readonly icon: IconName;
  /** The lowest role that may see it. */
  readonly role: StaffRole;
  /** Loads it. Repeating the call loads nothing again. */
  readonly load: () => Loaded;
  readonly View: ComponentType;
}

/** The pages of the console, in the order of the navigation. Each reads what follows its name in the address itself. */
export const PAGES: readonly PageOfShop[] = [
  page('till', 'till', 'cashier', () => import('../till/till-page.tsx')),
  page('members', 'members', 'manager', () => import('../members/members-page.tsx')),
  page('program', 'program', 'owner', () => import('../program/program-page.tsx')),
];

function page(name: PageOfShop['name'], icon: IconName, role: StaffRole, load: () => Loaded): PageOfShop {
  return { name, icon, role, load, View: lazy(load) };
}

/** Begins to load the page of an address, while the service is still asked who is there. */
export function loadPageOf(path: string): void {
  const [, , name = 'till'] = path.slice(BASE.length).split('/');
  // If it fails, the page says so when it is shown.
  PAGES.find((one) => one.name === name)
    ?.load()
    .catch(() => undefined);
}
