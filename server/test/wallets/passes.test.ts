import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service } from '#test/harness.ts';
import { benefit, makeShop, stampCard } from '#test/make.ts';
import { PASS_TYPE_ID, TEAM_ID } from './certificates.ts';
import { walletService } from './wallet-service.ts';

const field = (fields: readonly { key: string; value: unknown }[] = [], key: string) =>
  fields.find((one) => one.key === key)?.value;

test('a member’s card for Apple Wallet is signed and shows number, balance, tier and name', async () => {
  const wallets = await walletService();
  const shop = await makeShop({
    name: 'Harbour Bakery',
    color: '#0f5c6e',
    levels: { ladder: [{ name: 'Crumb', threshold: 0 }] },
  });
  const member = await shop.member('nora');
  await shop.sell(member, 120);
  const pass = await wallets.download(await shop.browser(member), shop.id);
  assert.equal(pass['passTypeIdentifier'], PASS_TYPE_ID);
  assert.equal(pass['teamIdentifier'], TEAM_ID);
  assert.equal(pass['organizationName'], 'Harbour Bakery');
  assert.equal(pass['backgroundColor'], 'rgb(15, 92, 110)');
  assert.equal(pass['foregroundColor'], 'rgb(255, 255, 255)');
  assert.equal(pass.webServiceURL, 'https://club.example/wallet/apple');
  assert.equal(pass.barcodes?.[0]?.format, 'PKBarcodeFormatQR');
  assert.equal(pass.barcodes[0].message, String(member.code));
  assert.equal(field(pass.storeCard['headerFields'], 'points'), 120);
  assert.equal(field(pass.storeCard['secondaryFields'], 'member'), 'nora');
  assert.equal(field(pass.storeCard['secondaryFields'], 'tier'), 'Crumb');
  assert.equal(pass.voided ?? false, false);
  assert.match(pass.authenticationToken, /^[\w-]{43}$/);
});

test('a card shows the points that wait, and nothing of them where none do', async () => {
  const wallets = await walletService();
  const shop = await makeShop({ earning: { money_per_point: 1, pending: { days: 14 } } });
  const member = await shop.member();
  const read = async () => wallets.download(await shop.browser(member), shop.id);
  assert.equal(field((await read()).storeCard['auxiliaryFields'], 'waiting'), undefined);
  await shop.sell(member, 40);
  const pass = await read();
  assert.equal(field(pass.storeCard['headerFields'], 'points'), 0);
  assert.equal(field(pass.storeCard['auxiliaryFields'], 'waiting'), 40);
});

test('a card shows the first three stamp cards of the program, and what is on them', async () => {
  const wallets = await walletService();
  const names = ['coffee', 'rolls', 'tea', 'cake'];
  const shop = await makeShop({
    benefits: [benefit('gift', { on_sale: false })],
    stamps: names.map((id) => stampCard(id, 'gift', { title: `Ten of ${id}`, need: 10 })),
    levels: { ladder: [{ id: 'first', name: 'First', threshold: 0 }] },
  });
  const member = await shop.member();
  await shop.sell(member, 4);
  const browser = await shop.browser(member);
  const { storeCard } = await wallets.download(browser, shop.id);
  const shown = (place: string) => storeCard[place]!.map(({ label, value }) => [label, value]);
  // The name and the tier leave room for two on the front.
  assert.deepEqual(shown('auxiliaryFields'), [
    ['Ten of coffee', '1 of 10'],
    ['Ten of rolls', '1 of 10'],
  ]);
  assert.deepEqual(shown('backFields')[0], ['Ten of tea', '1 of 10']);
});

test('a Spanish program has Spanish passes', async () => {
  const wallets = await walletService();
  const shop = await makeShop({ name: 'Luna', locale: 'es-ES' });
  const browser = await shop.browser(await shop.member());
  const pass = await wallets.download(browser, shop.id);
  assert.equal(pass['description'], 'Tarjeta de Luna');
  assert.equal(pass.storeCard['headerFields']![0]!.label, 'Puntos');
  const { payload } = await wallets.openGoogle(browser, shop.id);
  assert.equal((payload.loyaltyObjects[0]!['loyaltyPoints'] as { label: string }).label, 'Puntos');
});

