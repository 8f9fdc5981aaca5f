/**
 * Takes a screenshot of every page and state of the portal: `npm run screenshots -- FOLDER`. Two shops, one with
 * pictures and one without any; three widths; light and dark. `ONLY=home` takes only
 * those whose name contains it, `WIDTHS=390` only those of that width.
 */
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { askForCode, mailedLinks } from '#test/sign-in.ts';
import { benefit, makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';
import {
  clubs,
  codeFromMailbox,
  keepSession,
  picture,
  pictureOfScreen,
  visit,
  type Screen,
  type Visit,
} from './browser.ts';

const WIDTHS = (process.env['WIDTHS'] ?? '390,768,1280').split(',').map(Number);
const ONLY = process.env['ONLY'] ?? '';
const DAY = 86_400_000;

/** No host has this name: the browser gets these files instead. */
const PICTURES = 'https://pictures.example';

const withPictures = (name: string) => ({ image: `${PICTURES}/${name}.svg` });

function bakery(picture: (name: string) => ProgramFields, fields: ProgramFields = {}): Promise<Shop> {
  const now = Date.now();
  return makeShop({
    name: 'Harbour Bakery',
    category_name: 'Bakery',
    color: '#0f5c6e',
    locale: 'en-GB',
    sandbox: true,
    earning: {
      money_per_point: 1,
      double_points: [
        // The members' half year passes first, by the shop's clock.
        { from: new Date(now + 160 * DAY).toISOString(), to: new Date(now + 165 * DAY).toISOString() },
      ],
    },
    points_expiration: { mode: 'rolling', months: 12 },
    levels: {
      ladder: [
        { id: 'deckhand', name: 'Deckhand', threshold: 0, points_multiplier: 1 },
        { id: 'captain', name: 'Captain', threshold: 500, points_multiplier: 1.5, benefit: 'table' },
        { id: 'admiral', name: 'Admiral', threshold: 1500, points_multiplier: 2, benefit: 'feast' },
      ],
    },
    benefits: [
      benefit('coffee', {
        type: 'free_product',
        title: 'A coffee on us',
        description: 'Any coffee, any size',
        value: null,
        cost: 120,
        product: { name: 'Flat white' },
        valid_days: 30,
        ...picture('coffee'),
      }),
      benefit('cake', {
        type: 'free_product',
        title: 'Cherry cake',
        description: 'One slice',
        value: null,
        cost: 180,
        product: { name: 'Cherry cake' },
        ...picture('cake'),
      }),
      benefit('loaf', {
        type: 'free_product',
        title: 'Country loaf',
        description: 'Sourdough, 800 g',
        value: null,
        cost: 240,
        product: { name: 'Country loaf' },
        ...picture('loaf'),
      }),
      benefit('ten-off', {
        title: '10% off',
        description: 'On one purchase, here or in the online shop',
        cost: 300,
        shop_coupon: { type: 'percentage', value: 10 },
        expiration: '2099-01-01T00:00:00Z',
      }),
      benefit('breakfast', {
        type: 'free_product',
        title: 'Breakfast for two',
        description: 'Until noon, any day',
        value: null,
        cost: 640,
        product: { name: 'Breakfast for two' },
        ...picture('breakfast'),
      }),
      benefit('hamper', {
        type: 'absolute_discount',
        title: '€25 off a hamper',
        description: 'Bread, cheese and a bottle of wine.\nFor two.',
        value: 25,
        cost: 1000,
        buy_limit: 50,
      }),
      benefit('table', {
        benefit_type: 'level',
        type: 'free_product',
        title: 'A jar of jam',
        value: null,
        cost: 0,
      }),
      benefit('feast', {
        benefit_type: 'level',
        type: 'free_product',
        title: 'A cake on us',
        value: null,
        cost: 0,
      }),
      benefit('birthday', {
        benefit_type: 'birthday',
        type: 'free_product',
        title: 'A birthday cake',
        value: null,
        cost: 0,
      }),
    ],
    rewards: { welcome: { points: 50 }, birthday: { benefit: 'birthday' } },
    ...fields,
  });
}

const pictured = await bakery(withPictures, {
  tagline: 'Breakfast pays you back',
  cover: `${PICTURES}/cover.svg`,
  logo: `${PICTURES}/logo.svg`,
});
const plain = await bakery(() => ({}), {
  name: 'The Corner Shop',
  category_name: 'Groceries',
  color: '#7a3e9d',
});

/** A member with half a year behind them: purchases, a return, a code in hand and one that was used. */
async function regular(shop: Shop): Promise<MadeMember> {
  const member = await shop.member(`ines-${shop.slug}`);
  const browser = await shop.browser(member);
  await browser.patch('/v1/me', { username: 'Inés', birth_date: '1991-05-04' });
  let days = 0;
  for (const [wait, amount] of [
    [0, 62],
    [21, 24],
    [30, 90],
    [28, 18],
    [33, 140],
    [25, 46],
    [16, 38],
    [5, 72],
    [1, 26],
  ] as const) {
    if (wait > 0) await shop.moveClock(`${wait} days`);
    days += wait;
    await shop.sell(member, amount);
    if (days === 79) {
      const code = await shop.voucher(member, 'coffee');
      await shop.moveClock('2 days');
      await shop.post('/v1/benefits/redeem', { client_benefit_code: code });
    }
  }
  await takeBack(shop, member, 9, 4);
  await shop.voucher(member, 'coffee');
  await shop.moveClock('1 day');
  return member;
}

/** A purchase of which a part is returned after something else has happened. */
async function takeBack(
  shop: Shop,
  member: MadeMember,
  amount: number,
  back: number,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const bought = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount });
  await meanwhile();
  const id = bought.headers.get('x-consumption-id');
  await shop.post(`/v1/consumptions/${id}/reversal`, { amount: back });
}

