/** A shop's texts are shown as plain text, even if they contain HTML. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benefit, makeShop } from '#test/make.ts';
import { becomes, clubs, signIn, visit } from './browser.ts';

const PAYLOADS = [
  '<script>alert(1)</script>',
  '<ScRiPt>alert(1)</sCrIpT>',
  '</title><script>alert(1)</script>',
  '"><script>alert(1)</script>',
  "'><script>alert(1)</script>",
  '--><script>alert(1)</script>',
  '<!-- shop --><script>alert(1)</script>',
  '<!-- name -->',
  '</script><script>alert(1)//',
  '<img src=x onerror=alert(1)>',
  '<img src="x" onerror="alert(1)"/>',
  '<img/src=x/onerror=alert(1)>',
  '"><img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s>',
  '<math><mtext></mtext><script>alert(1)</script></math>',
  '<iframe src=javascript:alert(1)>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<object data=javascript:alert(1)>',
  '<embed src=javascript:alert(1)>',
  '<a href=javascript:alert(1)>x</a>',
  'javascript:alert(1)',
  '<body onload=alert(1)>',
  '<details open ontoggle=alert(1)>x',
  '<input autofocus onfocus=alert(1)>',
  '<video><source onerror=alert(1)></video>',
  '<marquee onstart=alert(1)>x</marquee>',
  '<form action=javascript:alert(1)><button>x',
  '<link rel=stylesheet href=javascript:alert(1)>',
  '<style>@import "javascript:alert(1)";</style>',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<base href=https://evil.example/>',
  '<template><script>alert(1)</script></template>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '{{constructor.constructor("alert(1)")()}}',
  '${alert(1)}',
  "$& $1 $` $' <b>$$</b>",
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\u202e<script>alert(1)</script>\u2066',
];

/** No host has this name. */
const PICTURES = 'https://pictures.invalid';

test('forty scripts in every text of a program are shown as text to visitors and members', async () => {
  assert.equal(PAYLOADS.length, 40);
  const base = await clubs();
  const ofShop = PAYLOADS[5]!;
  const shop = await makeShop({
    name: ofShop,
    category_name: PAYLOADS[2]!,
    logo: `${PICTURES}/nothing.png?"><svg/onload=alert(1)>`,
    levels: { ladder: PAYLOADS.map((name, i) => ({ name, threshold: i * 10 })) },
    benefits: [
      ...PAYLOADS.map((payload, i) =>
        benefit(`b-${i}`, {
          type: 'free_product',
          title: `title ${payload}`,
          description: `description ${payload}`,
          value: null,
          cost: i,
          product: { id: payload, name: `product ${payload}`, external_id: payload },
          image: `${PICTURES}/nothing.png?"onerror=alert(1)&${i}`,
          shop_coupon: { type: 'percentage', value: 1, category: payload, category_name: payload },
        }),
      ),
      benefit('gift', { benefit_type: 'birthday', title: PAYLOADS[9]!, cost: 0 }),
    ],
    rewards: { birthday: { benefit: 'gift' }, welcome: { points: 50 } },
    mail: { sender: ofShop },
  });
  const visited = await visit(shop);
  const { page, faults } = visited;
  const shown = async () => (await page.locator('body').innerText()).replaceAll('\u00a0', ' ');
  const assertShown = async (where: string) => {
    const text = await shown();
    for (const payload of PAYLOADS) {
      for (const what of ['title', 'description', 'product'])
        assert.ok(text.includes(`${what} ${payload}`), `${where}: ${what} ${payload}`);
    }
    assert.ok(text.includes(ofShop));
    assert.ok(text.includes(PAYLOADS[2]!));
  };
  await page.getByRole('link', { name: 'Join the club' }).waitFor();
  await becomes(() => page.title(), ofShop);
  await assertShown('visitor');

  const member = await shop.member('o-script-alert');
  await signIn(visited, member.email);
  assert.ok((await shown()).includes(PAYLOADS[5]!), 'the tier of 50 points');
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByLabel('Name').fill(PAYLOADS[0]!);
  await page.getByText(PAYLOADS[9]!).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').first().waitFor();
  await page.getByRole('link', { name: 'Benefits', exact: true }).click();
  await assertShown('member');
  await page.getByRole('button', { name: 'Get it' }).nth(9).click();
  await page.getByRole('button', { name: /^Yes, trade/ }).click();
  await page.getByText('It is yours.').waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByText(`Traded: title ${PAYLOADS[9]}`).waitFor();

  assert.equal(
    await page
      .locator(
        'main script, main iframe, main object, main svg:not(.qr, .icon, .drawing, .confetti), main form[action]',
      )
      .count(),
    0,
  );
  // The browser logs an error for each missing picture, which the page then leaves out.
  assert.deepEqual(
    faults.filter(
      (fault) => !fault.includes('Failed to load resource') && !fault.startsWith(`foreign: ${PICTURES}/`),
    ),
    [],
  );

  const icon = await (await fetch(`${base}/club/${shop.slug}/icon.svg`)).text();
  assert.doesNotMatch(icon, /<script/);
});
