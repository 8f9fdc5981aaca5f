/**
 * Three shops use the same names for members, codes, benefits and idempotency keys. Every route is called with every
 * kind of right and wrong credential. Every text of a shop contains a canary word that no response to another shop's
 * credential may contain. A route that is missing from the table below fails the test: add a row for it.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createKey, revokeKey } from '#commerces/api-keys.ts';
import { closeCommerce } from '#commerces/close-commerce.ts';
import { sql, transaction } from '#db/database.ts';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { createAccessTokens } from '#sign-in/access-token.ts';
import { readBenefit } from '#benefits/benefit.ts';
import { claimRewards } from '#rewards/claim-reward.ts';
import { issueVouchers, newVoucher } from '#vouchers/issue-vouchers.ts';
import { SECRET, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type Browser, type MadeMember, type Shop } from '#test/make.ts';
import { rawRequest } from '#test/raw-request.ts';
import { freshCode, mailedLinks, signIn } from '#test/sign-in.ts';

const SHARED_CODE = 123_456_782;
const SHARED_VOUCHER = 20_000_000_000_001;
const SHARED_KEY = 'the-same-key';

interface Tenant {
  readonly canary: string;
  readonly shop: Shop;
  /** A member with the same code and name in each shop. */
  readonly member: MadeMember;
  /** A member whose code exists only in this shop. */
  readonly own: MadeMember;
  readonly browser: Browser;
  readonly purchaseId: number;
  /** A voucher that exists only in this shop. */
  readonly voucher: number;
  readonly revokedKey: string;
}

interface Call {
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: readonly (readonly [string, string])[];
}

interface Row {
  /** A call with the tenant's own objects, and the expected status. */
  readonly status: number;
  readonly own?: (tenant: Tenant) => Call | Promise<Call>;
  /** The same call with another tenant's object, and with an unknown one. */
  readonly foreign?: (other: Tenant) => Call;
  readonly never?: Call;
  /** The status of the call with another tenant's object; 404 by default. */
  readonly refusal?: number;
  /** The status if the header names no commerce; 404 by default. */
  readonly unknownCommerce?: number;
}

const byPath = (path: string, status = 200) => ({
  status,
  own: () => ({ path: path.replace('#', String(SHARED_CODE)) }),
  foreign: ({ own }: Tenant) => ({ path: path.replace('#', String(own.code)) }),
  never: { path: path.replace('#', '100000001') },
});
const lookUp = (path: string) => ({
  status: 200,
  own: () => ({ path: path + SHARED_VOUCHER }),
  foreign: ({ voucher }: Tenant) => ({ path: path + voucher }),
  never: { path: `${path}10000000000001` },
});
const orderOf = (code: number) => ({
  client_code: code,
  status: 'paid',
  paid: 5,
  refunded: 0,
  codes: [],
  version: 1,
});
const keyed = (name: string) => [['idempotency-key', `${SHARED_KEY}-${name}`]] as const;

