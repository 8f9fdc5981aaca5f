/** Keyboard-only use, empty clubs, all kinds of colours, long histories, and the first load. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeShop } from '#test/make.ts';
import {
  assertAccessible,
  assertFits,
  becomes,
  codeFromMailbox,
  comesToMatch,
  picture,
  signIn,
  visit,
  visitSignedIn,
} from './browser.ts';
import { club } from './club.ts';

/** Presses Tab until the focus is on an element with this name. Fails if the focus is not visible there. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement;
      const label = (element as HTMLInputElement).labels?.[0]?.textContent;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return {
        name: element.getAttribute('aria-label') ?? label ?? element.textContent ?? '',
        outline: `${outlineStyle} ${outlineWidth}`,
      };
    });
    if (!name.test(focused.name)) continue;
    assert.equal(focused.outline, 'solid 3px', `the focus on ${focused.name} is not visible`);
    return;
  }
  assert.fail(`Tab never reaches ${name}`);
}

test('everything can be done with the keyboard alone', async () => {
  const shop = await club();
  const member = await shop.member();
  await shop.sell(member, 300);
  const { page, faults } = await visit(shop, { width: 1280 });
  await page.getByRole('link', { name: 'Join the club' }).waitFor();
  const press = async (name: RegExp) => {
    await tabTo(page, name);
    await page.keyboard.press('Enter');
  };
  await page.keyboard.press('Tab');
  await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'Skip to content');
  await page.keyboard.press('Enter');
  await press(/^Join the club$/);
  await tabTo(page, /^E-mail address$/);
  await page.keyboard.type(member.email);
  await page.keyboard.press('Enter');
  await page.getByLabel('Six-digit code').waitFor();
  await page.keyboard.type(await codeFromMailbox(member.email));
  await page.getByRole('heading', { name: 'Your points' }).waitFor();
  await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'Your points');

  await press(/^Card$/);
  await page.getByRole('heading', { name: 'Your card' }).waitFor();
  await press(/^Benefits$/);
  await page.getByRole('heading', { name: 'Benefits' }).waitFor();
  await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'Benefits');
  await press(/^Get it: A coffee/);
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.match(
    (await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))) ?? '',
    /^Get it/,
  );
  await page.keyboard.press('Enter');
  await press(/^Yes, trade/);
  await page.getByText('It is yours.').waitFor();
  await press(/^Close$/);
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await press(/^Home$/);
  await press(/^Show code/);
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await press(/^Profile$/);
  await page.getByRole('heading', { name: 'Profile' }).waitFor();
  await tabTo(page, /^Name$/);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Ana');
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').first().waitFor();
  await press(/^Leave the club$/);
  await press(/^Yes, leave$/);
  await page.getByRole('heading', { name: 'You have left the club' }).waitFor();
  await press(/^Join again$/);
  await page.getByRole('heading', { name: 'You have left the club' }).waitFor({ state: 'detached' });
  await press(/^Sign out$/);
  await page.getByRole('link', { name: 'Join the club' }).waitFor();
  assert.deepEqual(faults, []);
});

test('a club without benefits, tiers, expiry or purchases says what to do on every empty page', async () => {
  const shop = await makeShop({ name: 'A new shop' });
  const visited = await visit(shop, { width: 320 });
  const { page, faults } = visited;
  await page.getByText('There are no benefits at the moment.').waitFor();
  const member = await shop.member();
  await signIn(visited, member.email);
  await page.getByText('Your points do not expire.').waitFor();
  await page.getByText('You have no codes yet.').waitFor();
  assert.equal(await page.getByText('Your tier').count(), 0);
  await assertAccessible(page, 'empty home');
  await picture(page, 'empty-home');
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByText('Nothing here yet. Give your e-mail address at the till').waitFor();
  await assertAccessible(page, 'empty history');
  await assertFits(page, 'empty history');
  assert.deepEqual(faults, []);
});

test('with any shop colour, everything is readable on light and dark backgrounds', async () => {
  for (const color of ['#ffffff', '#000000', '#ffee00', '#777777', '#ff0000']) {
    const shop = await club({ color });
    const { page } = await visit(shop);
    await page.getByRole('link', { name: 'Join the club' }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await picture(page, `color-${color.slice(1)}-${colorScheme}`);
      await assertAccessible(page, `${color}, ${colorScheme}`);
    }
  }
});

test('in a low window, on a phone on its side or at twice the size, the tabs stand whole in the head', async () => {
  const shop = await club();
  const member = await shop.member();
  await shop.sell(member, 200);
  const visited = await visitSignedIn(shop, member);
  const { page, faults } = visited;
  for (const [width, height] of [
    [844, 390],
    [667, 375],
    [640, 400],
    [500, 400],
    [320, 256],
  ] as const) {
    const where = `${width}x${height}`;
    await page.setViewportSize({ width, height });
    for (const view of ['#home', '#card']) {
      await page.evaluate((hash) => (location.hash = hash), view);
      await page.locator(`nav a[href="${view}"][aria-current]`).waitFor();
      const seen = await page.evaluate(() => {
        const box = (element: Element) => element.getBoundingClientRect();
        const tabs = [...document.querySelectorAll('nav a')];
        const cards = [...document.querySelectorAll('h1, .headline, .greeting, .pass, .balance')];
        return {
          cut: tabs
            .filter((tab) => {
              const words = tab.querySelector('span')!;
              const icon = box(tab.querySelector('.icon')!);
              return words.scrollWidth > words.clientWidth || icon.top < 0 || box(tab).right > innerWidth;
            })
            .map((tab) => tab.textContent),
          covered: cards.some((card) => box(card).top < Math.max(...tabs.map((tab) => box(tab).bottom))),
          opaque: getComputedStyle(document.querySelector('nav')!).backgroundColor,
        };
      });
      assert.deepEqual(seen, { cut: [], covered: false, opaque: 'rgba(0, 0, 0, 0)' }, `${where} ${view}`);
      await assertFits(page, `${where} ${view}`);
      await assertAccessible(page, `${where} ${view}`);
      await picture(page, `low-${where}-${view.slice(1)}`);
    }
  }
  assert.deepEqual(faults, []);
});

test('a hyphen in a sentence is narrower than a letter, and figures that stand below each other have one width', async () => {
  const shop = await club();
  const { page } = await visit(shop);
  const widths = await page.evaluate(async () => {
    await document.fonts.load('450 16px Inter');
    const widthOf = (text: string, name: string) => {
      const line = document.createElement('span');
      line.className = name;
      line.textContent = text.repeat(50);
      document.body.append(line);
      const { width } = line.getBoundingClientRect();
      line.remove();
      return width;
    };
    return {
      hyphen: widthOf('-', ''),
      letter: widthOf('a', ''),
      one: widthOf('1', 'figure'),
      eight: widthOf('8', 'figure'),
    };
  });
  assert.ok(widths.hyphen < 0.9 * widths.letter, JSON.stringify(widths));
  assert.equal(widths.one, widths.eight);
});

test('a long history can be read page by page to its end', async () => {
  const shop = await club();
  const member = await shop.member();
  for (let i = 1; i <= 44; i++) await shop.sell(member, i);
  const visited = await visit(shop);
  const { page, faults } = visited;
  await signIn(visited, member.email);
  await page.getByRole('link', { name: 'History' }).click();
  const rows = page.getByRole('main').getByRole('listitem');
  for (const count of [20, 40, 45]) {
    await page.waitForFunction((count) => document.querySelectorAll('main li').length === count, count);
    if (count < 45) await page.getByRole('button', { name: 'Show more' }).click();
  }
  await comesToMatch(() => rows.first().innerText(), /Purchase: €44[^]*\+44\s+points/);
  await comesToMatch(() => rows.last().innerText(), /Welcome gift[^]*\+50\s+points/);
  await page.getByText('You have reached the end.').waitFor();
  assert.deepEqual(faults, []);
});

test('a visitor’s first load is a handful of small files, all from the service itself', async (t) => {
  const shop = await club();
  const { page, faults } = await visit(shop, {}, '/club/_assets/nothing');
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  // The "slow 4G" profile of browser developer tools.
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: (1.6 * 1024 * 1024) / 8,
    uploadThroughput: (750 * 1024) / 8,
  });
  faults.length = 0;
  await page.goto(page.url().replace('_assets/nothing', shop.slug));
  await page.getByRole('link', { name: 'Join the club' }).waitFor();
  const { painted, usable, files } = await page.evaluate(() => ({
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    usable: performance.now(),
    files: (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).map(
      ({ name, encodedBodySize }) => ({ name: new URL(name).pathname, bytes: encodedBodySize }),
    ),
  }));
  t.diagnostic(`slow network: first paint ${Math.round(painted)} ms, usable ${Math.round(usable)} ms`);
  const scripts = files.filter(({ name }) => name.endsWith('.js'));
  assert.equal(scripts.length, 1);
  assert.ok(scripts[0]!.bytes > 0 && scripts[0]!.bytes <= 45 * 1024);
  assert.ok(files.length <= 8, JSON.stringify(files));
  assert.deepEqual(faults, []);
});