test('the link to Google Wallet is signed by the service account and carries the shop and the card', async () => {
  const wallets = await walletService();
  const shop = await makeShop({ name: 'Harbour Bakery', color: '#0f5c6e' });
  const member = await shop.member('nora');
  await shop.sell(member, 35);
  const link = await wallets.openGoogle(await shop.browser(member), shop.id);
  assert.equal(link.iss, 'club@example.iam.gserviceaccount.com');
  assert.equal(link.typ, 'savetowallet');
  const [shopAtGoogle] = link.payload.loyaltyClasses!;
  const [card] = link.payload.loyaltyObjects;
  assert.match(String(shopAtGoogle!['id']), /^3388000000012345678\.[\w-]{22}$/);
  assert.equal(shopAtGoogle!['hexBackgroundColor'], '#0f5c6e');
  assert.deepEqual(shopAtGoogle!['programLogo'], {
    sourceUri: { uri: 'https://club.example/wallet/icon.png' },
    contentDescription: { defaultValue: { language: 'en', value: 'Harbour Bakery' } },
  });
  const digits = String(member.code);
  const grouped = `${digits.slice(0, 3)} ${digits.slice(3, 6)} ${digits.slice(6)}`;
  assert.match(String(card!['id']), /^3388000000012345678\.[\w-]{22}$/);
  assert.deepEqual(card, {
    id: card!['id'],
    classId: shopAtGoogle!['id'],
    state: 'ACTIVE',
    accountId: grouped,
    accountName: 'nora',
    loyaltyPoints: { label: 'Points', balance: { int: 35 } },
    barcode: { type: 'QR_CODE', value: digits, alternateText: grouped },
    textModulesData: [],
  });
  const icon = await wallets.fetch('/wallet/icon.png');
  assert.equal(icon.headers.get('content-type'), 'image/png');
  assert.equal(Buffer.from(await icon.arrayBuffer()).readUInt32BE(16), 660);
});

test('a shop’s own logo is named to Google', async () => {
  const wallets = await walletService();
  const shop = await makeShop({ logo: 'https://shop.example/logo.png' });
  const link = await wallets.openGoogle(await shop.browser(await shop.member()), shop.id);
  const logo = link.payload.loyaltyClasses![0]!['programLogo'] as { sourceUri: { uri: string } };
  assert.equal(logo.sourceUri.uri, 'https://shop.example/logo.png');
});

test('without wallets there are no links and no addresses', async () => {
  const { url } = await service();
  const shop = await makeShop();
  const browser = await shop.browser(await shop.member());
  const { status, body } = await browser.get('/v1/me/card/wallets');
  assert.equal(status, 200);
  assert.deepEqual(body, { google: null, apple: null });
  for (const path of [
    '/wallet/apple/cards/x',
    '/wallet/google/cards/x',
    '/wallet/apple/v1/log',
    '/wallet/icon.png',
  ])
    assert.equal((await fetch(url + path)).status, 404);
});

test('only members who take part get links', async () => {
  const wallets = await walletService();
  const shop = await makeShop();
  const other = await makeShop();
  const [active, left, blocked] = [await shop.member(), await shop.member(), await shop.member()];
  const late = await wallets.addressesOf(await shop.browser(left), shop.id);
  await shop.leave(left);
  await shop.block(blocked);
  const none = { google: null, apple: null };
  assert.deepEqual(await wallets.addressesOf(await shop.browser(left), shop.id), none);
  assert.deepEqual(await wallets.addressesOf(await shop.browser(blocked), shop.id), none);
  assert.deepEqual(await wallets.addressesOf(await other.browser(active), other.id), none);
  const open = await wallets.addressesOf(await shop.browser(active), shop.id);
  assert.match(open.apple ?? '', /^https:\/\/club\.example\/wallet\/apple\/cards\/[\w.-]+$/);
  assert.match(open.google ?? '', /^https:\/\/club\.example\/wallet\/google\/cards\/[\w.-]+$/);
  // Links from before they left.
  for (const address of [late.apple, late.google])
    assert.equal((await wallets.fetch(address!.replace('https://club.example', ''))).status, 404);
});

test('an address that was made up, changed, or made for the other wallet opens nothing', async () => {
  const wallets = await walletService();
  const shop = await makeShop();
  const { apple, google } = await wallets.addressesOf(await shop.browser(await shop.member()), shop.id);
  const [head, body, signature] = apple!.split('/').at(-1)!.split('.') as [string, string, string];
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
  const other = Buffer.from(JSON.stringify({ ...claims, cid: shop.id + 1 })).toString('base64url');
  const unsigned = Buffer.from('{"alg":"none","typ":"wallet+jwt"}').toString('base64url');
  const paths = [
    '/wallet/apple/cards/x',
    `/wallet/apple/cards/${google!.split('/').at(-1)}`,
    `/wallet/apple/cards/${head}.${other}.${signature}`,
    `/wallet/apple/cards/${unsigned}.${body}.`,
    `/wallet/apple/cards/${'x'.repeat(300)}`,
  ];
  for (const path of paths) assert.equal((await wallets.fetch(path)).status, 404, path);
  assert.equal((await wallets.fetch(`/wallet/apple/cards/${'x'.repeat(500)}`)).status, 422);
});
