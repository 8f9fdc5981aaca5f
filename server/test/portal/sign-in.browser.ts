/** Signing in by a code: what is typed while an answer is under way, the time until the next code, and where the focus is. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { someone, wrongCode } from '#test/sign-in.ts';
import {
  assertAccessible,
  assertFits,
  balanceOf,
  becomes,
  codeFromMailbox,
  ENGLISH,
  keepSession,
  picture,
  SPANISH,
  visit,
  visitSignedIn,
  type Visit,
} from './browser.ts';
import { club } from './club.ts';
import { intercept } from './intercept.ts';

/** A visitor who has asked for a code, and the code. */
async function askForCode(say = ENGLISH): Promise<Visit & { code: string }> {
  const visited = await visit(await club(), { width: 320, locale: say === ENGLISH ? 'en-GB' : 'es-ES' });
  const { page } = visited;
  const email = someone();
  await page.getByRole('link', { name: say.enter }).click();
  await page.getByLabel(say.email).fill(email);
  await page.getByRole('button', { name: say.send }).click();
  await page.getByLabel(say.code).waitFor();
  return { ...visited, code: await codeFromMailbox(email) };
}

/** Holds back the answers about codes until they are let go. Returns how many codes have been sent. */
async function holdAnswers(t: TestContext, page: Page) {
  const held = Promise.withResolvers<void>();
  t.after(() => held.resolve());
  let sent = 0;
  await intercept(t, page, '**/v1/auth/otp/verify', async (route) => {
    sent += 1;
    await held.promise;
    await route.continue();
  });
  return { letGo: () => held.resolve(), sent: () => sent };
}

/** A minute goes by without a tick, as on a phone that was put aside. */
async function passMinute(page: Page): Promise<void> {
  await page.evaluate(() => {
    const real = Date.now;
    Date.now = () => real() + 61_000;
  });
}

test('a code that is corrected while the first answer is under way is tried by itself, and not called wrong', async (t) => {
  const { page, code } = await askForCode();
  const { letGo, sent } = await holdAnswers(t, page);
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => seen.push(document.querySelector('[role=alert]')?.textContent ?? '')).observe(
      document.body,
      { subtree: true, childList: true, characterData: true },
    );
  });
  const field = page.getByLabel(ENGLISH.code);
  await field.fill(wrongCode(code));
  await becomes(() => Promise.resolve(sent()), 1);
  await field.fill(code);
  letGo();
  await balanceOf(page).waitFor();
  assert.equal(sent(), 2);
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  assert.deepEqual(
    seen.filter((problem) => problem.includes('wrong')),
    [],
  );
});

test('digits that are typed while a wrong code is judged stay, and are not selected', async (t) => {
  const { page, code } = await askForCode();
  const { letGo } = await holdAnswers(t, page);
  const field = page.getByLabel(ENGLISH.code);
  await field.fill(wrongCode(code));
  await field.fill(code.slice(0, 5));
  const answered = page.waitForResponse('**/v1/auth/otp/verify');
  letGo();
  await answered;
  await page.waitForTimeout(300);
  assert.equal(await page.getByText('This code is wrong').count(), 0);
  await page.keyboard.type(code.slice(5));
  await balanceOf(page).waitFor();
});

test('the time until the next code is counted by the clock, also while the page stands still', async () => {
  const { page } = await askForCode();
  await page.getByText(/You can ask for a new code in \d+ seconds/).waitFor();
  await passMinute(page);
  await page.getByRole('button', { name: 'Send a new code' }).waitFor({ timeout: 10_000 });
});

for (const [say, again, words] of [
  [
    ENGLISH,
    'Send a new code',
    'If a new e-mail comes, use its code. If none comes, the code that you have still works.',
  ],
  [
    SPANISH,
    'Enviar un código nuevo',
    'Si te llega otro correo, usa su código. Si no llega, el que tienes sigue sirviendo.',
  ],
] as const)
  test(`“${again}” says to everybody which code is good, whether or not another one was sent`, async () => {
    const { page, code } = await askForCode(say);
    await passMinute(page);
    await page.getByRole('button', { name: again }).click();
    await page.getByRole('main').getByText(words).waitFor();
    await picture(page, `new-code-${again}`);
    await assertFits(page, 'a new code');
    await assertAccessible(page, 'a new code');
    await becomes(() => page.locator('#news').textContent(), words);
    // The service has sent none, because its minute is not over.
    await page.getByLabel(say.code).fill(code);
    await balanceOf(page).waitFor();
  });

/** The words of what the focus is on; null if it is on nothing. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement, body } = document;
    return activeElement === body ? null : activeElement!.textContent;
  });

test('“Use a different address” puts the focus on the field of the address', async () => {
  const { page } = await askForCode();
  await page.getByRole('button', { name: 'Use a different address' }).click();
  await becomes(() => page.getByLabel(ENGLISH.email).evaluate((e) => e === document.activeElement), true);
});

test('after signing out, and after a session has ended, the focus is on the heading', async () => {
  const shop = await club();
  const member = await shop.member();
  const visited = await visitSignedIn(shop, member);
  const { page } = visited;
  await becomes(() => focused(page), null, 'a page that opens leaves the focus where it is');
  await page.getByRole('link', { name: 'Profile', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await becomes(() => focused(page), 'Points at Harbour Bakery');

  await keepSession(visited, shop, member);
  await page.evaluate(([key, tokens]) => localStorage.setItem(key, JSON.stringify(tokens)), [
    `loyalty/${shop.id}`,
    { access: 'ended', refresh: 'ended', expires_at: 0 },
  ] as const);
  await page.getByText('Your session has ended.').waitFor();
  await becomes(() => focused(page), 'Join or sign in');
});
