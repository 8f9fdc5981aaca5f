/** The scanner that types like a keyboard, and the camera. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeQR } from 'qr';
import { benefit, makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { becomes, launch } from '../portal/browser.ts';
import { assertUsable, openConsole } from './console.ts';
import {
  amountOf,
  customerOf,
  doneOf,
  finderOf,
  handsOn,
  waitForAmount,
  waitForDone,
  waitForVoucher,
} from './till.ts';

test('a scan is taken wherever the focus is, ended by Enter or Tab, and the amount stays as it was typed', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { title: 'A coffee on us' })] });
  const cashier = await makeStaff(shop, 'cashier');
  const [ana, tom] = [await shop.member('ana'), await shop.member('tom')];
  await shop.sell(ana, 100);
  const code = await shop.voucher(ana, 'coffee');
  const { page, faults } = await openConsole(`/${shop.slug}/till`, cashier);
  const hands = handsOn(page);
  await finderOf(page).waitFor();
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await hands.scan(ana.code, 'Tab');
  await waitForAmount(page);
  await hands.type('1234');
  await becomes(() => amountOf(page).inputValue(), '1,234');

  await hands.scan(code);
  await page.getByRole('heading', { name: 'A coffee on us' }).first().waitFor();
  await becomes(() => amountOf(page).inputValue(), '1,234');

  await page.getByRole('button', { name: 'Record the purchase' }).focus();
  await hands.scan(tom.code);
  await customerOf(page).getByText('tom').first().waitFor();
  await becomes(() => amountOf(page).inputValue(), '', 'another customer begins with nothing');
  await page.getByText('€1,234 for ana was not recorded.').waitFor();
  await page.getByRole('button', { name: 'Go back to it' }).click();
  await customerOf(page).getByText('ana').first().waitFor();
  await becomes(() => amountOf(page).inputValue(), '1,234');
  assert.equal(await doneOf(page).count(), 0, 'the Enter of a scanner presses nothing');
  assert.deepEqual(faults, []);
});

test('what a hand types, however fast, is no scan; and the amount may be typed before the answer is there', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const [ana, tom] = [await shop.member('ana'), await shop.member('tom')];
  const { page, faults } = await openConsole(`/${shop.slug}/till`, cashier);
  const hands = handsOn(page);
  await finderOf(page).waitFor();
  await hands.scan(ana.code);
  await waitForAmount(page);
  await page.keyboard.type(String(tom.code), { delay: 75 });
  await becomes(() => amountOf(page).inputValue(), tom.code.toLocaleString('en-GB'));

  await page.route('**/admin/v1/find', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 800));
    await route.continue();
  });
  await finderOf(page).fill('');
  await hands.scan(tom.code);
  await hands.type('175');
  await waitForAmount(page);
  await becomes(() => amountOf(page).inputValue(), '175');
  await hands.press('Enter');
  assert.match(await waitForDone(page), /€175 · tom/);
  assert.deepEqual(faults, []);
});

test('a scan never answers the question whether to use a code', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { title: 'A coffee on us' })] });
  const cashier = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  await shop.sell(member, 100);
  const [first, second] = [await shop.voucher(member, 'coffee'), await shop.voucher(member, 'coffee')];
  const { page, faults } = await openConsole(`/${shop.slug}/till`, cashier);
  const hands = handsOn(page);
  await finderOf(page).waitFor();
  await hands.scan(first);
  await waitForVoucher(page);
  await hands.press('Enter');
  await page.getByRole('button', { name: 'Use it now' }).waitFor();
  await page.waitForTimeout(400);
  await hands.scan(second);
  await page.waitForTimeout(300);
  await page.getByRole('button', { name: 'Use it now' }).waitFor();
  assert.equal(await doneOf(page).count(), 0);
  assert.deepEqual(faults, []);
});

test('the camera reads a code, on a phone too, with the library that is loaded when it is asked for', async (t) => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const member = await shop.member('ana');
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-camera-'));
  t.after(() => rm(folder, { recursive: true }));
  const film = join(folder, 'code.y4m');
  await writeFile(film, filmOf(String(member.code)));
  const browser = await launch([
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${film}`,
  ]);
  for (const width of [390, 1280]) {
    const { page, faults, context } = await openConsole(`/${shop.slug}/till`, cashier, { width, browser });
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await finderOf(page).waitFor();
    assert.ok(!loaded.some((path) => /decode/.test(path)));
    await page.getByRole('button', { name: 'Scan with the camera' }).click();
    await waitForAmount(page);
    await becomes(async () => (await finderOf(page).inputValue()).replaceAll(' ', ''), String(member.code));
    assert.ok(
      loaded.some((path) => /_assets\/decode-/.test(path)),
      loaded.join('\n'),
    );
    await assertUsable(page, `after the camera, ${width} pixels`);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test('a browser that detects codes by itself loads no library', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const member = await shop.member('ana');
  const browser = await launch(['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream']);
  const { page, faults, base } = await openConsole(`/${shop.slug}/nowhere`, cashier, { browser });
  await page.addInitScript(() => {
    Object.assign(globalThis, {
      BarcodeDetector: class {
        static getSupportedFormats(): Promise<string[]> {
          return Promise.resolve(['qr_code', 'code_128']);
        }
        detect = () =>
          Promise.resolve([{ rawValue: sessionStorage.getItem('shown') ?? 'https://elsewhere.example' }]);
      },
    });
  });
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await page.goto(`${base}/console/${shop.slug}/till`);
  await page.getByRole('button', { name: 'Scan with the camera' }).click();
  await page.getByText('This is a code, but not one of a member or a benefit.').waitFor();
  await assertUsable(page, 'the camera');
  await page.evaluate((code) => sessionStorage.setItem('shown', code), String(member.code));
  await waitForAmount(page);
  assert.ok(!loaded.some((url) => url.includes('/decode-')));
  assert.deepEqual(faults, []);
});

test('a camera that is refused or missing is said, with a way on', async () => {
  const shop = await makeShop();
  const cashier = await makeStaff(shop, 'cashier');
  const refusing = await launch(['--use-fake-device-for-media-stream', '--deny-permission-prompts']);
  for (const [browser, title] of [
    [refusing, 'The camera is not allowed'],
    [undefined, 'There is no camera'],
  ] as const) {
    const { page, faults } = await openConsole(`/${shop.slug}/till`, cashier, {
      width: 390,
      ...(browser !== undefined && { browser }),
    });
    await page.getByRole('button', { name: 'Scan with the camera' }).click();
    await page.getByRole('heading', { name: title }).waitFor();
    await assertUsable(page, title);
    await page.getByRole('button', { name: 'Type the digits' }).click();
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
    assert.deepEqual(faults, []);
  }
});

/** A film of one picture, as Chromium's pretended camera plays it: the code in the middle of a grey table. */
function filmOf(text: string): Buffer {
  const [width, height, dot] = [640, 480, 9];
  const data = encodeQR(text, 'raw', { border: 4 });
  const size = data.length;
  const light = Buffer.alloc(width * height, 120);
  const [left, top] = [(width - size * dot) >> 1, (height - size * dot) >> 1];
  for (let y = 0; y < size * dot; y++)
    for (let x = 0; x < size * dot; x++)
      light[(top + y) * width + left + x] = data[Math.floor(y / dot)]![Math.floor(x / dot)]! ? 16 : 235;
  const grey = Buffer.alloc((width * height) / 2, 128);
  const picture = Buffer.concat([Buffer.from('FRAME\n'), light, grey]);
  return Buffer.concat([
    Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`),
    ...Array.from({ length: 10 }, () => picture),
  ]);
}
