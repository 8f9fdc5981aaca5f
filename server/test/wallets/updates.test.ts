import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Sql } from '#db/database.ts';
import { onEnd, testDatabase } from '#test/database.ts';
import { benefit, type Browser, type MadeMember, makeShop, type Shop, stampCard } from '#test/make.ts';
import { createUpdateCounts, startUpdateSender } from '#wallets/send-updates.ts';
import { startAppleServer, type AppleServer } from './apple-server.ts';
import { PASS_TYPE_ID } from './certificates.ts';
import { startGoogleServer, type FakeGoogle } from './google-server.ts';
import { readPackage, type PassJson } from './read-package.ts';
import { walletService, type WalletService } from './wallet-service.ts';

let wallets: WalletService;
let apple: AppleServer;
let google: FakeGoogle;
const counts = createUpdateCounts();
const logged: string[] = [];

before(async () => {
  wallets = await walletService();
  apple = await startAppleServer(wallets.authority.certificate);
  google = await startGoogleServer(wallets.publicKey);
  const log = (_: unknown, text: string) => void logged.push(text);
  const sender = startUpdateSender({
    db: await testDatabase(),
    wallets: wallets.settings,
    log: { info: log, warn: log } as never,
    counts,
    servers: { apple, google },
    everyMs: 50,
  });
  onEnd(() => sender.stop());
});

/** Waits until something is so, up to ten seconds. */
async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await isSo())) {
    if (performance.now() > end) assert.fail(`not within 10 s: ${what}`);
    await sleep(20);
  }
}

/** A phone with a member’s card in its wallet. */
interface Phone {
  readonly device: string;
  readonly pushToken: string;
  readonly pass: PassJson;
}

const registration = (phone: Phone) =>
  `/wallet/apple/v1/devices/${phone.device}/registrations/${PASS_TYPE_ID}/${phone.pass.serialNumber}`;

const authorized = ({ pass }: Phone) => ({ authorization: `ApplePass ${pass.authenticationToken}` });

function register(phone: Phone, headers: Record<string, string> = authorized(phone)): Promise<Response> {
  return wallets.fetch(registration(phone), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ pushToken: phone.pushToken }),
  });
}

async function newPhone(shop: Shop, browser: Browser): Promise<Phone> {
  const pass = await wallets.download(browser, shop.id);
  const phone = { device: randomBytes(16).toString('hex'), pushToken: randomBytes(32).toString('hex'), pass };
  assert.equal((await register(phone)).status, 201);
  return phone;
}

async function listChanged(phone: Phone, since?: string) {
  const query = since === undefined ? '' : `?passesUpdatedSince=${since}`;
  const response = await wallets.fetch(
    `/wallet/apple/v1/devices/${phone.device}/registrations/${PASS_TYPE_ID}${query}`,
  );
  if (response.status === 204) return { serialNumbers: [], lastUpdated: null };
  assert.equal(response.status, 200);
  return (await response.json()) as { serialNumbers: string[]; lastUpdated: string };
}

function fetchPass(phone: Phone, headers: Record<string, string> = {}): Promise<Response> {
  return wallets.fetch(`/wallet/apple/v1/passes/${PASS_TYPE_ID}/${phone.pass.serialNumber}`, {
    headers: { ...authorized(phone), ...headers },
  });
}

async function readPass(phone: Phone): Promise<PassJson> {
  const response = await fetchPass(phone);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/vnd.apple.pkpass');
  return readPackage(Buffer.from(await response.arrayBuffer()), wallets.authority.certificate);
}

const pointsOn = (pass: PassJson) =>
  pass.storeCard['headerFields']!.find(({ key }) => key === 'points')?.value;

/** Waits until nothing is left to send to this phone. */
async function quiet(phone: Phone): Promise<void> {
  await until('the sender has finished', async () => (await rowOf(phone)).dueAt === null);
}

async function rowOf(
  phone: Phone,
): Promise<{ dueAt: Date | null; attempts: number; lastError: string | null }> {
  const { rows } = await sql<{ dueAt: Date | null; attempts: number; lastError: string | null }>`
    select due_at as "dueAt", attempts, last_error as "lastError"
      from wallet_passes where serial = ${phone.pass.serialNumber.split('.')[1]}`.execute(
    await testDatabase(),
  );
  return rows[0]!;
}