const KEY_ROWS: Readonly<Record<string, Row>> = {
  'POST /v1/consumptions/client-code': {
    status: 201,
    own: () => ({ body: { client_code: SHARED_CODE, amount: 5 }, headers: keyed('a') }),
    foreign: ({ own }) => ({ body: { client_code: own.code, amount: 5 } }),
    never: { body: { client_code: 100_000_001, amount: 5 } },
  },
  'POST /v1/consumptions/email': {
    status: 201,
    own: () => ({ body: { client_email: 'shared@example.com', amount: 5 }, headers: keyed('b') }),
  },
  'POST /v1/consumptions/preview': {
    status: 200,
    own: () => ({ body: { client_code: SHARED_CODE, amount: 5 } }),
    foreign: ({ own }) => ({ body: { client_code: own.code, amount: 5 } }),
    never: { body: { client_code: 100_000_001, amount: 5 } },
  },
  'GET /v1/consumptions': {
    status: 200,
    own: () => ({ path: `/v1/consumptions?client_code=${SHARED_CODE}` }),
    foreign: ({ own }) => ({ path: `/v1/consumptions?client_code=${own.code}` }),
    never: { path: '/v1/consumptions?client_code=100000001' },
    refusal: 200,
  },
  'GET /v1/consumptions/:consumption_id': {
    status: 200,
    own: ({ purchaseId }) => ({ path: `/v1/consumptions/${purchaseId}` }),
    foreign: ({ purchaseId }) => ({ path: `/v1/consumptions/${purchaseId}` }),
    never: { path: '/v1/consumptions/999999999' },
  },
  'POST /v1/consumptions/:consumption_id/confirmation': {
    status: 200,
    own: ({ purchaseId }) => ({ path: `/v1/consumptions/${purchaseId}/confirmation` }),
    foreign: ({ purchaseId }) => ({ path: `/v1/consumptions/${purchaseId}/confirmation` }),
    never: { path: '/v1/consumptions/999999999/confirmation' },
  },
  'POST /v1/consumptions/:consumption_id/reversal': {
    status: 201,
    own: ({ purchaseId }) => ({
      path: `/v1/consumptions/${purchaseId}/reversal`,
      body: { amount: 1 },
      headers: keyed('c'),
    }),
    foreign: ({ purchaseId }) => ({ path: `/v1/consumptions/${purchaseId}/reversal`, body: {} }),
    never: { path: '/v1/consumptions/999999999/reversal', body: {} },
  },
  'PUT /v1/orders/:external_id': {
    status: 201,
    own: ({ canary }) => ({ path: `/v1/orders/shared-${canary}`, body: orderOf(SHARED_CODE) }),
    foreign: ({ own }) => ({ path: '/v1/orders/foreign', body: orderOf(own.code) }),
    never: { path: '/v1/orders/foreign', body: orderOf(100_000_001) },
  },
  'GET /v1/orders/:external_id': {
    status: 200,
    own: ({ canary }) => ({ path: `/v1/orders/shared-${canary}` }),
    foreign: ({ canary }) => ({ path: `/v1/orders/shared-${canary}` }),
    never: { path: '/v1/orders/never' },
  },
  'GET /v1/orders': {
    status: 200,
    own: () => ({ path: `/v1/orders?client_code=${SHARED_CODE}` }),
    foreign: ({ own }) => ({ path: `/v1/orders?client_code=${own.code}` }),
    never: { path: '/v1/orders?client_code=100000001' },
    refusal: 200,
  },
  'POST /v1/orders/preview': {
    status: 200,
    own: () => ({ body: { client_code: SHARED_CODE, paid: 5 } }),
    foreign: ({ own }) => ({ body: { client_code: own.code, paid: 5 } }),
    never: { body: { client_code: 100_000_001, paid: 5 } },
  },
  'GET /v1/clients/list': { status: 200 },
  'GET /v1/events': { status: 200 },
  'GET /v1/events/snapshot': { status: 200 },
  'GET /v1/exports/members': { status: 200 },
  'GET /v1/exports/movements': { status: 200 },
  'GET /v1/clients/:client_code': byPath('/v1/clients/#'),
  'GET /v1/clients/:client_code/standing': byPath('/v1/clients/#/standing'),
  'GET /v1/clients/:client_code/benefits': byPath('/v1/clients/#/benefits'),
  'GET /v1/clients/:client_code/benefits/past': byPath('/v1/clients/#/benefits/past'),
  'POST /v1/clients/email': {
    status: 200,
    own: () => ({ body: { client_email: 'shared@example.com' } }),
    foreign: ({ own }) => ({ body: { client_email: own.email } }),
    never: { body: { client_email: 'never@example.com' } },
  },
  'GET /v1/benefits/list': { status: 200 },
  'GET /v1/benefits/:benefit_id': {
    status: 200,
    own: () => ({ path: '/v1/benefits/coffee' }),
    foreign: ({ canary }) => ({ path: `/v1/benefits/only-${canary}` }),
    never: { path: '/v1/benefits/only-nobody' },
  },
  'GET /v1/benefits/preview/:client_benefit_code': lookUp('/v1/benefits/preview/'),
  'GET /v2/benefits/preview/:client_benefit_code': lookUp('/v2/benefits/preview/'),
  'POST /v1/benefits/holds': {
    status: 201,
    own: () => ({ body: { client_benefit_code: SHARED_VOUCHER, external_id: 'cart' } }),
    foreign: ({ voucher }) => ({ body: { client_benefit_code: voucher, external_id: 'cart' } }),
    never: { body: { client_benefit_code: 10_000_000_000_001, external_id: 'cart' } },
  },
  'DELETE /v1/benefits/holds/:external_id': {
    status: 200,
    own: () => ({ path: '/v1/benefits/holds/cart' }),
    foreign: () => ({ path: '/v1/benefits/holds/cart' }),
    never: { path: '/v1/benefits/holds/no-cart' },
    refusal: 200,
  },
  'POST /v1/benefits/redemptions/:external_id/undo': {
    status: 200,
    own: async ({ canary, shop, own }) => {
      const code = await shop.voucher(own, 'coffee');
      await shop.post('/v1/benefits/redeem', { client_benefit_code: code, external_id: `order-${canary}` });
      return { path: `/v1/benefits/redemptions/order-${canary}/undo`, body: {} };
    },
    foreign: ({ canary }) => ({ path: `/v1/benefits/redemptions/order-${canary}/undo`, body: {} }),
    never: { path: '/v1/benefits/redemptions/order-never/undo', body: {} },
  },
  'POST /v1/sessions': {
    status: 200,
    own: ({ member }) => ({ body: { client_email: member.email } }),
    foreign: ({ own }) => ({ body: { client_email: own.email } }),
    never: { body: { client_email: 'never@example.com' } },
  },
  'POST /v1/benefits/redeem': {
    status: 200,
    own: () => ({ body: { client_benefit_code: SHARED_VOUCHER }, headers: keyed('d') }),
    foreign: ({ voucher }) => ({ body: { client_benefit_code: voucher } }),
    never: { body: { client_benefit_code: 10_000_000_000_001 } },
  },
};

