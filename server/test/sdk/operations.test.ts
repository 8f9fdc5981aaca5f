/** Calls every operation of the API and its extensions through the SDK on the real service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { call, service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { age, mailedCodes, mailedLinks, someone } from '#test/sign-in.ts';
import { type ApiError, createMemberClient, createShopClient, type Fetch } from '../../../sdk/src/index.ts';

const { db, url, check } = await service();

/** The ids of the operations that were called. */
const called = new Set<string>();
const operations = await publishedOperations();

/** Records the operation of each call. Fails if the response breaks the published documents. */
const watched: Fetch = async (address, init) => {
  const response = await fetch(address, init);
  const path = address.slice(url.length);
  const { method } = init;
  const operation = operations.find((one) => one.method === method && one.pattern.test(path.split('?')[0]!));
  if (operation) called.add(operation.id);
  const contentType = response.headers.get('content-type');
  const wrong = check(method, path, {
    status: response.status,
    contentType,
    body: contentType?.startsWith('application/json') === true ? await response.clone().json() : '',
  });
  if (wrong !== null) assert.fail(wrong);
  return response;
};

test('a shop and a member can call every operation of the API by its own name', async () => {
  const made = await makeShop({
    benefits: [
      benefit('coffee', { type: 'free_product', value: null, cost: 10 }),
      benefit('hello', { benefit_type: 'welcome', cost: 0 }),
    ],
    rewards: { welcome: { benefit: 'hello' } },
    levels: { ladder: [{ name: 'Bronze', threshold: 50 }] },
    points_expiration: { mode: 'rolling', months: 12 },
    codes: { undo_days: 10 },
  });
  const { key: apiKey } = await createKey(db, made.id, 'shop', { scopes: KEY_SCOPES });
  const shop = createShopClient({ baseUrl: `${url}/`, apiKey, fetch: watched });
  const times: Date[] = [];
  const member = createMemberClient({
    baseUrl: url,
    commerceId: made.id,
    fetch: watched,
    onCommerceTime: (now) => void times.push(now),
  });
  const email = someone();

  assert.equal((await member.getCommerce()).id, made.id);
  assert.deepEqual(
    (await member.listPublicBenefits()).map(({ id }) => id),
    ['coffee'],
  );
  assert.equal((await member.getProgram()).levels?.ladder[0]?.name, 'Bronze');
  assert.deepEqual((await member.getEarningRules()).rules, []);
  await member.requestOneTimeCode(email);
  const [code] = await mailedCodes(made.id, email);
  assert.equal((await member.verifyOneTimeCode(email, code!)).email, email);
  assert.equal(await member.isSignedIn(), true);
  await age(email, '61 seconds');
  await member.requestOneTimeCode(email);
  const [token] = await mailedLinks(made.id, email);
  assert.equal((await member.verifySignInLink(token!)).email, email);
  assert.equal(await member.getMyLevel(), null);

  const client = await shop.getClientByEmail(email);
  const preview = await shop.previewConsumption({ client_code: client.code, amount: 60 });
  const bought = await shop.recordConsumptionByClientCode({
    client_code: client.code,
    amount: 60,
    id_suc: 3,
    external_id: 'order-1',
  });
  assert.deepEqual([bought.points_earned, bought.points_balance, bought.replayed], [60, 60, false]);
  const again = await shop.recordConsumptionByClientCode({
    client_code: client.code,
    amount: 60,
    id_suc: 3,
    external_id: 'order-1',
  });
  assert.deepEqual(again, { ...bought, replayed: true });
  const other = await shop.recordConsumptionByEmail({ client_email: email, amount: 7 });
  assert.equal((await shop.getConsumption(bought.consumption_id)).points, preview.points);
  assert.deepEqual(await shop.confirmConsumption(other.consumption_id), {
    message: 'consumption confirmed',
    points_waiting: 0,
    points_balance: 67,
  });
  assert.deepEqual(await shop.reverseConsumption(other.consumption_id, { amount: 5 }), {
    message: 'consumption reversed',
    amount: 5,
    points: 5,
  });
  assert.equal((await shop.findConsumption('order-1'))?.id, bought.consumption_id);
  assert.equal(await shop.findConsumption('order-2'), null);
  assert.equal((await shop.listConsumptions({ client_code: client.code })).results.length, 2);
  const consumed = [];
  for await (const { points } of shop.allConsumptions({ to: '2100-01-01T00:00:00Z' })) consumed.push(points);
  assert.deepEqual(consumed, [7, 60]);
  assert.equal((await shop.getClient(client.code)).points, 62);
  assert.equal((await shop.listClients({ limit: 5 })).total, 1);
  const walked = [];
  for await (const one of shop.allClients()) walked.push(one.email);
  assert.deepEqual(walked, [email]);
  const exported = [];
  for await (const one of shop.exportMembers()) exported.push(one);
  for await (const one of shop.exportMovements({ from: '2020-01-01T00:00:00Z' })) exported.push(one);
  assert.deepEqual(
    exported.map(({ points }) => points),
    [62, 60, 7, -5],
  );
  let after: string | undefined;
  for await (const line of shop.snapshotEvents()) after = line.next;
  assert.deepEqual((await shop.listEvents({ after: after!, wait: 0 })).events, []);
  assert.equal((await shop.listEvents({ types: 'member.joined' })).events.length, 1);
  assert.equal((await shop.listBenefits()).length, 2);
  assert.equal((await shop.getBenefit('coffee')).cost, 10);

  await member.refreshSession();
  assert.equal((await member.getMyAccount()).points, 62);
  assert.equal((await member.editMyAccount({ username: 'Ana', birth_date: '1990-05-04' })).username, 'Ana');
  assert.deepEqual(await member.getMyCard(), { client_code: client.code, username: 'Ana' });
  assert.deepEqual(await member.listMyWallets(), { google: null, apple: null });
  assert.equal((await member.getMyProfile()).birth_date, '1990-05-04');
  assert.equal((await member.getMyMails()).expiring, true);
  assert.equal((await member.chooseMyMails({ expiring: false })).expiring, false);
  assert.equal(((await member.getMyData())['profile'] as { email: string }).email, email);
  assert.ok(Math.abs(times.at(-1)!.getTime() - Date.now()) < 3_600_000);
  assert.equal((await member.listMyExpirations())[0]?.points, 62);
  assert.deepEqual(await member.listMyPending(), []);
  assert.deepEqual(await member.listMyStamps(), []);
  assert.equal((await member.getMyLevel())?.name, 'Bronze');
  assert.equal((await member.listAvailableBenefits()).length, 1);
  const standing = await shop.getClientStanding(client.code);
  assert.deepEqual([standing.points, standing.level?.name], [62, 'Bronze']);
  const voucher = await member.exchangeBenefit('coffee');
  assert.equal((await shop.previewRedemptionCode(voucher.client_benefit_code)).id, 'coffee');
  assert.equal((await shop.previewRedemptionCodeV2(voucher.client_benefit_code)).title, 'coffee');
  assert.equal((await shop.listClientBenefits(client.code)).length, 2);
  const { client_benefit_code: code14 } = voucher;
  const cart = { external_id: 'cart 7/1' };
  assert.equal(
    (await shop.holdVoucher({ ...cart, client_benefit_code: code14, minutes: 5 })).external_id,
    'cart 7/1',
  );
  assert.equal((await member.listMyHolds())[0]?.client_benefit_code, code14);
  assert.equal((await shop.releaseHold(cart)).message, 'hold released');
  await shop.redeemBenefit(code14, { externalId: 'order 7/1' });
  assert.equal((await shop.undoRedemption({ external_id: 'order 7/1' })).message, 'redemption undone');
  await assert.rejects(shop.redeemBenefit(code14, { externalId: 'order 7/1' }), {
    status: 409,
    code: 'undone',
  });
  assert.equal((await shop.vouchForMember(email)).expires_in, 900);
  await shop.redeemBenefit(code14);
  assert.equal((await member.listMyBenefits()).find(({ used }) => used)?.benefit.id, 'coffee');
  assert.equal((await member.listMyPastBenefits()).results.length, 1);
  assert.equal((await shop.listPastBenefitsOfClient(client.code)).next_cursor, null);
  assert.equal((await member.listMyActivity()).results[0]?.type, 'benefit_usage');
  assert.equal((await member.listMyHistory()).results[0]?.kind, 'usage');
  const order = {
    external_id: 'order 7/2',
    client_code: client.code,
    status: 'paid' as const,
    paid: 10,
    refunded: 0,
    codes: [],
    version: 1,
  };
  assert.equal((await shop.putOrder(order)).points, 10);
  assert.equal((await shop.putOrder({ ...order, version: 2, refunded: 10 })).points, 0);
  assert.equal((await shop.getOrder({ external_id: 'order 7/2' })).version, 2);
  assert.equal((await shop.listOrders({ client_code: client.code })).results.length, 1);
  assert.equal((await shop.previewOrder({ client_code: client.code, paid: 7 })).points, 7);
  assert.equal((await member.previewEarning({ amount: 7 })).points, 7);
  assert.equal((await member.listAutomaticRewards())[0]?.event, 'welcome');
  await member.leaveProgram();
  assert.equal((await member.joinProgram()).welcome_benefit, null);
  await member.logOut();
  assert.equal(await member.isSignedIn(), false);

  assert.deepEqual([...called].toSorted(), operations.map(({ id }) => id).toSorted());
  const methods = new Set([...Object.keys(shop), ...Object.keys(member)]);
  assert.deepEqual(
    operations.map(({ id }) => id).filter((id) => !methods.has(id)),
    [],
  );
});