const buy = (shop: Shop, { code }: MadeMember, amount: number) =>
  shop.post('/v1/consumptions/client-code', { client_code: code, amount });

test('a purchase changes the balance on the phones of the member', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const browser = await shop.browser(member);
  const phone = await newPhone(shop, browser);
  await until('the first push', () => apple.pushesTo(phone.pushToken) === 1);
  await quiet(phone);
  assert.equal(pointsOn(phone.pass), 0);

  assert.equal((await buy(shop, member, 42)).status, 201);
  await until('a push', () => apple.pushesTo(phone.pushToken) === 2);
  const push = apple.pushes.find(({ pushToken }) => pushToken === phone.pushToken)!;
  assert.deepEqual(
    { topic: push.topic, body: push.body, certifiedFor: push.certifiedFor },
    { topic: PASS_TYPE_ID, body: '{}', certifiedFor: PASS_TYPE_ID },
  );
  const { serialNumbers, lastUpdated } = await listChanged(phone);
  assert.deepEqual(serialNumbers, [phone.pass.serialNumber]);
  const updated = await readPass(phone);
  assert.equal(pointsOn(updated), 42);
  assert.equal(updated.serialNumber, phone.pass.serialNumber);
  assert.equal(updated.authenticationToken, phone.pass.authenticationToken);
  assert.deepEqual((await listChanged(phone, String(Number(lastUpdated) + 60_000))).serialNumbers, []);

  const first = await fetchPass(phone);
  const again = await fetchPass(phone, { 'if-modified-since': first.headers.get('last-modified')! });
  assert.equal(again.status, 304);
});

test('a purchase that changes nothing on the pass, and a look an hour later, push nothing', async () => {
  const shop = await makeShop({ earning: { money_per_point: 100 } });
  const member = await shop.member();
  const phone = await newPhone(shop, await shop.browser(member));
  await until('the first push', () => apple.pushesTo(phone.pushToken) === 1);
  await quiet(phone);
  await buy(shop, member, 1);
  await sql`update wallet_passes set checked_at = now() - interval '2 hours' where commerce_id = ${shop.id}`.execute(
    await testDatabase(),
  );
  await until('it was looked at', async () => {
    const { rows } = await sql<{ isRecent: boolean }>`
      select checked_at > now() - interval '1 minute' and due_at is null as "isRecent"
        from wallet_passes where commerce_id = ${shop.id}`.execute(await testDatabase());
    return rows[0]!.isRecent;
  });
  assert.equal(apple.pushesTo(phone.pushToken), 1);
});

test('a stamp changes the cards on the phone and at Google, also where the purchase earns nothing', async () => {
  const shop = await makeShop({
    earning: { money_per_point: 100 },
    benefits: [benefit('gift', { on_sale: false })],
    stamps: [stampCard('coffee', 'gift', { title: 'Coffees' })],
  });
  const member = await shop.member();
  const browser = await shop.browser(member);
  const phone = await newPhone(shop, browser);
  const { payload } = await wallets.openGoogle(browser, shop.id);
  const cardId = String(payload.loyaltyObjects[0]!['id']);
  const onPhone = async () => (await readPass(phone)).storeCard['auxiliaryFields']![0]!.value;
  const atGoogle = () =>
    (google.stored.get(cardId)?.['textModulesData'] as { body: string }[] | undefined)?.[0]?.body;
  assert.equal(await onPhone(), '0 of 3');
  await until('the card is at Google', () => atGoogle() === '0 of 3');
  await buy(shop, member, 1);
  await until('the stamp is at Google', () => atGoogle() === '1 of 3');
  await until('the stamp is on the phone', async () => (await onPhone()) === '1 of 3');
  await buy(shop, member, 1);
  await buy(shop, member, 1);
  await until('the card is full, and another begins', () => atGoogle() === '0 of 3');
});