const USER_ROWS: Readonly<Record<string, Row>> = {
  'GET /v1/me': { status: 200 },
  'PATCH /v1/me': { status: 200, own: ({ canary }) => ({ body: { username: `shared ${canary}` } }) },
  'GET /v1/me/card': { status: 200 },
  'GET /v1/me/card/wallets': { status: 200 },
  'GET /v1/me/profile': { status: 200 },
  'GET /v1/me/mails': { status: 200 },
  'PATCH /v1/me/mails': { status: 200, own: () => ({ body: { expiring: false } }) },
  'GET /v1/me/data': { status: 200 },
  'GET /v1/me/points/expirations': { status: 200 },
  'GET /v1/me/points/pending': { status: 200 },
  'GET /v1/me/stamps': { status: 200 },
  'GET /v1/me/level': { status: 200 },
  'GET /v1/me/rewards': { status: 200 },
  'GET /v1/me/benefits/available': { status: 200 },
  'POST /v1/me/benefits/exchange': {
    status: 200,
    own: () => ({ body: { benefit_id: 'coffee' }, headers: keyed('e') }),
    foreign: ({ canary }) => ({ body: { benefit_id: `only-${canary}` } }),
    never: { body: { benefit_id: 'only-nobody' } },
    refusal: 400,
  },
  'GET /v1/me/benefits': { status: 200 },
  'GET /v1/me/benefits/past': { status: 200 },
  'GET /v1/me/benefits/holds': { status: 200 },
  'GET /v1/me/activity': { status: 200 },
  'GET /v1/me/history': { status: 200 },
  'POST /v1/me/subscription': { status: 200 },
  'DELETE /v1/me/subscription': { status: 200 },
};

