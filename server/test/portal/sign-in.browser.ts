/** Signing in by a code: what is typed while an answer is under way, the time until the next code, and where the focus is. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { someone, wrongCode } from '#test/sign-in.ts';
import { balanceOf, becomes, codeFromMailbox, ENGLISH, visit, type Visit } from './browser.ts';
import { club } from './club.ts';
import { intercept } from './intercept.ts';

/** A visitor who has asked for a code, and the code. */
async function askForCode(screen: Parameters<typeof visit>[1] = {}): Promise<Visit & { code: string }> {
  const visited = await visit(await club(), screen);
  const { page } = visited;
  const email = someone();
  await page.getByRole('link', { name: ENGLISH.enter }).click();
  await page.getByLabel(ENGLISH.email).fill(email);
  await page.getByRole('button', { name: ENGLISH.send }).click();
  await page.getByLabel(ENGLISH.code).waitFor();
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
  // A minute goes by without a tick, as on a phone that was put aside.
  await page.evaluate(() => {
    const real = Date.now;
    Date.now = () => real() + 61_000;
  });
  await page.getByRole('button', { name: 'Send a new code' }).waitFor({ timeout: 10_000 });
});
