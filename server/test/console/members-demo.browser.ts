/** A manager at the demo commerce: the only commerce of its database. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { hireDemoStaff } from '../../src/operations/demo/demo-staff.ts';
import { findOrMakeDemo } from '../../src/operations/demo/find-or-make-demo.ts';
import { sql, transaction } from '#db/database.ts';
import { openStaffSession } from '#staff/staff-session.ts';
import { testDatabase } from '#test/database.ts';
import { startClubs } from '../portal/browser.ts';
import { assertUsable, openConsole } from './console.ts';
import { handOn } from './hand.ts';

const unfolded = (page: Page) => page.getByRole('group', { name: 'How it came about' });
/** A line of the history: all have a button that unfolds them. */
const movement = (page: Page, index: number) =>
  page
    .getByRole('row')
    .filter({ has: page.locator('button[aria-expanded]') })
    .nth(index);

test('on demo data: a code leads to the page, a link to one movement opens that line and scrolls to it', async (t) => {
  const db = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-demo-'));
  t.after(() => rm(folder, { recursive: true }));
  const demo = (await findOrMakeDemo(db, folder))!;
  await hireDemoStaff(db, demo.commerceId);
  const at = await startClubs({ db });
  const { rows } = await sql<{ id: number }>`select id from staff_people where name = 'Rui'`.execute(db);
  const token = await transaction(db, (tx) => openStaffSession(tx, rows[0]!.id));
  const { page, faults, base } = await openConsole('/demo/members', { token }, {}, at);
  await page.getByRole('table', { name: 'Members' }).waitFor();
  const hand = handOn(page, t);
  await hand.type(String(demo.clientCode));
  await hand.click(page.getByRole('link', { name: 'Nora' }));
  await page.getByRole('heading', { level: 1, name: 'Nora' }).waitFor();
  await unfolded(page).waitFor();
  hand.done('from a code to the arithmetic of the last purchase');
  await page.getByRole('button', { name: 'Show more' }).click();
  await movement(page, 30).waitFor();
  const id = await movement(page, 30).getAttribute('id');
  const { pathname } = new URL(page.url());
  await page.goto(`${base}/console/demo/till`);
  await page.goto(`${base}${pathname}#${id}`);
  const row = page.locator(`#${id}`);
  await row.waitFor();
  await page.locator(`#${id}-more`).getByRole('group', { name: 'How it came about' }).waitFor();
  await page.waitForFunction((rowId) => {
    const box = document.getElementById(rowId)!.getBoundingClientRect();
    return box.top >= 0 && box.bottom <= innerHeight;
  }, id!);
  await page.getByRole('link', { name: 'with this purchase' }).click();
  await page.waitForURL((url) => url.hash !== `#${id}`);
  await page
    .locator(`${new URL(page.url()).hash}-more`)
    .getByRole('group', { name: 'How it came about' })
    .waitFor();
  await assertUsable(page, 'a member of the demo');
  assert.deepEqual(faults, []);
});