const HEADER_ROWS: Readonly<Record<string, Row>> = {
  'GET /v1/public/commerce': { status: 200 },
  'GET /v1/public/benefits': { status: 200 },
  'GET /v1/public/program': { status: 200 },
  'GET /v1/public/earning': { status: 200 },
  'POST /v1/public/earning-preview': { status: 200, own: () => ({ body: { amount: 5 } }) },
  'POST /v1/auth/otp/request': {
    status: 200,
    own: () => ({ body: { email: `asks-${randomBytes(4).toString('hex')}@example.com` } }),
    unknownCommerce: 200,
  },
  'POST /v1/auth/otp/verify': {
    status: 200,
    own: async ({ shop }) => {
      const email = `in-${randomBytes(4).toString('hex')}@example.com`;
      return { body: { email, otp: await freshCode(shop.id, email) } };
    },
  },
  'POST /v1/auth/link/verify': {
    status: 200,
    own: async ({ shop }) => {
      const email = `link-${randomBytes(4).toString('hex')}@example.com`;
      await freshCode(shop.id, email);
      const [token] = await mailedLinks(shop.id, email);
      return { body: { token } };
    },
  },
  'POST /v1/auth/refresh': {
    status: 200,
    own: async ({ shop }) => ({ body: { refresh: await freshRefresh(shop) } }),
  },
  'POST /v1/auth/logout': {
    status: 200,
    own: async ({ shop }) => ({ body: { refresh: await freshRefresh(shop) } }),
  },
};

const tenants = await Promise.all(['canaryxqa', 'canaryxqb', 'canaryxqc'].map(makeTenant));
const closed = await makeTenant('canaryxqz');
await closeCommerce((await service()).db, closed.shop.id);
const [first, second] = tenants as [Tenant, Tenant, Tenant];
const expired = await createAccessTokens(SECRET).issue(
  { userId: first.member.userId, sessionId: 1, commerceId: first.shop.id },
  new Date(Date.now() - 1_000_000),
);
const { refresh } = await signIn(first.shop.id, `r-${randomBytes(4).toString('hex')}@example.com`);
const cells = new Map<string, number>();

test('every route has its row', async () => {
  const { app } = await service();
  const declared = (credential: string) =>
    app.routeTable
      .filter((route) => route.config?.credential === credential)
      .flatMap(({ method, url }) => [method].flat().map((one) => `${one} ${url}`))
      .filter((name) => !name.startsWith('HEAD '))
      .toSorted();
  assert.deepEqual(declared('key'), Object.keys(KEY_ROWS).toSorted());
  assert.deepEqual(declared('user'), Object.keys(USER_ROWS).toSorted());
  assert.deepEqual(declared('header'), Object.keys(HEADER_ROWS).toSorted());
  // `server/test/admin/roles.test.ts` has those of the back office.
  const open = declared('none').filter((name) => / \/v\d/.test(name));
  assert.deepEqual(open, [], 'no route of the interface is open to anyone');
});

