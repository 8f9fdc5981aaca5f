/** A member's whole journey, from the shop window to leaving the club and joining again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someone } from '#test/sign-in.ts';
import {
  assertAccessible,
  assertFits,
  becomes,
  ENGLISH,
  picture,
  type Screen,
  signIn,
  SPANISH,
  visit,
} from './browser.ts';
import { club } from './club.ts';
import { readQr } from './read-qr.ts';

const words = {
  en: {
    ...ENGLISH,
    tabs: ['Home', 'Benefits', 'History', 'Profile'],
    get: /^Get it: A coffee on us/,
    yes: /^Yes, trade/,
    bought: 'It is yours. Show this code at the till.',
    close: 'Close',
    expiry: /expire on [\w ,]+ \(in 36\d days\)/,
    tier: /Earn another .* points to reach Silver/,
    missing: '740 points to go',
    name: 'Name',
    birthday: 'Birthday',
    save: 'Save',
    saved: 'Saved.',
    leave: 'Leave the club',
    yesLeave: 'Yes, leave',
    left: 'You have left the club',
    back: 'Join again',
    traded: 'Traded: A coffee on us',
    out: 'Sign out',
  },
  es: {
    ...SPANISH,
    tabs: ['Inicio', 'Beneficios', 'Historial', 'Perfil'],
    get: /^Lo quiero: A coffee on us/,
    yes: /^Sí, canjear/,
    bought: 'Ya es tuyo. Muestra este código en la caja.',
    close: 'Cerrar',
    expiry: /Próximo vencimiento: .* puntos el \d+ de \w+ de \d{4} \(en 36\d días\)/,
    tier: /Suma .* puntos más para llegar a Silver/,
    missing: 'Te faltan 740 puntos',
    name: 'Nombre',
    birthday: 'Cumpleaños',
    save: 'Guardar',
    saved: 'Guardado.',
    leave: 'Dejar el club',
    yesLeave: 'Sí, dejarlo',
    left: 'Dejaste el club',
    back: 'Volver al club',
    traded: 'Canje: A coffee on us',
    out: 'Cerrar sesión',
  },
};

const screens: readonly Required<Screen>[] = [
  { width: 320, scheme: 'dark', locale: 'es-AR' },
  { width: 390, scheme: 'light', locale: 'en-GB' },
  { width: 1280, scheme: 'light', locale: 'es-ES' },
  { width: 1280, scheme: 'dark', locale: 'en-US' },
];

for (const screen of screens) {
  const { width, scheme, locale } = screen;
  test(`a visitor signs in, buys, shows the code, leaves and joins again, at ${width} pixels, ${scheme}, ${locale}`, async () => {
    const shop = await club();
    const say = words[locale.slice(0, 2) as 'en' | 'es'];
    const visited = await visit(shop, screen);
    const { page, faults } = visited;
    const name = (step: string) => `${width}-${scheme}-${locale.slice(0, 2)}-${step}`;
    const look = async (step: string) => {
      await picture(page, name(step));
      await assertFits(page, name(step));
      await assertAccessible(page, name(step));
    };
    const tab = async (i: number) => {
      await page.getByRole('link', { name: say.tabs[i]!, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: i === 0 ? say.balance : say.tabs[i]! }).waitFor();
    };

    await page.getByRole('link', { name: say.enter }).waitFor();
    await becomes(() => page.locator('html').getAttribute('lang'), locale);
    await look('1-visitor');

    const email = someone();
    await page.getByRole('link', { name: say.enter }).click();
    await page.getByLabel(say.email).waitFor();
    await look('2-sign-in');
    await page.getByRole('button', { name: say.send }).click();
    await page.getByRole('alert').filter({ hasText: 'ana@example.com' }).waitFor();
    await page.goBack();
    await signIn(visited, email, say);
    await look('3-new-member');

    // Two purchases at the till, and their points.
    const client = (await shop.post('/v1/clients/email', { client_email: email })).body as { code: number };
    for (const amount of [130, 80]) {
      await shop.post('/v1/consumptions/client-code', { client_code: client.code, amount });
    }
    await page.reload();
    await page.getByText('260', { exact: true }).waitFor();
    await page.getByText(say.expiry).waitFor();
    await page.getByText(say.tier).waitFor();

    await tab(1);
    await page.getByText(say.missing).waitFor();
    await look('4-benefits');
    await page.getByRole('button', { name: say.get }).click();
    await page.getByRole('dialog').waitFor();
    await look('5-confirm');
    await page.getByRole('button', { name: say.yes }).click();
    await page.getByText(say.bought).waitFor();
    await look('6-code');

    const [voucher] = (await shop.get(`/v1/clients/${client.code}/benefits`)).body as {
      client_benefit_code: number;
    }[];
    const digits = String(voucher!.client_benefit_code);
    await becomes(() => readQr(visited), digits);
    await becomes(
      async () =>
        (
          await page
            .getByRole('dialog')
            .getByText(/^[\d\s]{14,}$/)
            .innerText()
        ).replaceAll(' ', ''),
      digits,
    );
    assert.equal((await shop.get(`/v2/benefits/preview/${digits}`)).status, 200);
    await page.getByRole('button', { name: say.close, exact: true }).last().click();

    await tab(0);
    await page.getByText('110', { exact: true }).waitFor();
    await look('7-home');
    await tab(2);
    await page.getByText(say.traded).waitFor();
    await look('8-history');

    await tab(3);
    await page.getByLabel(say.name).fill('Ana María');
    await page.getByLabel(say.birthday, { exact: true }).fill('1990-05-04');
    await page.getByRole('button', { name: say.save }).click();
    await page.getByText(say.saved).first().waitFor();
    await look('9-profile');
    await page.getByRole('button', { name: say.leave }).click();
    await look('10-leave');
    await page.getByRole('button', { name: say.yesLeave }).click();
    await page.getByRole('heading', { name: say.left }).waitFor();
    await tab(0);
    await look('11-left');
    await page.getByRole('button', { name: say.back }).click();
    await page.getByRole('heading', { name: say.left }).waitFor({ state: 'detached' });
    assert.equal((await shop.get(`/v1/clients/${client.code}`)).status, 200);

    await tab(3);
    await page.getByRole('button', { name: say.out }).click();
    await page.getByRole('link', { name: say.enter }).waitFor();
    await becomes(() => page.evaluate(() => localStorage.length), 0);
    assert.deepEqual(faults, []);
  });
}
