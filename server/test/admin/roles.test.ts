/** The rights of every caller: every route of the back office and every kind of caller, from what the routes declare. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { RouteOptions } from 'fastify';
import { rolesFrom, STAFF_ROLES, type StaffRole } from '#http/staff-roles.ts';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { makeStaff, makeStaffKey } from '#test/staff.ts';

interface Caller {
  readonly name: string;
  readonly headers: Record<string, string>;
  /** The outcome of the call on a route for this role. */
  readonly expected: (needed: StaffRole | 'signed-in') => Outcome;
}

/** `passes`: the caller may, whatever comes of the call then. */
type Outcome = 'passes' | '401' | '403 role_needed' | '404 unknown_commerce' | '422 missing_commerce_id';

let routes: RouteOptions[];
let callers: Caller[];
let shop: Shop;
let origin: string;

before(async () => {
  const { app, db, url } = await service();
  routes = app.routeTable.filter(
    ({ url: path, method, config }) =>
      path.startsWith('/admin/v1/') && method !== 'HEAD' && config?.credential === 'staff',
  );
  origin = url;
  shop = await makeShop();
  const other = await makeShop();
  const here = { origin: url, 'x-commerce-id': String(shop.id) };
  const member = await shop.member();
  const { token } = await shop.browser(member);

  const byRole = (role: StaffRole) => (needed: StaffRole | 'signed-in') =>
    needed === 'signed-in' || rolesFrom(needed).includes(role) ? 'passes' : '403 role_needed';
  const byKey = (role: StaffRole) => (needed: StaffRole | 'signed-in') =>
    needed === 'signed-in' ? '401' : byRole(role)(needed);
  const never = () => '401' as const;
  const stranger = (needed: StaffRole | 'signed-in') =>
    needed === 'signed-in' ? 'passes' : '404 unknown_commerce';
  const strangeKey = (needed: StaffRole | 'signed-in') =>
    needed === 'signed-in' ? '401' : '404 unknown_commerce';

  const removed = await makeStaff(shop, 'owner');
  const closed = await makeShop();
  const ofClosed = await makeStaff(closed, 'owner');
  const keyOfClosed = await makeStaffKey(closed, 'owner');
  const revoked = await makeStaffKey(shop, 'owner');
  const ended = await makeStaff(shop, 'owner');
  await sql`update staff set removed_at = now() where person_id = ${removed.personId}`.execute(db);
  await sql`update staff_sessions set ended_at = now() where person_id = ${ended.personId}`.execute(db);
  await sql`update api_keys set revoked_at = now() where id = ${revoked.id}`.execute(db);
  await closed.close();

  callers = [
    { name: 'nobody', headers: here, expected: never },
    { name: 'a contract key', headers: { ...here, authorization: `Bearer ${shop.key}` }, expected: never },
    { name: 'a member', headers: { ...here, authorization: `Bearer ${token}` }, expected: never },
    {
      name: 'a member with the token as a cookie',
      headers: { ...here, cookie: `session=${token}` },
      expected: never,
    },
    { name: 'a made-up session', headers: { ...here, cookie: `session=${'A'.repeat(43)}` }, expected: never },
    {
      name: 'a made-up key',
      headers: { ...here, authorization: `Bearer lk_admin_${'A'.repeat(49)}` },
      expected: never,
    },
    { name: 'a removed owner', headers: removed.headers, expected: never },
    { name: 'an owner whose session ended', headers: ended.headers, expected: never },
    { name: 'a revoked key', headers: { ...here, authorization: `Bearer ${revoked.key}` }, expected: never },
    { name: 'an owner of a closed commerce', headers: { ...ofClosed.headers, ...here }, expected: stranger },
    {
      name: 'a key of a closed commerce',
      headers: { authorization: `Bearer ${keyOfClosed.key}` },
      expected: never,
    },
  ];
  for (const role of STAFF_ROLES) {
    const staff = await makeStaff(shop, role);
    const { 'x-commerce-id': _, ...homeless } = staff.headers;
    const key = await makeStaffKey(shop, role);
    const [strange, strangeKeyed] = [await makeStaff(other, role), await makeStaffKey(other, role)];
    callers.push(
      { name: `a ${role}`, headers: staff.headers, expected: byRole(role) },
      {
        name: `a ${role} who names no commerce`,
        headers: homeless,
        expected: (needed) => (needed === 'signed-in' ? 'passes' : '422 missing_commerce_id'),
      },
      { name: `a key of a ${role}`, headers: { authorization: `Bearer ${key.key}` }, expected: byKey(role) },
      {
        name: `a key of a ${role} that names its commerce`,
        headers: { ...here, authorization: `Bearer ${key.key}` },
        expected: byKey(role),
      },
      { name: `a ${role} of another commerce`, headers: { ...strange.headers, ...here }, expected: stranger },
      {
        name: `a ${role} at a commerce that does not exist`,
        headers: { ...staff.headers, 'x-commerce-id': '999999999' },
        expected: stranger,
      },
      {
        name: `a key of a ${role} of another commerce`,
        headers: { ...here, authorization: `Bearer ${strangeKeyed.key}` },
        expected: strangeKey,
      },
      {
        name: `a ${role} who sends a contract key too`,
        headers: { ...staff.headers, authorization: `Bearer ${shop.key}` },
        expected: never,
      },
    );
  }
});

