import type { TestContext } from 'node:test';
import type { BrowserContext, Page, Route } from 'playwright-core';

/**
 * Handles requests of a page, or of all pages of a browser context, in place of the service. At the end of the test, waits for
 * the handlers that are still running, because closing the page under them would fail the whole file. So every handler must
 * fulfill, continue or abort its request in the end. Returns a function that stops it earlier.
 */
export async function intercept(
  t: TestContext,
  where: Page | BrowserContext,
  url: string | RegExp,
  handler: (route: Route) => Promise<void>,
): Promise<() => Promise<void>> {
  await where.route(url, handler);
  const stop = () => where.unrouteAll({ behavior: 'wait' });
  t.after(stop);
  return stop;
}
