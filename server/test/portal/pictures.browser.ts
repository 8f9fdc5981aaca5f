/** Each picture that a program file may name is shown by the portal. Each that the portal would not show is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkProgram } from '#program/check-program.ts';
import { clubs, open } from './browser.ts';
import { club } from './club.ts';
import { intercept } from './intercept.ts';

const PICTURES = [
  'https://pictures.example/a.svg',
  'https://localhost:8443/a.svg',
  'https://127.0.0.1/a.svg',
  'https://pictures.example:8443/a.svg?x=1#y',
  'http://localhost:3000/a.svg',
  'http://127.0.0.1:3000/a.svg',
  'http://[::1]:3000/a.svg',
  'http://pictures.example/a.svg',
  'https://user:word@pictures.example/a.svg',
];

test('a program file may name exactly the pictures that the portal shows', async (t) => {
  const shop = await club();
  const { page } = await open({});
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"/>';
  await intercept(t, page, /a\.svg/, (route) => route.fulfill({ contentType: 'image/svg+xml', body: svg }));
  await page.goto(`${await clubs()}/club/${shop.slug}`);
  for (const picture of PICTURES) {
    const isShown = await page.evaluate(
      (src) =>
        new Promise<boolean>((resolve) => {
          const image = new Image();
          image.addEventListener('load', () => resolve(image.naturalWidth > 0));
          image.addEventListener('error', () => resolve(false));
          image.src = src;
        }),
      picture,
    );
    const checked = checkProgram({
      slug: 'a',
      name: 'A',
      currency: 'EUR',
      time_zone: 'UTC',
      earning: { money_per_point: 1 },
      logo: picture,
    });
    assert.equal(checked.ok, isShown, picture);
  }
});
