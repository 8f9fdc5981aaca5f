/**
 * Takes a picture of every screen and state of the console, with those of the portal: `npm run screenshots -- FOLDER`. Three
 * widths, light and dark, English and Spanish. `ONLY=search` takes only those whose name contains it, `WIDTHS=390` only
 * those of that width, `LOCALES=en-GB` only those in that language.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { picture, pictureOfScreen } from '../portal/browser.ts';
import { openConsole } from './console.ts';
import { DEVELOPER_SCENES } from './scenes/developers.ts';
import { FIRST_DAY_SCENES } from './scenes/first-day.ts';
import { FRAME_SCENES } from './scenes/frame.ts';
import { MEMBER_SCENES } from './scenes/members.ts';
import { REPORT_SCENES } from './scenes/reports.ts';
import { ORDER_SCENES } from './scenes/orders.ts';
import { PROGRAM_SCENES } from './scenes/program.ts';
import { TILL_SCENES } from './scenes/till.ts';
import type { Scene } from './scenes/scene.ts';
import { makeWorld } from './scenes/world.ts';

const SCENES: readonly Scene[] = [
  ...FRAME_SCENES,
  ...FIRST_DAY_SCENES,
  ...TILL_SCENES,
  ...MEMBER_SCENES,
  ...ORDER_SCENES,
  ...PROGRAM_SCENES,
  ...REPORT_SCENES,
  ...DEVELOPER_SCENES,
];

const WIDTHS = (process.env['WIDTHS'] ?? '390,768,1280').split(',').map(Number);
const LOCALES = (process.env['LOCALES'] ?? 'en-GB,es-AR').split(',');
const SCHEMES = (process.env['SCHEMES'] ?? 'light,dark').split(',') as ('light' | 'dark')[];
const ONLY = process.env['ONLY'] ?? '';

test('every screen and state of the console', async () => {
  const world = await makeWorld();
  const failed: string[] = [];
  for (const scene of SCENES.filter(({ name }) => `console-${name}`.includes(ONLY)))
    for (const width of WIDTHS)
      for (const locale of LOCALES)
        for (const scheme of SCHEMES) await take(scene, { width, locale, scheme });

  assert.deepEqual(failed, [], 'scenes that were not reached');

  async function take(scene: Scene, screen: { width: number; locale: string; scheme: 'light' | 'dark' }) {
    const staff = scene.role === null ? null : world.staff[scene.role];
    const seat = await openConsole('/../healthz', staff, {
      ...screen,
      height: screen.width < 500 ? 844 : 800,
    });
    const { page, context, base } = seat;
    page.setDefaultTimeout(20_000);
    const name = `console-${scene.name}-${screen.width}-${screen.scheme}-${screen.locale.slice(0, 2)}`;
    await scene.before?.(page, world);
    await page.goto(`${base}/console${scene.path(world)}`);
    // The others are taken all the same.
    await scene.reach?.(page, world)?.catch((error) => failed.push(`${name}: ${error}`));
    await page.evaluate(() => document.fonts.ready);
    await page.waitForTimeout(250);
    const isAbove = await page.evaluate(() => document.querySelector('dialog[open], :popover-open') !== null);
    await (isAbove ? pictureOfScreen : picture)(page, name);
    await context.close();
  }
});