test('a refusal has a status, a message and the errors in the request', async () => {
  const made = await makeShop();
  const shop = createShopClient({ baseUrl: url, apiKey: made.key });
  await assert.rejects(shop.getClient(1), (error: ApiError) => error.status === 404 && error.message !== '');
  await assert.rejects(shop.listClients({ limit: 0 }), (error: ApiError) => {
    assert.equal(error.status, 422);
    assert.deepEqual(error.detail[0]?.loc, ['query', 'limit']);
    return true;
  });
  const stranger = createShopClient({ baseUrl: url, apiKey: 'nonsense' });
  await assert.rejects(stranger.listBenefits(), { name: 'ApiError', status: 401 });
  const nobody = createMemberClient({ baseUrl: url, commerceId: made.id });
  await assert.rejects(nobody.getMyAccount(), { name: 'ApiError', status: 401 });
});

test('a state of an order that contradicts what stands is refused with what stands', async () => {
  const made = await makeShop();
  const { key: apiKey } = await createKey(db, made.id, 'shop', { scopes: KEY_SCOPES });
  const shop = createShopClient({ baseUrl: url, apiKey });
  const order = {
    external_id: 'o-1',
    client_code: (await made.member()).code,
    status: 'paid' as const,
    paid: 20,
    refunded: 0,
    codes: [],
  };
  const stands = await shop.putOrder({ ...order, version: 3 });
  await assert.rejects(shop.putOrder({ ...order, paid: 30, version: 3 }), (error: ApiError) => {
    assert.equal(error.code, 'order_conflict');
    assert.equal(error.order?.version, 3);
    assert.deepEqual(error.order, stands);
    return true;
  });
  await assert.rejects(shop.getOrder({ external_id: 'o-2' }), (error: ApiError) => error.order === null);
});

