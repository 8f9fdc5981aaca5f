/** A phone that one member hands to another: what the first has begun is not finished for the second. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MadeMember, Shop } from '#test/make.ts';
import { askForCode, mailedLinks } from '#test/sign-in.ts';
import { balanceOf, becomes, clubs, passOf, visitSignedIn, type Visit } from './browser.ts';
import { club } from './club.ts';
import { intercept } from './intercept.ts';

async function signOut({ page }: Visit): Promise<void> {
  await page.getByRole('link', { name: 'Profile', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Join the club' }).waitFor();
}

/** Signs in by the link in a mail, in another tab of the same phone. */
async function signInElsewhere({ context }: Visit, shop: Shop, { email }: MadeMember): Promise<void> {
  await askForCode(shop.id, email);
  const [token] = await mailedLinks(shop.id, email);
  const tab = await context.newPage();
  await tab.goto(`${await clubs()}/club/${shop.slug}#link=${token}`);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await balanceOf(tab).waitFor();
  await tab.close();
}

test('a file of all data that arrives after its member has signed out is not saved, in another view it is', async (t) => {
  const shop = await club();
  const phone = await visitSignedIn(shop, await shop.member());
  const { page } = phone;
  let arrive = Promise.withResolvers<void>();
  t.after(() => arrive.resolve());
  await intercept(t, page, '**/v1/me/data', async (route) => {
    await arrive.promise;
    await route.fulfill({ json: { profile: 'of the first member' } });
  });
  const saved: string[] = [];
  page.on('download', (download) => saved.push(download.suggestedFilename()));
  const ask = async () => {
    await page.getByRole('link', { name: 'Profile', exact: true }).click();
    await page.getByRole('button', { name: 'Get the file' }).click();
    await page.getByRole('button', { name: 'Getting it…' }).waitFor();
  };
  const answered = () => page.waitForResponse('**/v1/me/data').then((response) => response.finished());

  await ask();
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await balanceOf(page).waitFor();
  arrive.resolve();
  await becomes(() => Promise.resolve(saved.length), 1);

  arrive = Promise.withResolvers<void>();
  await ask();
  await signOut(phone);
  const late = answered();
  arrive.resolve();
  await late;
  await page.waitForTimeout(500);
  assert.equal(saved.length, 1);
});

test('the button of a wallet says that it is busy, asks once, and takes nobody there who has left the card', async (t) => {
  const shop = await club();
  const { page } = await visitSignedIn(shop, await shop.member());
  const arrive = Promise.withResolvers<void>();
  t.after(() => arrive.resolve());
  let asked = 0;
  await intercept(t, page, '**/v1/me/card/wallets', async (route) => {
    if (asked++ > 0) await arrive.promise;
    await route.fulfill({ json: { apple: null, google: new URL('/healthz', page.url()).href } });
  });
  await page.getByRole('link', { name: 'Card', exact: true }).click();
  const button = passOf(page).getByRole('button', { name: 'Add to Google Wallet' });
  await button.dblclick();
  await becomes(() => button.getAttribute('aria-disabled'), 'true');
  assert.equal(asked, 2);
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await balanceOf(page).waitFor();
  arrive.resolve();
  await page.waitForTimeout(500);
  assert.match(page.url(), /#home$/);
});

test('a purchase that one member has begun is not asked of the next one', async () => {
  const shop = await club();
  const [first, second] = [await shop.member(), await shop.member()];
  for (const member of [first, second]) await shop.sell(member, 450);
  const phone = await visitSignedIn(shop, first);
  const { page } = phone;
  await page
    .getByRole('button', { name: /^Get it: A coffee/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await signInElsewhere(phone, shop, second);
  await dialog.waitFor({ state: 'detached' });
  await balanceOf(page).waitFor();
  await page.waitForTimeout(500);
  assert.equal(await dialog.count(), 0);
});