test('every cell of roles × routes is as the routes declare it', async (t) => {
  assert.ok(routes.length >= 12, 'there are routes');
  const wrong: string[] = [];
  const counts = new Map<Outcome, number>();
  for (const route of routes) {
    const needed = route.config!.role!;
    for (const { name, headers, expected } of callers) {
      const outcome = await callAs(route, headers);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      if (outcome !== expected(needed))
        wrong.push(`${String(route.method)} ${route.url} (${needed}) as ${name}: ${outcome}`);
    }
  }
  assert.deepEqual(wrong, []);
  t.diagnostic(
    `${routes.length} routes × ${callers.length} callers: ${[...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ')}`,
  );
});

test('a commerce where a person has no role is answered like one that does not exist, on every route', async () => {
  const { app } = await service();
  const staff = await makeStaff(await makeShop(), 'owner');
  const answerAt = async (route: RouteOptions, commerceId: string) => {
    const { statusCode, payload } = await app.inject({
      ...requestOf(route),
      headers: { ...staff.headers, 'x-commerce-id': commerceId },
    });
    return { statusCode, payload };
  };
  for (const route of routes.filter(({ config }) => config!.role !== 'signed-in'))
    assert.deepEqual(await answerAt(route, String(shop.id)), await answerAt(route, '999999999'), route.url);
});

test('the whole audit is for owners, and a manager sees what was done to a member', async () => {
  for (const role of STAFF_ROLES) {
    const { status } = await (await makeStaff(shop, role)).get('audit');
    assert.equal(status, role === 'owner' ? 200 : 403, role);
  }
});

test('the calls of the contract refuse sessions and keys of the back office', async () => {
  const { app } = await service();
  const { cookie, ...owner } = (await makeStaff(shop, 'owner')).headers;
  const { key } = await makeStaffKey(shop, 'owner');
  const contract = app.routeTable.filter(
    ({ config, method }) =>
      method !== 'HEAD' && (config?.credential === 'key' || config?.credential === 'user'),
  );
  assert.ok(contract.length >= 25);
  for (const route of contract) {
    for (const headers of [
      { ...owner, cookie: cookie! },
      { ...owner, authorization: `Bearer ${key}` },
    ]) {
      const { statusCode } = await app.inject({ ...requestOf(route), headers });
      assert.equal(statusCode, 401, `${String(route.method)} ${route.url}`);
    }
  }
});

test('every route of the back office declares a role, or is one of those for signing in and for setting up', async () => {
  const { app } = await service();
  const open = app.routeTable.filter(
    ({ url, config, method }) =>
      method !== 'HEAD' && url.startsWith('/admin/v1/') && config?.credential !== 'staff',
  );
  assert.deepEqual(
    open.map(({ method, url, config }) => `${String(method)} ${url} ${config?.credential}`),
    [
      'POST /admin/v1/auth/otp/request none',
      'POST /admin/v1/auth/otp/verify none',
      'POST /admin/v1/auth/link/verify none',
      'POST /admin/v1/auth/logout none',
      'POST /admin/v1/set-up/link none',
      'POST /admin/v1/set-up/code none',
      'POST /admin/v1/set-up/claim none',
      'GET /admin/v1/set-up none',
      'PATCH /admin/v1/set-up none',
      'POST /admin/v1/set-up/preview none',
      'POST /admin/v1/set-up/shop none',
    ],
  );
  for (const { url, config } of routes) {
    assert.ok(config?.role !== undefined, url);
    if (config.role === 'signed-in') assert.match(url, /^\/admin\/v1\/(auth\/step-up\/\w+|session)$/);
  }
});

/** Ids in paths stand for nothing, so that a call that passes changes nothing. */
function requestOf({ method, url }: RouteOptions) {
  return {
    method: String(method) as 'GET',
    url: new URL(url.replaceAll(/:\w+/g, '281474976710699') + (QUERIES[url] ?? ''), origin).href,
    ...(method !== 'GET' && { payload: {} }),
  };
}

/** Without a member, the audit is the owner's alone. */
const QUERIES: Readonly<Record<string, string>> = { '/admin/v1/audit': '?member_id=281474976710699' };

async function callAs(route: RouteOptions, headers: Record<string, string>): Promise<Outcome> {
  const { app } = await service();
  const answer = await app.inject({ ...requestOf(route), headers });
  const code = String(answer.headers['x-error-code']);
  if (answer.statusCode === 401) return '401';
  const refused = `${answer.statusCode} ${code}`;
  assert.notEqual(answer.statusCode, 500, `${route.url} ${answer.payload}`);
  assert.notEqual(code, 'wrong_origin', route.url);
  return ['403 role_needed', '404 unknown_commerce', '422 missing_commerce_id'].includes(refused)
    ? (refused as Outcome)
    : 'passes';
}