test('many simultaneous calls with an expired access token share one renewal', async () => {
  const made = await makeShop();
  let renewals = 0;
  let now = Date.now();
  const tokens = { kept: null as null | { access: string; refresh: string; expires_at: number } };
  const member = createMemberClient({
    baseUrl: url,
    commerceId: made.id,
    tokens: {
      get: () => tokens.kept && { ...tokens.kept, expires_at: now },
      set: (next) => void (tokens.kept = next),
    },
    fetch: (address, init) => {
      if (address.endsWith('/v1/auth/refresh')) {
        renewals++;
        now += 900_000;
      }
      return fetch(address, init);
    },
  });
  const email = someone();
  await member.requestOneTimeCode(email);
  await member.verifyOneTimeCode(email, (await mailedCodes(made.id, email))[0]!);
  const before = tokens.kept?.refresh;
  const accounts = await Promise.all(Array.from({ length: 20 }, () => member.getMyAccount()));
  assert.equal(new Set(accounts.map((account) => account.email)).size, 1);
  assert.equal(renewals, 1);
  assert.notEqual(tokens.kept?.refresh, before);
});

async function publishedOperations() {
  const found: { id: string; method: string; pattern: RegExp }[] = [];
  for (const document of ['/openapi.json', '/openapi-extensions.json']) {
    const { paths } = (await call('GET', document)).body as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    for (const [path, methods] of Object.entries(paths)) {
      // Paths with literal segments such as `list` come before those with parameters, so the first match is right.
      const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
      for (const [method, { operationId }] of Object.entries(methods))
        found.push({ id: operationId, method: method.toUpperCase(), pattern });
    }
  }
  return found.toSorted(
    (a, b) => a.pattern.source.split('[^/]').length - b.pattern.source.split('[^/]').length,
  );
}