async function look(page: Page, name: string): Promise<void> {
  if (!name.includes(ONLY)) return;
  await page.evaluate(() => document.fonts.ready);
  await page.waitForLoadState('networkidle');
  await page.locator('.waiting').waitFor({ state: 'detached' });
  // As high as the page, so that the bar at the bottom is at the bottom of the picture.
  const { width, height } = page.viewportSize()!;
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  const isDialog = (await page.getByRole('dialog').count()) > 0;
  if (!isDialog) await page.setViewportSize({ width, height: Math.max(height, whole) });
  await page.waitForTimeout(80);
  if (isDialog) await pictureOfScreen(page, name);
  else await picture(page, name);
  await page.setViewportSize({ width, height });
}

async function at(shop: Shop, screen: Screen, path?: string): Promise<Visit> {
  const visited = await visit(shop, screen, '/healthz');
  await visited.context.route(`${PICTURES}/*`, (route) => {
    const name = new URL(route.request().url()).pathname;
    const body = readFileSync(new URL(`pictures${name}`, import.meta.url));
    return route.fulfill({ contentType: 'image/svg+xml', body });
  });
  await visited.page.goto((await clubs()) + (path ?? `/club/${shop.slug}`));
  return visited;
}

/** Signs in without a mail, because there are so many pictures. */
async function signedIn(shop: Shop, member: { userId: number }, screen: Screen): Promise<Visit> {
  return keepSession(await at(shop, screen), shop, member);
}

for (const [kind, shop] of [
  ['pictures', pictured],
  ['plain', plain],
] as const) {
  test(`a shop ${kind === 'plain' ? 'without' : 'with'} pictures`, async () => {
    const member = await regular(shop);
    for (const width of WIDTHS)
      for (const scheme of ['light', 'dark'] as const) {
        const name = (page: string) => `${kind}-${page}-${width}-${scheme}`;
        const visitor = await at(shop, { width, scheme });
        await visitor.page.getByRole('link', { name: 'Join the club' }).waitFor();
        await look(visitor.page, name('visitor'));
        await visitor.page.getByRole('link', { name: 'Join the club' }).click();
        await visitor.page.getByLabel('E-mail address').waitFor();
        await look(visitor.page, name('sign-in'));
        await visitor.context.close();

        const { page, context } = await signedIn(shop, member, { width, scheme });
        await page.getByText('Your points').first().waitFor();
        await look(page, name('home'));
        for (const view of ['Benefits', 'Card', 'History', 'Profile']) {
          await page.getByRole('link', { name: view, exact: true }).click();
          await page.getByRole('heading', { level: 1, name: view }).waitFor();
          await look(page, name(view.toLowerCase()));
        }
        await page.getByRole('link', { name: 'Benefits', exact: true }).click();
        await page.getByRole('button', { name: /^Get it: A coffee/ }).click();
        await look(page, name('buy'));
        await page.keyboard.press('Escape');
        await page.getByRole('link', { name: 'Home', exact: true }).click();
        await page
          .getByRole('button', { name: /^Show code/ })
          .first()
          .click();
        await look(page, name('code'));
        await context.close();
      }
  });
}