/** An answer without the cursor of events, which is encrypted anew in each, and the moment of a snapshot. */
function lasting(text: string): string {
  return text
    .replace(/"next":"[\w-]{40,}"/, '"next":""')
    .replace(/^(\{"type":"start",.*?"at":)"[^"]+"/, '$1""');
}

for (const [name, row] of Object.entries(KEY_ROWS)) {
  test(`${name} serves the key of a shop for that shop only`, async () => {
    for (const tenant of tenants) {
      const own = (await row.own?.(tenant)) ?? {};
      const answer = await send(name, own, bearer(tenant.shop.key), 'own');
      assert.equal(answer.status, row.status, answer.text);
      assert.equal(answer.headers.get('idempotency-replayed'), null);
      assertOnlyOf(tenant, answer);
    }
    const call = (await row.own?.(first)) ?? {};
    const { shop, browser, revokedKey } = first;
    const wrong: [string, readonly [string, string][]][] = [
      ['no credential', []],
      ['another kind: access token', bearer(browser.token)],
      ['another kind: refresh token', bearer(refresh)],
      ['another scheme', [['authorization', `Basic ${shop.key}`]]],
      ['a key of nobody', bearer(`${shop.key.slice(0, -1)}${shop.key.endsWith('a') ? 'b' : 'a'}`)],
      ['revoked key', bearer(revokedKey)],
      ['closed commerce', bearer(closed.shop.key)],
      ['twice', [...bearer(shop.key), ...bearer(shop.key)]],
    ];
    for (const [cell, headers] of wrong)
      for (const sent of [call, { ...call, body: undefined }])
        assertUnauthorized(await send(name, sent, headers, cell));

    for (const other of tenants.filter((tenant) => tenant !== first)) {
      if (row.foreign && row.never) {
        const foreign = await send(name, row.foreign(other), bearer(shop.key), 'foreign object');
        const never = await send(name, row.never, bearer(shop.key), 'no object');
        assert.equal(foreign.status, row.refusal ?? 404);
        assert.equal(foreign.text, never.text, 'another tenant’s object looks like an unknown one');
      }
      // The key determines the shop. A header changes nothing.
      if (!name.startsWith('GET')) continue;
      const plain = await send(name, call, bearer(shop.key), 'own');
      const swapped = await send(name, call, [...bearer(shop.key), at(other.shop.id)], 'header swapped');
      assert.equal(lasting(swapped.text), lasting(plain.text));
    }
  });
}

for (const [name, row] of Object.entries(USER_ROWS)) {
  test(`${name} serves a member within the shop of the header only`, async () => {
    for (const tenant of tenants) {
      const own = (await row.own?.(tenant)) ?? {};
      const { token } = tenant.browser;
      const answer = await send(name, own, [...bearer(token), at(tenant.shop.id)], 'own');
      assert.equal(answer.status, row.status, answer.text);
      assert.equal(answer.headers.get('idempotency-replayed'), null);
      assertOnlyOf(tenant, answer);
      await rejoin(tenant);
    }
    const call = (await row.own?.(first)) ?? {};
    const { shop, browser } = first;
    const wrong: [string, readonly [string, string][]][] = [
      ['no credential', []],
      ['another kind: key', bearer(shop.key)],
      ['another kind: refresh token', bearer(refresh)],
      ['expired', bearer(expired)],
      ['ended session', bearer(await endedToken(first))],
      ['forged', bearer(`${browser.token.slice(0, -4)}AAAA`)],
      ['twice', [...bearer(browser.token), ...bearer(browser.token)]],
    ];
    for (const [cell, headers] of wrong)
      for (const more of [[at(shop.id)], []])
        assertUnauthorized(await send(name, call, [...headers, ...more], cell));

    await assertHeaderIsChecked(name, call, bearer(browser.token), row);
    if (row.foreign && row.never) {
      const foreign = await send(
        name,
        row.foreign(second),
        [...bearer(browser.token), at(shop.id)],
        'foreign object',
      );
      const never = await send(name, row.never, [...bearer(browser.token), at(shop.id)], 'no object');
      assert.deepEqual([foreign.status, foreign.text], [row.refusal ?? 404, never.text]);
    }
    // At another shop the same person sees that shop only, and another member's token shows that member only.
    if (!name.startsWith('GET')) return;
    const swapped = await send(name, call, [...bearer(browser.token), at(second.shop.id)], 'header swapped');
    assertOnlyOf(second, swapped);
    const theirs = await send(name, call, [...bearer(second.browser.token), at(second.shop.id)], 'own');
    assert.equal(withoutTime(swapped.text), withoutTime(theirs.text));
    const stranger = await shop.browser(first.own);
    const notJoined = await send(
      name,
      call,
      [...bearer(stranger.token), at(second.shop.id)],
      'header swapped',
    );
    const nothing = ['GET /v1/me/level', 'GET /v1/me/card', 'GET /v1/me/mails', 'GET /v1/me/data'].includes(
      name,
    );
    assert.equal(notJoined.status, nothing ? 404 : 200);
    assertNothingOf(first, notJoined);
  });
}

/** A file of everything about a person says when it was written. */
function withoutTime(text: string): string {
  return text.replace(/"written_at": "[^"]*"/, '');
}

for (const [name, row] of Object.entries(HEADER_ROWS)) {
  test(`${name} serves the shop of the header only, whatever the Authorization`, async () => {
    for (const tenant of tenants) {
      const answer = await send(name, (await row.own?.(tenant)) ?? {}, [at(tenant.shop.id)], 'own');
      assert.equal(answer.status, row.status, answer.text);
      assertOnlyOf(tenant, answer);
    }
    for (const headers of [
      bearer('nonsense'),
      bearer(first.shop.key),
      bearer(second.shop.key),
      [...bearer('a'), ...bearer('b')],
    ]) {
      const answer = await send(
        name,
        (await row.own?.(first)) ?? {},
        [...headers, at(first.shop.id)],
        'Authorization ignored',
      );
      assert.equal(answer.status, row.status);
      assertOnlyOf(first, answer);
    }
    await assertHeaderIsChecked(name, (await row.own?.(first)) ?? {}, [], row);
  });
}

test('a sign-in code for one shop does not work at another', async () => {
  const email = `one-${randomBytes(4).toString('hex')}@example.com`;
  const otp = await freshCode(first.shop.id, email);
  const answer = await rawRequest('POST', '/v1/auth/otp/verify', [at(second.shop.id)], { email, otp });
  assert.equal(answer.status, 400);
});

test('back-office routes accept neither an API key nor a member nor an anonymous caller', async () => {
  const { app } = await service();
  const staff = app.routeTable.filter((route) => route.config?.credential === 'staff');
  for (const { method, url } of staff)
    for (const one of [method].flat().filter((name) => name !== 'HEAD'))
      for (const headers of [[], bearer(first.shop.key), bearer(first.browser.token)]) {
        const path = url.replaceAll(/:\w+/g, '1').replace('*', '');
        const answer = await rawRequest(one, path, headers);
        assert.equal(answer.status, 401, `${one} ${path}`);
      }
});

test('the matrix of all calls made', (t) => {
  const total = [...cells.values()].reduce((sum, count) => sum + count, 0);
  t.diagnostic(`${total} calls: ${[...cells].map(([cell, count]) => `${cell} ${count}`).join(', ')}`);
  assert.ok(total > 500);
});

async function assertHeaderIsChecked(
  name: string,
  call: Call,
  headers: readonly [string, string][],
  row: Row,
): Promise<void> {
  const without = await send(name, call, headers, 'header missing');
  assert.equal(without.status, 422);
  const { detail } = without.body as { detail: { loc: unknown; type: string }[] };
  assert.deepEqual(
    [detail[0]!.loc, detail[0]!.type, detail.length],
    [['header', 'x-commerce-id'], 'missing', 1],
  );
  const twice = await send(name, call, [...headers, at(first.shop.id), at(second.shop.id)], 'header twice');
  assert.equal(twice.status, 422);
  assert.equal(
    (await send(name, call, [...headers, at(first.shop.id), at(first.shop.id)], 'header twice')).status,
    422,
  );
  const status = row.unknownCommerce ?? 404;
  const unknown = await send(name, call, [...headers, at(9_007_199_254_740_991)], 'header unknown');
  const gone = await send(name, call, [...headers, at(closed.shop.id)], 'closed commerce');
  assert.deepEqual([unknown.status, gone.status], [status, status]);
  assert.equal(gone.text, unknown.text, 'a closed commerce looks like an unknown one');
}

async function send(
  name: string,
  { path, body, headers = [] }: Call,
  credential: readonly (readonly [string, string])[],
  cell: string,
): Promise<Answer> {
  const [method = '', url = ''] = name.split(' ');
  cells.set(cell, (cells.get(cell) ?? 0) + 1);
  return rawRequest(method, path ?? url, [...credential, ...headers], body);
}

function bearer(token: string): [string, string][] {
  return [['authorization', `Bearer ${token}`]];
}

function at(commerceId: number): [string, string] {
  return ['x-commerce-id', String(commerceId)];
}

function assertUnauthorized(answer: Answer): void {
  assert.deepEqual([answer.status, Object.keys(answer.body as object)], [401, ['message']], answer.text);
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
}

function assertOnlyOf(tenant: Tenant, answer: Answer): void {
  for (const other of [...tenants, closed]) if (other !== tenant) assertNothingOf(other, answer);
}

function assertNothingOf({ canary }: Tenant, answer: Answer): void {
  const told = JSON.stringify([answer.text, ...answer.headers]);
  assert.ok(!told.includes(canary), `${canary} is told: ${told}`);
}

/** Every text that can hold the canary holds it, and every name that can be the same in all shops is. */
async function makeTenant(canary: string): Promise<Tenant> {
  const { db } = await service();
  const gift = {
    ...benefit('hello', { benefit_type: 'welcome', title: `Hello ${canary}` }),
    cost: undefined,
  };
  const made = await makeShop({
    name: `Shop ${canary}`,
    codes: { undo_days: 10 },
    category_name: `Category ${canary}`,
    logo: `https://${canary}.example/logo.png`,
    points_expiration: { mode: 'rolling', months: 12 },
    benefits: [
      benefit('coffee', { title: `Coffee ${canary}`, description: `About ${canary}`, cost: 1 }),
      benefit(`only-${canary}`, { title: `Only ${canary}`, cost: 0 }),
      gift,
    ],
    levels: {
      ladder: [{ name: `Tier ${canary}`, threshold: 0, icon_url: `https://${canary}.example/tier.png` }],
    },
    rewards: { welcome: { benefit: 'hello' } },
  });
  const { key } = await createKey(db, made.id, 'of the matrix', { scopes: KEY_SCOPES });
  const shop = { ...made, key };
  const member = await shop.member('shared');
  await sql`
    update members
       set code = ${SHARED_CODE}, username = ${`shared ${canary}`}, proved_at = now()
     where commerce_id = ${shop.id} and id = ${member.memberId}`.execute(db);
  const shared = { ...member, code: SHARED_CODE };
  // A person has the same address everywhere, but the name belongs to this shop.
  const own = await shop.member();
  await sql`
    update members set username = ${`own ${canary}`}, proved_at = now() where commerce_id = ${shop.id} and id = ${own.memberId}`.execute(
    db,
  );
  await shop.sell(shared, 100);
  await shop.sell(own, 100);
  const sold = await shop.post('/v1/consumptions/client-code', { client_code: own.code, amount: 50 });
  const voucher = await shop.voucher(own, `only-${canary}`);
  await transaction(db, async (tx) => {
    const coffee = await readBenefit(tx, shop.id, 'coffee');
    const holder = { commerceId: shop.id, id: member.memberId };
    const issued = newVoucher(holder, coffee!, 'level', new Date());
    await claimRewards(tx, [{ member: holder, event: 'level', period: '1', givenAt: new Date() }]);
    await issueVouchers(tx, [{ ...issued, code: SHARED_VOUCHER }]);
  });
  const revoked = await createKey(db, shop.id, 'revoked');
  await revokeKey(db, shop.id, revoked.id);
  return {
    canary,
    shop,
    member: shared,
    own,
    browser: await shop.browser(member),
    purchaseId: Number(sold.headers.get('x-consumption-id')),
    voucher,
    revokedKey: revoked.key,
  };
}

/** One of the calls is leaving, so the member joins again before the next call. */
async function rejoin({ shop, member }: Tenant): Promise<void> {
  const { db } = await service();
  await transaction(db, (tx) => enrolMember(tx, shop.id, member.email));
}

async function freshRefresh(shop: Shop): Promise<string> {
  return (await signIn(shop.id, `s-${randomBytes(4).toString('hex')}@example.com`)).refresh;
}

async function endedToken({ shop, member }: Tenant): Promise<string> {
  const { db } = await service();
  const { token } = await shop.browser(member);
  await sql`
    update sessions set ended_at = now(), end_reason = 'logout'
     where id = (select max(id) from sessions where user_id = ${member.userId})`.execute(db);
  return token;
}