test('a purchase changes the card at Google, which is told about the shop first', async () => {
  const shop = await makeShop({ name: 'Harbour Bakery' });
  const member = await shop.member('nora');
  const browser = await shop.browser(member);
  const link = await wallets.openGoogle(browser, shop.id);
  const [card] = link.payload.loyaltyObjects;
  const cardId = String(card!['id']);
  const shopId = String(card!['classId']);
  await until('the card is stored', () => google.stored.has(cardId));
  assert.deepEqual(google.callsAbout(shopId), ['PATCH loyaltyClass 404', 'POST loyaltyClass 200']);
  assert.deepEqual(google.callsAbout(cardId), ['PATCH loyaltyObject 404', 'POST loyaltyObject 200']);
  assert.deepEqual(google.stored.get(cardId), card);
  assert.deepEqual(google.stored.get(shopId), link.payload.loyaltyClasses![0]);

  await buy(shop, member, 42);
  const balance = () =>
    (google.stored.get(cardId)!['loyaltyPoints'] as { balance: { int: number } }).balance.int;
  await until('the new balance', () => balance() === 42);
  assert.equal(google.callsAbout(cardId).at(-1), 'PATCH loyaltyObject 200');
  assert.equal(google.tokensGiven(), 1);

  // Google knows the shop now, so the next link is shorter.
  const second = await wallets.openGoogle(browser, shop.id);
  assert.equal(second.payload.loyaltyClasses, undefined);
  assert.equal(second.payload.loyaltyObjects[0]!['id'], cardId);
  assert.ok(second.address.length < 1_800, `${second.address.length} characters`);
});

test('a new name of the shop reaches Google and phones with the next look', async () => {
  const shop = await makeShop({ name: 'Old Bakery' });
  const browser = await shop.browser(await shop.member());
  const phone = await newPhone(shop, browser);
  const link = await wallets.openGoogle(browser, shop.id);
  const shopId = String(link.payload.loyaltyClasses![0]!['id']);
  await until('the shop is stored', () => google.stored.get(shopId)?.['issuerName'] === 'Old Bakery');
  await quiet(phone);
  const pushed = apple.pushesTo(phone.pushToken);
  await shop.apply({ name: 'New Bakery' });
  await sql`update wallet_passes set checked_at = now() - interval '2 hours' where commerce_id = ${shop.id}`.execute(
    await testDatabase(),
  );
  await until('the new name', () => google.stored.get(shopId)!['issuerName'] === 'New Bakery');
  await until('a push', () => apple.pushesTo(phone.pushToken) > pushed);
  assert.equal((await readPass(phone))['organizationName'], 'New Bakery');
});

test('a card of anyone who leaves is void, and valid again once they are back', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const browser = await shop.browser(member);
  const phone = await newPhone(shop, browser);
  const card = (await wallets.openGoogle(browser, shop.id)).payload.loyaltyObjects[0]!;
  const cardId = String(card['id']);
  const subscription = (method: string) =>
    wallets.fetch('/v1/me/subscription', {
      method,
      headers: { authorization: `Bearer ${browser.token}`, 'x-commerce-id': String(shop.id) },
    });
  await until('the card is stored', () => google.stored.get(cardId)?.['state'] === 'ACTIVE');
  await quiet(phone);
  const pushed = apple.pushesTo(phone.pushToken);

  assert.equal((await subscription('DELETE')).status, 200);
  await until('the card is inactive', () => google.stored.get(cardId)!['state'] === 'INACTIVE');
  await until('a push', () => apple.pushesTo(phone.pushToken) > pushed);
  const left = await readPass(phone);
  assert.equal(left.voided, true);
  assert.equal(left.barcodes, undefined);

  assert.equal((await subscription('POST')).status, 200);
  await until('the card is active', () => google.stored.get(cardId)!['state'] === 'ACTIVE');
  assert.equal((await readPass(phone)).voided ?? false, false);
});

