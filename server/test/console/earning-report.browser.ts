/** What rules have cost and brought, as a manager reads it in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { becomes, picture } from '../portal/browser.ts';
import { assertUsable, openConsole } from './console.ts';

test('a manager sees what a rule gave, what was sold, where and when, also on a phone and in Spanish', async () => {
  const shop = await makeShop({
    branches: [{ id: 3, name: 'Harbour Street' }],
    earning: {
      money_per_point: 1,
      rules: [
        {
          id: 'coffee',
          title: 'Double on coffee',
          when: { categories: ['coffee'] },
          give: { multiply: 2 },
        },
      ],
    },
  });
  const member = await shop.member();
  for (const [branch, coffee] of [
    [3, 7],
    [5, 4],
  ])
    assert.equal(
      (
        await shop.post('/v1/consumptions/client-code', {
          client_code: member.code,
          amount: coffee! + 10,
          id_suc: branch,
          lines: [
            { id: '1', product: 'latte', categories: ['coffee'], amount: coffee },
            { id: '2', product: 'cake', categories: ['pastry'], amount: 10 },
          ],
        })
      ).status,
      201,
    );
  const manager = await makeStaff(shop, 'manager');
  const { page, faults } = await openConsole(`/${shop.slug}/reports/points`, manager);
  await page.getByRole('link', { name: 'Earning', exact: true }).click();
  const row = (table: string, name: string) =>
    page
      .getByRole('region', { name: table })
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name }) })
      .locator('td')
      .allInnerTexts();
  await becomes(() => row('By rule', 'Double on coffee'), ['2', '€31', '11']);
  await becomes(() => row('By category', 'coffee'), ['2', '€11', '22']);
  await becomes(() => row('By product', 'cake'), ['2', '€20', '20']);
  await becomes(() => row('By branch', 'Harbour Street'), ['1', '€17', '24']);
  await becomes(() => row('By branch', 'Branch 5'), ['1', '€14', '18']);
  await page.getByText('2 purchases, €31, 42 points').first().waitFor({ state: 'attached' });
  await assertUsable(page, 'the report');
  await picture(page, 'earning-report');
  assert.deepEqual(faults, []);

  const phone = await openConsole(`/${shop.slug}/reports/earning`, manager, { width: 390, locale: 'es-ES' });
  await phone.page.getByRole('heading', { name: 'Por regla' }).waitFor();
  await assertUsable(phone.page, 'the report on a phone');
  await picture(phone.page, 'earning-report-phone');
  assert.deepEqual(phone.faults, []);
});
