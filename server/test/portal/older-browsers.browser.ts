/** The portal uses only what the oldest browsers have that it is built for: see `target` in `portal/vite.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balanceOf, signIn, visit } from './browser.ts';
import { club } from './club.ts';

test('a browser without the functions of the last years opens the club, signs in and shows every view', async () => {
  const shop = await club();
  const member = await shop.member();
  const visited = await visit(shop, { width: 1280 }, '/healthz');
  const { page, faults } = visited;
  await page.addInitScript(() => {
    const drop = (owner: object, ...names: string[]) => {
      for (const name of names) Reflect.deleteProperty(owner, name);
    };
    drop(AbortSignal, 'any');
    drop(URL, 'canParse', 'parse');
    drop(Promise, 'withResolvers', 'try');
    drop(Object, 'groupBy');
    drop(Map, 'groupBy');
    drop(Array, 'fromAsync');
    drop(Array.prototype, 'toSorted', 'toReversed', 'toSpliced', 'with');
    drop(Set.prototype, 'union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf');
    drop(globalThis, 'Iterator');
    drop(Intl, 'DurationFormat');
  });
  await page.goto(page.url().replace('/healthz', `/club/${shop.slug}`));
  await signIn(visited, member.email);
  for (const view of ['Benefits', 'Card', 'History', 'Profile']) {
    await page.getByRole('link', { name: view, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: view }).waitFor();
  }
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await balanceOf(page).waitFor();
  assert.deepEqual(faults, []);
});
