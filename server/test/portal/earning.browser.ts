/** What earns more, what waits, and why a purchase earned what it did, as members and visitors see it in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benefit, stampCard, type MadeMember, type Shop } from '#test/make.ts';
import { assertAccessible, assertFits, becomes, picture, visit, visitSignedIn } from './browser.ts';
import { club } from './club.ts';

/** Nine in the morning of a Wednesday. */
const MORNING = {
  sandbox: true,
  clock: '2027-03-03T08:00:00Z',
  time_zone: 'Europe/Madrid',
  branches: [{ id: 3, name: 'Harbour Street' }],
  earning: {
    money_per_point: 1,
    pending: { days: 14 },
    rules: [
      {
        id: 'coffee',
        title: 'Double on coffee',
        when: { categories: ['coffee'], hours: { from: '07:00', to: '10:00' } },
        give: { multiply: 2 },
      },
      {
        id: 'night',
        title: 'Late on Fridays',
        when: { weekdays: ['friday'], hours: { from: '22:00', to: '02:00' }, branches: [3] },
        give: { points: 10 },
      },
      { id: 'tobacco', title: 'None for tobacco', when: { categories: ['tobacco'] }, give: { multiply: 0 } },
      { id: 'quiet', title: 'A secret', public: false, give: { points: 1 } },
    ],
  },
};

async function buyCoffee(shop: Shop, member: MadeMember): Promise<void> {
  const { status } = await shop.post('/v1/consumptions/client-code', {
    client_code: member.code,
    amount: 10,
    lines: [
      { id: '1', amount: 7, categories: ['coffee'] },
      { id: '2', amount: 3 },
    ],
  });
  assert.equal(status, 201);
}

test('visitors see what earns more now and next, in their language, and nothing where no rule is', async () => {
  const shop = await club(MORNING);
  const { page, faults } = await visit(shop);
  const more = page.getByRole('region', { name: 'Earns more' }).getByRole('listitem');
  await becomes(
    async () => (await more.allInnerTexts()).map((text) => text.split('\n').filter(Boolean)),
    [
      ['Double on coffee', 'Points × 2 on coffee, from 07:00 to 10:00', 'Now, until 3 March 2027, 10:00'],
      [
        'Late on Fridays',
        '10 points more, Friday, from 22:00 to 02:00, at Harbour Street',
        'From 5 March 2027, 22:00',
      ],
    ],
  );
  await assertAccessible(page, 'the shop window');
  await assertFits(page, 'the shop window');
  await picture(page, 'earning-visitor');
  assert.deepEqual(faults, []);

  const spanish = await visit(shop, { locale: 'es-ES' });
  await spanish.page.getByText('Ahora, hasta el 3 de marzo de 2027, 10:00').waitFor();
  await spanish.page.getByText('10 puntos más, viernes, de 22:00 a 02:00, en Harbour Street').waitFor();

  const plain = await visit(await club());
  await plain.page.getByRole('heading', { level: 1 }).waitFor();
  await plain.page.getByRole('list').first().waitFor();
  assert.equal(await plain.page.getByText('Earns more').count(), 0);
});

test('a member sees what waits and until when, as soon as it is bought, and why it earned so much', async () => {
  const shop = await club(MORNING);
  const member = await shop.member();
  const { page, faults } = await visitSignedIn(shop, member);
  const more = page.getByRole('region', { name: 'Earns more' });
  await more.getByText('Now, until today, 10:00').waitFor();
  await more.getByText('From Friday, 22:00').waitFor();
  assert.equal(await page.getByText('on the way').count(), 0);
  // Bought while the page is open. The balance stays as it was.
  await buyCoffee(shop, member);
  await page.getByText('18 points on the way').waitFor();
  await shop.moveClock('1 day');
  await buyCoffee(shop, member);
  await page.getByText('36 points on the way').click();
  const waiting = page.getByRole('group').filter({ hasText: 'on the way' });
  const lines = () => waiting.getByRole('listitem').allInnerTexts();
  await becomes(
    async () => (await lines()).map((line) => line.replaceAll(/\s+/g, ' ')),
    ['From 17 March 18 points', 'From 18 March 18 points'],
  );
  await assertAccessible(page, 'home');
  await assertFits(page, 'home');
  await picture(page, 'earning-home');
  await page.getByRole('link', { name: 'History', exact: true }).click();
  await page
    .getByText(/Double on coffee/)
    .first()
    .waitFor();
  await picture(page, 'earning-history');

  // A program that makes nothing wait any more: what waits is still shown.
  await shop.apply({ ...MORNING, earning: { money_per_point: 1 } });
  await page.reload();
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await page.getByText('36 points on the way').waitFor();
  assert.deepEqual(faults, []);
});

test('a member sees a stamp card fill, and what a full one gives', async () => {
  const shop = await club({
    rewards: {},
    benefits: [
      benefit('free-coffee', {
        type: 'free_product',
        title: 'A free flat white',
        value: null,
        cost: 0,
        on_sale: false,
      }),
    ],
    stamps: [stampCard('coffee', 'free-coffee', { title: 'Coffee card', need: 8, within_months: 6 })],
  });
  const member = await shop.member();
  const { page, faults } = await visitSignedIn(shop, member);
  const cards = page.getByRole('region', { name: 'Stamp cards' });
  await cards.getByRole('img', { name: '0 of 8 stamps' }).waitFor();
  const buy = async () => {
    const body = { client_code: member.code, amount: 3 };
    assert.equal((await shop.post('/v1/consumptions/client-code', body)).status, 201);
  };
  for (let n = 0; n < 5; n += 1) await buy();
  await cards.getByRole('img', { name: '5 of 8 stamps' }).waitFor();
  await cards.getByText('3 more stamps to A free flat white').waitFor();
  await cards.getByText(/^The stamps are good until /).waitFor();
  await assertAccessible(page, 'a stamp card');
  await assertFits(page, 'a stamp card');
  await picture(page, 'stamps-home');
  for (let n = 0; n < 3; n += 1) await buy();
  await page.getByText('A free flat white').first().waitFor();
  await cards.getByRole('img', { name: '0 of 8 stamps' }).waitFor();
  assert.deepEqual(faults, []);
});
