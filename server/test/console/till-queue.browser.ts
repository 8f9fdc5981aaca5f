/** A cashier with a queue: twenty purchases, five codes, one mistake. Prints the seconds and the keys of each. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sql } from '#db/database.ts';
import { findOrMakeDemo } from '../../src/operations/demo/find-or-make-demo.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { assertUsable, openConsole } from './console.ts';
import { doneOf, finderOf, handsOn, waitForAmount, waitForDone, waitForVoucher } from './till.ts';

interface Customer {
  readonly email: string;
  readonly code: number;
}

interface Queue {
  readonly id: number;
  readonly slug: string;
  readonly customers: readonly Customer[];
  /** Five codes that can be used. */
  readonly codes: readonly number[];
}

test('on the demo, a cashier serves a queue', async (t) => {
  const { db } = await service();
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-demo-'));
  t.after(() => rm(folder, { recursive: true }));
  const demo = (await findOrMakeDemo(db, folder))!;
  const { rows: customers } = await sql<Customer>`
    select m.code, m.email from members m
     where m.commerce_id = ${demo.commerceId} and m.state = 'member' and m.blocked_at is null
     order by m.id limit 20`.execute(db);
  const { rows: codes } = await sql<{ code: number }>`
    select code from vouchers
     where commerce_id = ${demo.commerceId} and used_at is null and given_back_at is null
       and (due_at is null or due_at > now() + interval '1 hour')
     order by code limit 5`.execute(db);
  await serve({ id: demo.commerceId, slug: demo.slug, customers, codes: codes.map(({ code }) => code) }, t);
});

test('on a fresh commerce, a cashier serves a queue', async (t) => {
  const shop = await makeShop({
    name: 'Harbour Bakery',
    color: '#0f5c6e',
    earning: { money_per_point: 10 },
    benefits: [benefit('coffee', { title: 'A coffee on us', cost: 10 })],
  });
  const customers = await Promise.all(Array.from({ length: 20 }, () => shop.member()));
  await shop.sell(customers[0]!, 1_000);
  const codes: number[] = [];
  for (let i = 0; i < 5; i++) codes.push(await shop.voucher(customers[0]!, 'coffee'));
  await serve({ id: shop.id, slug: shop.slug, customers, codes }, t);
});

async function serve({ id, slug, customers, codes }: Queue, t: TestContext): Promise<void> {
  assert.deepEqual([customers.length, codes.length], [20, 5]);
  const cashier = await makeStaff({ id }, 'cashier');
  const { page, faults } = await openConsole(`/${slug}/till`, cashier);
  const hands = handsOn(page);
  await finderOf(page).waitFor();
  await page.getByRole('textbox', { name: 'Which register is this?' }).fill('7');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Today at register 7' }).waitFor();
  await finderOf(page).focus();

  const figures: { how: string; seconds: number; keys: number }[] = [];
  const measure = async (how: string, work: () => Promise<void>) => {
    const [began, keys] = [performance.now(), hands.pressed()];
    await work();
    figures.push({ how, seconds: (performance.now() - began) / 1000, keys: hands.pressed() - keys });
  };
  const sell = async (amount: number) => {
    await waitForAmount(page);
    await hands.type(amount);
    await hands.press('Enter');
    assert.match(await waitForDone(page), new RegExp(amount.toLocaleString('en-GB')));
  };

  let total = 0;
  for (const [i, { code, email }] of customers.entries()) {
    // As on the demo, whose till asks about an amount ten times its usual ones.
    const amount = 12 + i * 3;
    const how = (['code', 'e-mail', 'scan'] as const)[i % 3]!;
    total += amount;
    await measure(how, async () => {
      if (how === 'scan') await hands.scan(code);
      else {
        await hands.type(how === 'code' ? code : email);
        await hands.press('Enter');
      }
      await sell(amount);
    });
  }
  for (const code of codes)
    await measure('code used', async () => {
      await hands.scan(code);
      await waitForVoucher(page);
      await hands.press('Enter');
      await page.getByRole('button', { name: 'Use it now' }).waitFor();
      // A hand needs that long to answer: an Enter that is held down does not count.
      await page.waitForTimeout(400);
      await hands.press('Enter');
      await doneOf(page).getByText('Used: ').waitFor();
      await waitForDone(page);
    });
  await measure('mistake undone', async () => {
    await hands.type(customers[3]!.code);
    await hands.press('Enter');
    await sell(99);
    await hands.press('Tab', 'Tab', 'Enter');
    await doneOf(page).getByText('Taken back', { exact: true }).waitFor();
  });
  await page.getByText(/€99 taken back/).waitFor();
  await page.getByText(`20 purchases · €${total.toLocaleString('en-GB')}`).waitFor();
  await page.getByText('5 codes used').waitFor();
  await assertUsable(page, 'after the queue');

  for (const how of ['code', 'e-mail', 'scan', 'code used', 'mistake undone']) {
    const some = figures.filter((figure) => figure.how === how);
    const mean = (of: (figure: (typeof some)[number]) => number) =>
      some.reduce((sum, figure) => sum + of(figure), 0) / some.length;
    t.diagnostic(
      `${how}: ${some.length} times, ${mean((one) => one.seconds).toFixed(1)} s and ${mean((one) => one.keys).toFixed(0)} keys on average`,
    );
  }
  for (const { how, seconds, keys } of figures) t.diagnostic(`${how} ${seconds.toFixed(2)} s ${keys} keys`);
  const { db } = await service();
  const { rows } = await sql<{ type: string; n: number; amount: number }>`
    select p.type, count(*)::int as n, coalesce(sum(p.amount), 0)::bigint as amount
      from audit a join movements p on p.commerce_id = a.commerce_id and p.id = a.movement_id
     where a.commerce_id = ${id} and a.after ->> 'register_id' = '7'
     group by p.type order by p.type`.execute(db);
  assert.deepEqual(rows, [
    { type: 'purchase', n: 21, amount: total + 99 },
    { type: 'reversal', n: 1, amount: -99 },
    { type: 'usage', n: 5, amount: 0 },
  ]);
  assert.deepEqual(faults, []);
}