test('a phone that removed the pass, says it itself or through Apple, is told nothing more', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const browser = await shop.browser(member);
  const [kept, removed, gone] = [
    await newPhone(shop, browser),
    await newPhone(shop, browser),
    await newPhone(shop, browser),
  ];
  assert.equal(kept.pass.serialNumber, removed.pass.serialNumber);
  await until('all were told', () =>
    [kept, removed, gone].every((phone) => apple.pushesTo(phone.pushToken) > 0),
  );
  await quiet(kept);
  const before = new Map(
    [kept, removed, gone].map(({ pushToken }) => [pushToken, apple.pushesTo(pushToken)]),
  );
  const response = await wallets.fetch(registration(removed), {
    method: 'DELETE',
    headers: authorized(removed),
  });
  assert.equal(response.status, 200);
  apple.answer(gone.pushToken, 410, 'Unregistered');

  await buy(shop, member, 5);
  await until('a push', () => apple.pushesTo(kept.pushToken) > before.get(kept.pushToken)!);
  await quiet(kept);
  const { rows } = await sql<{ device: string }>`
    select device from wallet_devices where commerce_id = ${shop.id}`.execute(await testDatabase());
  assert.deepEqual(rows, [{ device: kept.device }]);
  assert.equal(apple.pushesTo(removed.pushToken), before.get(removed.pushToken));
  // The older downloads are still good.
  assert.equal(pointsOn(await readPass(kept)), 5);
});

test('two processes at once tell each phone once', async () => {
  const db = await testDatabase();
  const log = { info: () => {}, warn: () => {} } as never;
  const second = startUpdateSender({
    db,
    wallets: wallets.settings,
    log,
    servers: { apple, google },
    everyMs: 50,
  });
  try {
    const shop = await makeShop();
    const members = await Promise.all(Array.from({ length: 8 }, () => shop.member()));
    const phones = await Promise.all(
      members.map(async (member) => newPhone(shop, await shop.browser(member))),
    );
    await Promise.all(phones.map(quiet));
    const before = phones.map(({ pushToken }) => apple.pushesTo(pushToken));
    await Promise.all(members.map((member) => buy(shop, member, 3)));
    await until('all were told', () =>
      phones.every((phone, i) => apple.pushesTo(phone.pushToken) > before[i]!),
    );
    await Promise.all(phones.map(quiet));
    assert.deepEqual(
      phones.map(({ pushToken }, i) => apple.pushesTo(pushToken) - before[i]!),
      phones.map(() => 1),
    );
  } finally {
    await second.stop();
  }
});

test('a push that fails is repeated, logged once and counted', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const phone = await newPhone(shop, await shop.browser(member));
  await quiet(phone);
  apple.answer(phone.pushToken, 503, 'ServiceUnavailable');
  const failedBefore = counts.apple.failed;
  const linesBefore = logged.length;
  await buy(shop, member, 7);
  await until('a failure', () => counts.apple.failed > failedBefore);
  await until('it is postponed', async () => (await rowOf(phone)).attempts === 1);
  const row = await rowOf(phone);
  assert.equal(row.lastError, 'Apple refused a push with 503 ServiceUnavailable');
  assert.ok(row.dueAt!.getTime() > Date.now() + 2_000, 'too soon');
  const retry = async () =>
    sql`update wallet_passes set due_at = now() where commerce_id = ${shop.id}`.execute(await testDatabase());
  await retry();
  await until('a second failure', async () => (await rowOf(phone)).attempts === 2);
  assert.deepEqual(logged.slice(linesBefore), ['a wallet pass could not be updated']);

  apple.answer(phone.pushToken, 200);
  await retry();
  await quiet(phone);
  assert.equal((await rowOf(phone)).attempts, 0);
  assert.deepEqual(logged.slice(linesBefore), [
    'a wallet pass could not be updated',
    'wallet passes are updated again',
  ]);
});

