/** A screen or state of the console, for a picture of it. */
import type { Page } from 'playwright-core';
import type { StaffRole } from '#http/staff-roles.ts';
import type { World } from './world.ts';

export interface Scene {
  readonly name: string;
  /** The role of the viewer. Null: nobody is signed in. */
  readonly role: StaffRole | null;
  /** Below `/console`. */
  path(world: World): string;
  /** Before the page is opened, such as calls that never end or are refused. */
  readonly before?: (page: Page, world: World) => Promise<unknown>;
  /** Presses and types, until the picture can be taken. Words may be in either language. */
  readonly reach?: (page: Page, world: World) => Promise<unknown>;
}

/** Lets these calls never be answered. */
export const never = (path: string) => (page: Page) => page.route(`**/admin/v1/${path}`, () => undefined);

/** Lets these calls fail as if the network were gone. */
export const refused = (path: string) => (page: Page) =>
  page.route(`**/admin/v1/${path}`, (route) => route.abort('connectionrefused'));
