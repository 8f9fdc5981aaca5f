/** A person of the shop in front of the console, in a real browser. */
import type { Browser, Page } from 'playwright-core';
import { assertAccessible, assertFits, clubs, open, type Screen, type Visit } from '../portal/browser.ts';
import type { MadeStaff } from '#test/staff.ts';

export interface Seat extends Visit {
  /** The address of the service. */
  readonly base: string;
}

/** Opens the console with the person's session already in the browser. Without a person, as a stranger. */
export async function openConsole(
  path: string,
  staff: Pick<MadeStaff, 'token'> | null = null,
  screen: Screen & { readonly height?: number; readonly hasTouch?: boolean; readonly browser?: Browser } = {},
  at?: string,
): Promise<Seat> {
  const base = at ?? (await clubs());
  const seat = await open(
    {
      viewport: { width: screen.width ?? 1280, height: screen.height ?? 800 },
      colorScheme: screen.scheme ?? 'light',
      locale: screen.locale ?? 'en-GB',
      hasTouch: screen.hasTouch ?? false,
    },
    base,
    screen.browser,
  );
  if (staff !== null) {
    await giveSession(seat, staff, base);
    await seat.page.addInitScript(() => {
      // A mail stands in a frame that has no store.
      if (window === window.top) localStorage.setItem('loyalty/console/signed-in', 'yes');
    });
  }
  await seat.page.goto(`${base}/console${path}`);
  return { ...seat, base };
}

/** Puts a session into the browser, as if the person had signed in. */
export function giveSession(
  { context }: Pick<Visit, 'context'>,
  { token }: Pick<MadeStaff, 'token'>,
  base: string,
): Promise<void> {
  return context.addCookies([
    { name: 'session', value: token, url: base, httpOnly: true, sameSite: 'Strict' },
  ]);
}

/** Stops the timers of the page: what it says for some seconds stays, however slow the machine is. */
export async function stopTime(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
}

/** Asserts that a screen reader and a narrow phone can use the page. */
export async function assertUsable(page: Page, where: string): Promise<void> {
  await assertAccessible(page, where);
  await assertFits(page, where);
}