test('a push that has failed eight times is tried once an hour, until it succeeds', async () => {
  const shop = await makeShop();
  const phone = await newPhone(shop, await shop.browser(await shop.member()));
  await quiet(phone);
  apple.answer(phone.pushToken, 503, 'ServiceUnavailable');
  const failAgain = async (change: Sql) => {
    const before = counts.apple.failed;
    await sql`update wallet_passes set last_error = null, ${change} where commerce_id = ${shop.id}`.execute(
      await testDatabase(),
    );
    await until('a failure', () => counts.apple.failed > before);
    await until('it is recorded', async () => (await rowOf(phone)).lastError !== null);
  };
  await failAgain(sql`sent = null, attempts = 7, due_at = now()`);
  assert.equal((await rowOf(phone)).dueAt, null, 'it is given up');
  for (let hour = 0; hour < 2; hour++) {
    await failAgain(sql`checked_at = now() - interval '61 minutes'`);
    assert.equal((await rowOf(phone)).dueAt, null, 'it had its one try');
  }
  apple.answer(phone.pushToken, 200);
  await sql`update wallet_passes set due_at = now() where commerce_id = ${shop.id}`.execute(
    await testDatabase(),
  );
  await until('it is told', async () => (await rowOf(phone)).attempts === 0);
});

test('a refusal of Google is tried again', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const link = await wallets.openGoogle(await shop.browser(member), shop.id);
  const cardId = String(link.payload.loyaltyObjects[0]!['id']);
  await until('the card is stored', () => google.stored.has(cardId));
  const before = counts.google.failed;
  google.refuse(500, 1);
  await buy(shop, member, 9);
  await until('a failure', () => counts.google.failed === before + 1);
  await until('it is postponed', async () => {
    const { rows } = await sql`
      update wallet_passes set due_at = now() where commerce_id = ${shop.id} and attempts = 1 returning 1`.execute(
      await testDatabase(),
    );
    return rows.length === 1;
  });
  await until(
    'the new balance',
    () => (google.stored.get(cardId)!['loyaltyPoints'] as { balance: { int: number } }).balance.int === 9,
  );
});

test('a wrong token, serial or pass type changes and shows nothing', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const phone = await newPhone(shop, await shop.browser(member));
  const other = await newPhone(shop, await shop.browser(await shop.member()));
  const foreign = { ...phone, pass: { ...phone.pass, authenticationToken: other.pass.authenticationToken } };
  for (const headers of [
    {},
    { authorization: 'ApplePass x' },
    { authorization: `ApplePass ${'x'.repeat(43)}` },
    { authorization: `Bearer ${phone.pass.authenticationToken}` },
    authorized(foreign),
  ] as Record<string, string>[]) {
    const refused = await register({ ...phone, pushToken: 'stolen' }, headers);
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('www-authenticate'), 'ApplePass');
    assert.equal((await wallets.fetch(registration(phone), { method: 'DELETE', headers })).status, 401);
    const path = `/wallet/apple/v1/passes/${PASS_TYPE_ID}/${phone.pass.serialNumber}`;
    assert.equal((await wallets.fetch(path, { headers })).status, 401);
  }
  const [, serial] = phone.pass.serialNumber.split('.');
  for (const serialNumber of [
    '1.x',
    `${shop.id + 1}.${serial}`,
    `0${shop.id}.${serial}`,
    `${'9'.repeat(30)}.${serial}`,
  ]) {
    assert.equal(
      (await fetchPass({ ...phone, pass: { ...phone.pass, serialNumber } })).status,
      401,
      serialNumber,
    );
  }
  const otherType = `/wallet/apple/v1/passes/pass.other/${phone.pass.serialNumber}`;
  assert.equal((await wallets.fetch(otherType, { headers: authorized(phone) })).status, 404);
  const { rows } = await sql<{ pushToken: string }>`
    select push_token as "pushToken" from wallet_devices where device = ${phone.device}`.execute(
    await testDatabase(),
  );
  assert.deepEqual(rows, [{ pushToken: phone.pushToken }]);
});

test('tokens are stored as hashes only', async () => {
  const shop = await makeShop();
  const phone = await newPhone(shop, await shop.browser(await shop.member()));
  const { rows } = await sql<{ row: string }>`
    select to_jsonb(p)::text as row from wallet_passes p where commerce_id = ${shop.id}
     union all
    select to_jsonb(d)::text from wallet_devices d where commerce_id = ${shop.id}`.execute(
    await testDatabase(),
  );
  const token = phone.pass.authenticationToken;
  const stored = rows.map(({ row }) => row).join('\n');
  for (const form of [
    token,
    Buffer.from(token).toString('hex'),
    Buffer.from(token, 'base64url').toString('hex'),
  ])
    assert.ok(!stored.includes(form));
});

