/** The link in the sign-in mail, followed in a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Shop } from '#test/make.ts';
import { age, askForCode, mailedLinks, someone } from '#test/sign-in.ts';
import { assertAccessible, assertFits, clubs, ENGLISH, picture, SPANISH, visit } from './browser.ts';
import { club } from './club.ts';

const words = {
  en: {
    ...ENGLISH,
    title: 'Sign in at Harbour Bakery',
    press: 'Sign in',
    replaces: 'You are already signed in on this device. Signing in with the link replaces that.',
    dead: 'This link no longer works',
    again: 'Get a new code',
    toClub: 'Go to your club',
    profile: 'Profile',
    signedInAs: (email: string) => `Signed in as ${email}`,
  },
  es: {
    ...SPANISH,
    title: 'Entrar en Harbour Bakery',
    press: 'Entrar',
    replaces: 'Ya hay una sesión iniciada en este dispositivo. Si entras con el enlace, la reemplazas.',
    dead: 'Este enlace ya no sirve',
    again: 'Pedir un código nuevo',
    toClub: 'Ir a tu club',
    profile: 'Perfil',
    signedInAs: (email: string) => `Sesión iniciada como ${email}`,
  },
};

/** Asks for a code and returns the secret of the link beside it. */
async function freshLink(shop: Shop, email: string): Promise<string> {
  await age(email, '61 seconds');
  assert.equal((await askForCode(shop.id, email)).status, 200);
  const [token = ''] = await mailedLinks(shop.id, email);
  return token;
}

for (const { width, scheme, locale } of [
  { width: 390, scheme: 'light', locale: 'en-GB' },
  { width: 320, scheme: 'dark', locale: 'es-AR' },
  { width: 1280, scheme: 'light', locale: 'en-US' },
] as const)
  test(`a link signs in at the press of a button and stays out of every address, at ${width} pixels, ${scheme}, ${locale}`, async () => {
    const shop = await club();
    const say = words[locale.slice(0, 2) as 'en' | 'es'];
    const [email, other] = [someone(), someone('eva')];
    const [token, otherToken] = [await freshLink(shop, email), await freshLink(shop, other)];
    const path = `/club/${shop.slug}`;
    const { page, faults } = await visit(shop, { width, scheme, locale }, '/healthz');
    const requests: string[] = [];
    page.on('request', (request) => requests.push(`${request.url()} ${request.headers()['referer']}`));
    const look = async (step: string) => {
      const name = `link-${width}-${scheme}-${locale.slice(0, 2)}-${step}`;
      await picture(page, name);
      await assertFits(page, name);
      await assertAccessible(page, name);
    };
    const follow = (secret: string) =>
      // A link in a mail opens a page of its own; here the page is left first.
      page.goto('about:blank').then(async () => page.goto(`${await clubs()}${path}#link=${secret}`));
    const press = () => page.getByRole('button', { name: say.press }).click();

    await follow(token);
    await page.getByRole('heading', { level: 1, name: say.title }).waitFor();
    assert.equal(page.url(), (await clubs()) + path);
    assert.ok(!(await page.content()).includes(email));
    assert.ok(!(await page.content()).includes(token));
    await page.waitForLoadState('networkidle');
    assert.ok(!requests.some((request) => request.includes('/v1/auth/')), 'nothing is sent before the press');
    await look('1-asked');
    await press();
    await page.getByRole('heading', { level: 1, name: say.balance }).waitFor();

    await follow(otherToken);
    await page.getByText(say.replaces).waitFor();
    await look('2-signed-in');
    await press();
    await page.getByRole('heading', { level: 1, name: say.balance }).waitFor();
    await page.getByRole('link', { name: say.profile, exact: true }).click();
    await page.getByText(say.signedInAs(other)).waitFor();

    // Pasted into the address bar of the open page.
    await page.evaluate((secret) => (location.hash = `#link=${secret}`), token);
    await page.getByRole('heading', { level: 1, name: say.title }).waitFor();
    assert.equal(page.url(), (await clubs()) + path);
    assert.deepEqual(faults, []);
    await press();
    await page.getByRole('heading', { level: 1, name: say.dead }).waitFor();
    await look('3-dead');
    await page.getByRole('button', { name: say.toClub }).click();
    await page.getByRole('heading', { level: 1, name: say.balance }).waitFor();

    await page.evaluate(() => localStorage.clear());
    await follow('no-such-link');
    await press();
    await page.getByRole('button', { name: say.again }).click();
    await page.getByLabel(say.email).waitFor();
    assert.ok(!requests.some((request) => request.includes(token) || request.includes(otherToken)));
    // The browser reports the two refusals, and nothing else.
    assert.deepEqual(
      faults.filter((fault) => !/status of 400/.test(fault)),
      [],
    );
  });
