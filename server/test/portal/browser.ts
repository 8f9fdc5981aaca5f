/** A real browser in front of the real service. It records everything that a page should not do. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import type Axe from 'axe-core';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from 'playwright-core';
import { buildApp, type Deps } from '../../src/app.ts';
import { LOOPBACK } from '#test/webhooks/loopback.ts';
import { onEnd } from '#test/database.ts';
import { patientAside, SECRET, service } from '#test/harness.ts';
import type { Shop } from '#test/make.ts';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The folder for screenshots. Without it, none are taken. */
const SCREENSHOTS = process.env['SCREENSHOTS'];

/** The longest wait for what is promised. It only ends what hangs: on a busy machine anything can take seconds. */
const PATIENCE_MS = 60_000;

/** Slows the pages down, so that races show which a fast machine hides: `SLOW_PAGES=4` is a processor of a quarter of the speed. */
const SLOWNESS = Number(process.env['SLOW_PAGES'] ?? 1);

let started: Promise<Browser> | undefined;
let listening: Promise<string> | undefined;

/** Returns the address of a service with a developer's mailbox. */
export function clubs(): Promise<string> {
  listening ??= startClubs();
  return listening;
}

/** Starts such a service. */
export async function startClubs(deps: Partial<Deps> = {}): Promise<string> {
  const { db } = await service();
  const app = await buildApp({
    db,
    log: false,
    secret: SECRET,
    aside: patientAside(),
    devMailbox: true,
    webhookRules: LOOPBACK,
    ...deps,
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onEnd(() => app.close());
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

export interface Screen {
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  readonly locale?: string;
}

/** A visitor's page and its faults. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors, uncaught errors, violations of the content security policy, requests to other hosts. */
  readonly faults: string[];
}

/** Opens a shop's club as a first-time visitor. */
export async function visit(
  shop: Shop,
  screen: Screen = {},
  path = `/club/${shop.slug}`,
  at?: string,
): Promise<Visit> {
  const base = at ?? (await clubs());
  const opened = await open(
    {
      viewport: { width: screen.width ?? 390, height: 800 },
      colorScheme: screen.scheme ?? 'light',
      locale: screen.locale ?? 'en-GB',
    },
    base,
  );
  await opened.page.goto(base + path);
  return opened;
}

/** Opens a page in a browser context of its own, so it shares no session. */
export async function open(options: BrowserContextOptions, at?: string, own?: Browser): Promise<Visit> {
  const browser = own ?? (await (started ??= launch()));
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  if (SLOWNESS > 1) {
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWNESS });
  }
  const faults: string[] = [];
  const base = new URL(at ?? (await clubs())).origin;
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    // The page may close meanwhile.
    dialog.dismiss().catch(() => undefined);
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== base)
      faults.push(`foreign: ${request.url()}`);
  });
  await context.exposeFunction('reportFault', (fault: string) => void faults.push(fault));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const page = window as unknown as { reportFault(fault: string): void };
      page.reportFault(`policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  onEnd(() => context.close());
  return { page, context, faults };
}

/** Signs in as a member does: enters the address, then the six digits from the mail. */
export async function signIn({ page }: Visit, email: string, words = ENGLISH): Promise<void> {
  await page.getByRole('link', { name: words.enter }).first().click();
  await page.getByLabel(words.email).fill(email);
  await page.getByRole('button', { name: words.send }).click();
  await page.getByLabel(words.code).waitFor();
  await page.getByLabel(words.code).fill(await codeFromMailbox(email));
  await page.getByRole('heading', { level: 1, name: words.balance }).waitFor();
}

/** Opens a club with the session already in the browser, where the sign-in is not the question. */
export async function visitSignedIn(
  shop: Shop,
  member: { readonly userId: number },
  screen: Screen = {},
  at?: string,
): Promise<Visit> {
  return keepSession(await visit(shop, screen, undefined, at), shop, member);
}

/** Puts a session of the member into the browser of a visitor and loads the page again. */
export async function keepSession(
  visited: Visit,
  shop: Shop,
  member: { readonly userId: number },
): Promise<Visit> {
  const { token } = await shop.browser(member);
  await visited.page.evaluate(
    ([key, access]) =>
      localStorage.setItem(
        key,
        JSON.stringify({ access, refresh: 'none', expires_at: Date.now() + 900_000 }),
      ),
    [`loyalty/${shop.id}`, token] as const,
  );
  await visited.page.reload();
  await balanceOf(visited.page).waitFor();
  return visited;
}

/** The balance on Home, in either language. */
export const balanceOf = (page: Page): Locator =>
  page.getByRole('region', { name: /^(?:Your points|Tus puntos)$/, includeHidden: true });

/** The card for the till, in either language. */
export const passOf = (page: Page): Locator =>
  page.getByRole('region', { name: /^(?:Your card|Tu tarjeta)$/ });

export const ENGLISH = {
  enter: 'Join the club',
  email: 'E-mail address',
  send: 'Send me the code',
  code: 'Six-digit code',
  balance: 'Your points',
};
export const SPANISH: typeof ENGLISH = {
  enter: 'Unirme al club',
  email: 'Correo electrónico',
  send: 'Enviarme el código',
  code: 'Código de seis dígitos',
  balance: 'Tus puntos',
};

/** Waits for a code in the mailbox for an address. Returns the newest. */
export async function codeFromMailbox(email: string): Promise<string> {
  const base = await clubs();
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until;) {
    const mails = (await (await fetch(`${base}/dev/mail.json`)).json()) as {
      to: string;
      code: string | null;
    }[];
    const code = mails.find((mail) => mail.to === email)?.code;
    if (code) return code;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`no code was mailed to ${email}`);
}

/** Waits until what is read from the page is as expected. A page may show a change a moment after somebody's act. */
export async function becomes<T>(read: () => Promise<T>, expected: T, message?: string): Promise<void> {
  let seen = await read();
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until;) {
    if (isDeepStrictEqual(seen, expected)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
    seen = await read();
  }
  if (message === undefined) assert.deepEqual(seen, expected);
  else assert.deepEqual(seen, expected, message);
}

/** Waits until what is read from the page matches. */
export async function comesToMatch(read: () => Promise<string | null>, expected: RegExp): Promise<void> {
  let seen = (await read()) ?? '';
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until && !expected.test(seen);) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    seen = (await read()) ?? '';
  }
  assert.match(seen, expected);
}

/** Waits until an asynchronous function in the page returns true. `waitForFunction` does not wait for promises. */
export async function waitUntil<T = undefined>(
  page: Page,
  isDone: (arg: T) => Promise<boolean>,
  arg?: T,
): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until;) {
    if (await page.evaluate(isDone as (arg: unknown) => Promise<boolean>, arg)) return;
    await page.waitForTimeout(100);
  }
  assert.fail(`never true: ${String(isDone)}`);
}

/** Waits until the newest service worker is active and has kept the page. */
export function waitForWorker(page: Page): Promise<void> {
  return waitUntil(page, async () => {
    const { active, installing, waiting } = await navigator.serviceWorker.ready;
    const isDone = active?.state === 'activated' && installing === null && waiting === null;
    return isDone && (await caches.match(location.pathname)) !== undefined;
  });
}

/** Asserts that axe finds no violation of WCAG 2.2 A and AA. */
export async function assertAccessible(page: Page, where: string): Promise<void> {
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof Axe };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const results = await axe.run(document, { runOnly: { type: 'tag', values: tags } });
    return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
  });
  assert.deepEqual(violations, [], where);
}

/** Asserts that nothing is wider than the screen. */
export async function assertFits(page: Page, where: string): Promise<void> {
  const { wide, screen } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    screen: document.documentElement.clientWidth,
  }));
  assert.ok(wide <= screen, `${where}: ${wide} pixels wide on a screen of ${screen}`);
}

export async function picture(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });
}

/** Like `picture`, without the part of the page below the screen: a dialog covers the screen only. */
export async function pictureOfScreen(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
}

/** Starts a browser. All pages share one, unless a test needs `more` switches. */
export async function launch(more: readonly string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  });
  onEnd(() => browser.close());
  return browser;
}
