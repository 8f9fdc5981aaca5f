import { lazy, type ComponentType } from 'react';
import type { StaffRole } from '@loyalty/sdk/admin';
import type { IconName } from '../ui/icon.tsx';

export interface PageOfShop {
  readonly name: 'till' | 'members';
  readonly icon: IconName;
  /** The lowest role that may see it. */
  readonly role: StaffRole;
  /** Loaded when it is opened for the first time. */
  readonly View: ComponentType;
}

/** The pages of the console, in the order of the navigation. Each reads what follows its name in the address itself. */
export const PAGES: readonly PageOfShop[] = [
  { name: 'till', icon: 'till', role: 'cashier', View: lazy(() => import('../till/till-page.tsx')) },
  {
    name: 'members',
    icon: 'members',
    role: 'manager',
    View: lazy(() => import('../members/members-page.tsx')),
  },
];