test('a device that registers many times at once is one device, and new once', async () => {
  const shop = await makeShop();
  const browser = await shop.browser(await shop.member());
  for (let round = 0; round < 5; round += 1) {
    const pass = await wallets.download(browser, shop.id);
    const phone = { device: randomBytes(16).toString('hex'), pushToken: 'a'.repeat(64), pass };
    const answers = await Promise.all(Array.from({ length: 10 }, () => register(phone)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [...Array<number>(9).fill(200), 201]);
  }
});

test('a card that is downloaded many times at once is one pass, and its last five downloads work', async () => {
  const shop = await makeShop();
  const browser = await shop.browser(await shop.member());
  const passes = await Promise.all(Array.from({ length: 6 }, () => wallets.download(browser, shop.id)));
  assert.equal(new Set(passes.map(({ serialNumber }) => serialNumber)).size, 1);
  assert.equal(new Set(passes.map(({ authenticationToken }) => authenticationToken)).size, 6);
  const statuses = await Promise.all(
    passes.map(async (pass) => (await fetchPass({ device: '', pushToken: '', pass })).status),
  );
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, 200, 200, 200, 200, 401],
  );
});

test('a pass keeps its newest twenty devices', async () => {
  const shop = await makeShop();
  const phone = await newPhone(shop, await shop.browser(await shop.member()));
  for (let i = 0; i < 25; i += 1)
    assert.equal((await register({ ...phone, device: `device-${i}` })).status, 201);
  const { rows } = await sql<{ device: string }>`
    select device from wallet_devices where commerce_id = ${shop.id}`.execute(await testDatabase());
  assert.equal(rows.length, 20);
  assert.ok(rows.some(({ device }) => device === 'device-24'));
  assert.ok(!rows.some(({ device }) => device === phone.device));
});

test('phones’ log lines are taken, and nothing else', async () => {
  const send = (body: unknown) =>
    wallets.fetch('/wallet/apple/v1/log', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  assert.equal((await send({ logs: ['something went wrong'] })).status, 200);
  assert.equal((await send({ logs: [] })).status, 200);
  assert.equal((await send({ logs: 'text' })).status, 422);
  assert.equal((await send({ logs: Array<string>(101).fill('x') })).status, 422);
});

test('the passes of an erased person are gone, and what Google keeps is emptied first', async () => {
  const db = await testDatabase();
  const shop = await makeShop();
  const member = await shop.member('eva.roca');
  const browser = await shop.browser(member);
  await shop.sell(member, 42);
  const phone = await newPhone(shop, browser);
  const [card] = (await wallets.openGoogle(browser, shop.id)).payload.loyaltyObjects;
  const id = String(card!['id']);
  await until('Google has the card', () => google.stored.get(id)?.['accountName'] === 'eva.roca');
  await shop.erase(member);
  await until('Google was told', () => google.stored.get(id)?.['accountName'] === '');
  const { state, loyaltyPoints } = google.stored.get(id) as {
    state: string;
    loyaltyPoints: { balance: object };
  };
  assert.deepEqual([state, loyaltyPoints.balance], ['INACTIVE', { int: 0 }]);
  const passes = () => sql`select kind from wallet_passes where commerce_id = ${shop.id}`.execute(db);
  await until('the passes are gone', async () => (await passes()).rows.length === 0);
  assert.equal((await fetchPass(phone)).status, 401);
  // The token is good for moments more, and gets no new pass.
  const { google: link } = await wallets.addressesOf(browser, shop.id);
  assert.equal(link ?? null, null);
  assert.equal((await passes()).rows.length, 0);
});

test('staff who block a member or change the name are seen on the pass within seconds', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const browser = await shop.browser(member);
  const [card] = (await wallets.openGoogle(browser, shop.id)).payload.loyaltyObjects;
  const id = String(card!['id']);
  await until('Google has the card', () => google.stored.get(id)?.['state'] === 'ACTIVE');
  await shop.block(member);
  await until('the block is told', () => google.stored.get(id)?.['state'] === 'INACTIVE');
});
