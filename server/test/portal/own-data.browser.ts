/** Things that a member decides and takes home: mails, their own data, a code that was just bought, the card on a wide screen. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { benefit } from '#test/make.ts';
import {
  assertAccessible,
  assertFits,
  becomes,
  passOf,
  picture,
  pictureOfScreen,
  visitSignedIn,
} from './browser.ts';
import { club } from './club.ts';
import { intercept } from './intercept.ts';

test('a member stops a mail and starts it again in the profile, and every choice is kept at once', async () => {
  const shop = await club();
  const member = await shop.member();
  const { page, faults } = await visitSignedIn(shop, member, { width: 320 });
  const kept = async () =>
    ((await (await shop.browser(member)).get('/v1/me/mails')).body as { birthday: boolean }).birthday;
  await page.getByRole('link', { name: 'Profile' }).click();
  const box = page.getByLabel('on my birthday');
  assert.equal(await box.isChecked(), true);
  await box.uncheck();
  await becomes(kept, false);
  await assertAccessible(page, 'profile with mails');
  await assertFits(page, 'profile with mails');
  await picture(page, 'profile-mails');
  await page.reload();
  await becomes(() => box.isChecked(), false);
  await box.check();
  await becomes(kept, true);
  assert.deepEqual(faults, []);
});

test('mails are chosen one after the other, and a choice that is refused puts only its own box back', async (t) => {
  const shop = await club();
  const { page } = await visitSignedIn(shop, await shop.member());
  await page.getByRole('link', { name: 'Profile' }).click();
  const [birthday, level] = [page.getByLabel('on my birthday'), page.getByLabel('when I reach a new tier')];
  await birthday.waitFor();
  await page.waitForLoadState('networkidle');
  const first = Promise.withResolvers<void>();
  t.after(() => first.resolve());
  const sent: string[] = [];
  await intercept(t, page, '**/v1/me/mails', async (route) => {
    const asked = route.request();
    if (asked.method() !== 'PATCH') return route.continue();
    sent.push(asked.postData()!);
    if (sent.length > 1) return route.continue();
    await first.promise;
    await route.fulfill({ status: 422, json: { detail: [] } });
  });
  await birthday.uncheck();
  await level.uncheck();
  await becomes(() => Promise.resolve(sent.length), 1);
  await page.waitForTimeout(300);
  assert.deepEqual(sent, ['{"birthday":false}']);
  first.resolve();
  await page.getByText('That was not saved.').waitFor();
  await becomes(() => Promise.resolve(sent.length), 2);
  await becomes(async () => [await birthday.isChecked(), await level.isChecked()], [true, false]);
});

test('a choice of mails without an answer says that it is not known', async (t) => {
  const shop = await club();
  const { page } = await visitSignedIn(shop, await shop.member(), { width: 320 });
  await page.getByRole('link', { name: 'Profile' }).click();
  const box = page.getByLabel('on my birthday');
  await box.waitFor();
  await intercept(t, page, '**/v1/me/mails', async (route) => {
    if (route.request().method() === 'PATCH') await route.fulfill({ status: 504, body: 'away' });
    else await route.continue();
  });
  await box.click();
  await page.getByText('We did not get an answer, so we do not know if that was saved.').waitFor();
  assert.equal(await page.getByText('That was not saved.').count(), 0);
  await picture(page, 'profile-mails-unknown');
  await assertAccessible(page, 'mails that are not known');
});

test('a look at the mails that began before a choice does not put its box back', async (t) => {
  const shop = await club();
  const member = await shop.member();
  const { page } = await visitSignedIn(shop, member);
  await page.getByRole('link', { name: 'Profile' }).click();
  const box = page.getByLabel('on my birthday');
  await box.waitFor();
  const late = Promise.withResolvers<void>();
  t.after(() => late.resolve());
  let isLate = false;
  await intercept(t, page, '**/v1/me/mails', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    isLate = true;
    await late.promise;
    await route.fulfill({ response });
  });
  // A purchase changes the page around the boxes, which looks at them again.
  await shop.sell(member, 10);
  await becomes(() => Promise.resolve(isLate), true);
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await box.uncheck();
  await saved;
  const answered = page.waitForResponse((response) => response.url().endsWith('/v1/me/mails'));
  late.resolve();
  await answered;
  await page.waitForTimeout(300);
  assert.equal(await box.isChecked(), false);
});