test('other states', async () => {
  const states: [string, Screen][] = [
    ['', { width: 390, scheme: 'light' }],
    ['-dark', { width: 390, scheme: 'dark' }],
    ['-es', { width: 320, scheme: 'light', locale: 'es-AR' }],
    ['-wide', { width: 1280, scheme: 'light' }],
  ];
  const empty = await makeShop({ name: 'A new shop', color: '#334155' });
  const long = await bakery(() => ({}), {
    name: 'The Old Harbour Bakery and Coffee House of Saint Bartholomew',
    color: '#ffe600',
  });
  const red = await bakery(withPictures, { name: 'Red Rooster', color: '#d40000' });
  for (const [suffix, screen] of states) {
    const snap = async (name: string, { page, context }: Visit) => {
      await look(page, `state-${name}${suffix}`);
      await context.close();
    };
    const newcomer = await pictured.member(`new-${Math.random().toString(36).slice(2)}`);
    await snap('joined', await signedIn(pictured, newcomer, screen));
    const lonely = await empty.member();
    await snap('empty-visitor', await at(empty, screen));
    await snap('empty-home', await signedIn(empty, lonely, screen));
    const none = await signedIn(empty, lonely, screen);
    await none.page.goto(`${none.page.url()}#history`);
    await snap('empty-history', none);

    await snap('long-visitor', await at(long, screen));
    const rich = await long.member('maximiliana.alexandrovna.montgomery-fitzgerald.the-third');
    await (
      await long.browser(rich)
    ).patch('/v1/me', {
      username: 'Maximiliana Alexandrovna Montgomery-Fitzgerald the Third ABC',
    });
    await long.sell(rich, 61_728_394);
    await snap('long-home', await signedIn(long, rich, screen));
    const longCard = await signedIn(long, rich, screen);
    await longCard.page.goto(`${longCard.page.url()}#card`);
    await snap('long-card', longCard);

    await snap('red-visitor', await at(red, screen));
    const debtor = await red.member();
    await takeBack(red, debtor, 300, 300, () => red.voucher(debtor, 'loaf'));
    await snap('negative-home', await signedIn(red, debtor, screen));

    const left = await pictured.member();
    await pictured.leave(left);
    await snap('left', await signedIn(pictured, left, screen));

    const slow = await at(pictured, screen, '/healthz');
    await slow.page.route('**/v1/public/**', () => undefined);
    await slow.page.goto(`${await clubs()}/club/${pictured.slug}`);
    await slow.page.getByRole('status').first().waitFor({ state: 'attached' });
    await picture(slow.page, `state-loading${suffix}`);
    await slow.context.close();
    const down = await at(pictured, screen, '/healthz');
    await down.page.route('**/v1/**', (route) => route.abort('connectionrefused'));
    await down.page.goto(`${await clubs()}/club/${pictured.slug}`);
    await down.page.getByRole('alert').waitFor();
    await snap('down', down);
    const offline = await signedIn(pictured, newcomer, screen);
    await offline.context.setOffline(true);
    await offline.page.getByRole('status').first().waitFor();
    await picture(offline.page, `state-offline${suffix}`);
    await offline.context.close();

    await snap('no-club', await at(pictured, screen, '/club/nobody-here'));
    const email = `link-${Math.random().toString(36).slice(2)}@example.com`;
    await askForCode(pictured.id, email);
    const [token] = await mailedLinks(pictured.id, email);
    await snap('link', await at(pictured, screen, `/club/${pictured.slug}#link=${token}`));
    if (screen.locale !== undefined) continue;
    const typing = await at(pictured, screen, `/club/${pictured.slug}#sign-in`);
    const address = `code-${Math.random().toString(36).slice(2)}@example.com`;
    await typing.page.getByLabel('E-mail address').fill(address);
    await typing.page.getByRole('button', { name: 'Send me the code' }).click();
    const code = await codeFromMailbox(address);
    await typing.page.getByLabel('Six-digit code').fill(code === '000000' ? '000001' : '000000');
    await typing.page.getByText('This code is wrong').waitFor();
    await snap('wrong-code', typing);
  }
});