test('a member takes home everything that is stored about them as a file', async () => {
  const shop = await club();
  const member = await shop.member();
  await shop.sell(member, 321);
  const { page, faults } = await visitSignedIn(shop, member);
  await page.getByRole('link', { name: 'Profile' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Get the file' }).click();
  const file = await (await download).path();
  const data = JSON.parse(await readFile(file, 'utf8')) as {
    profile: { email: string };
    movements: { amount: number | null }[];
  };
  assert.equal(data.profile.email, member.email);
  assert.ok(data.movements.some(({ amount }) => amount === 321));
  await page.getByText('The file is in your downloads.').first().waitFor();
  assert.deepEqual(faults, []);
});

test('a code says until when it is valid, with the time if that is not the end of a day', async () => {
  const shop = await club({
    benefits: [
      benefit('noon', { title: 'A coffee', expiration: '2099-03-05T11:15:00+01:00' }),
      benefit('night', { title: 'A cake', expiration: '2099-03-05T23:59:59+01:00' }),
    ],
    rewards: {},
  });
  const member = await shop.member();
  await shop.sell(member, 100);
  for (const id of ['noon', 'night']) await shop.voucher(member, id);
  const { page, faults } = await visitSignedIn(shop, member, { width: 320 });
  for (const [title, words] of [
    ['A coffee', 'Valid until 5 March 2099, 11:15'],
    ['A cake', 'Valid until 5 March 2099'],
  ] as const) {
    await page.getByRole('listitem').filter({ hasText: title }).getByText(words, { exact: true }).waitFor();
    await page.getByRole('button', { name: `Show code: ${title}` }).click();
    await page.getByRole('dialog').getByText(words, { exact: true }).waitFor();
    await pictureOfScreen(page, `code-until-${title}`);
    await page.keyboard.press('Escape');
  }
  await assertFits(page, 'codes with times');
  await picture(page, 'codes-until');
  assert.deepEqual(faults, []);
});

test('a code that was just bought comes as its picture, then words, then the code, and confetti lies on no word', async () => {
  const shop = await club();
  const member = await shop.member();
  await shop.sell(member, 400);
  const { page, faults } = await visitSignedIn(shop, member, { width: 390 });
  await page
    .getByRole('button', { name: /^Get it: A coffee/ })
    .first()
    .click();
  await page.getByRole('button', { name: /^Yes, trade/ }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByText('It is yours.').waitFor();
  const tops = await sheet.evaluate((dialog) =>
    ['.code-picture', '.note', '.code-pass'].map(
      (name) => dialog.querySelector(name)!.getBoundingClientRect().top,
    ),
  );
  assert.deepEqual(
    tops,
    tops.toSorted((a, b) => a - b),
  );
  const outside = await sheet.evaluate((dialog) => {
    const place = dialog.querySelector('.code-picture')!.getBoundingClientRect();
    return [...dialog.querySelectorAll('.piece')].filter((piece) => {
      const { top, bottom } = piece.getBoundingClientRect();
      return top < place.top - 8 || bottom > place.bottom + 8;
    }).length;
  });
  assert.equal(outside, 0);
  assert.ok((await sheet.locator('.piece').count()) > 5);
  // The digits can be read without scrolling.
  const digits = (await sheet.getByText(/^[\d\s]{14,}$/).boundingBox())!;
  assert.ok(digits.y + digits.height <= 800, String(digits.y));
  await assertAccessible(page, 'a code just bought');
  await picture(page, 'code-bought');
  assert.deepEqual(faults, []);
});

test('on a wide screen the member’s codes and next benefits are beside the card, on a phone only the card', async () => {
  const shop = await club();
  const member = await shop.member();
  await shop.sell(member, 300);
  await shop.voucher(member, 'coffee');
  const { page, faults } = await visitSignedIn(shop, member, { width: 1280 });
  await page.getByRole('link', { name: 'Card', exact: true }).click();
  await page.getByRole('heading', { name: 'Almost yours' }).waitFor();
  const card = (await passOf(page).boundingBox())!;
  const ready = page.getByRole('heading', { name: 'Ready to use' });
  const box = (await ready.boundingBox())!;
  assert.ok(box.x >= card.x + card.width && box.y < card.y + card.height);
  await assertAccessible(page, 'the card with what is beside it');
  await picture(page, 'card-wide');
  await page.getByRole('button', { name: /^Show code: A coffee/ }).click();
  await page.getByRole('dialog').getByText('Show it at the till').waitFor();
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 390, height: 844 });
  await becomes(() => ready.isVisible(), false);
  assert.deepEqual(faults, []);
});

test('without a connection “Get it” says so before it asks, and asks as soon as there is one', async () => {
  const shop = await club();
  const member = await shop.member();
  await shop.sell(member, 300);
  const { page, context } = await visitSignedIn(shop, member);
  await context.setOffline(true);
  await page
    .getByRole('button', { name: /^Get it: A coffee/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('You are offline. Trading points needs a connection.').waitFor();
  assert.equal(await dialog.getByRole('button', { name: /^Yes, trade/ }).count(), 0);
  await context.setOffline(false);
  await dialog.getByRole('button', { name: /^Yes, trade/ }).waitFor();
  assert.equal(await dialog.getByText('You are offline.').count(), 0);
});

test('on the narrowest phone codes keep their pictures, and the price of the goal stands beside its words', async () => {
  const shop = await club();
  const member = await shop.member();
  await shop.sell(member, 300);
  await shop.voucher(member, 'coffee');
  const { page } = await visitSignedIn(shop, member, { width: 320 });
  await page.locator('.ticket .picture').first().waitFor();
  const words = (await page.locator('.toward-words > :first-child').boundingBox())!;
  const price = (await page.locator('.toward-words > .small').boundingBox())!;
  assert.ok(price.x > words.x + words.width - 1 && price.y < words.y + words.height);
  await assertFits(page, 'home on 320');
});
