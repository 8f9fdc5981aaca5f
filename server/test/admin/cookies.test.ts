import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { sql } from '#db/database.ts';
import { onEnd } from '#test/database.ts';
import { call, SECRET, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { mailedCodes } from '#test/sign-in.ts';
import { backOffice, makeStaff, type MadeStaff } from '#test/staff.ts';
import { earlier } from '../earlier.ts';

/** Signs the person in as a browser does, and returns the whole Set-Cookie header. */
async function signIn(staff: MadeStaff, commerceId: number, cookie?: string): Promise<string> {
  const { url } = await service();
  const headers = { origin: url, ...(cookie !== undefined && { cookie }) };
  await call('POST', '/admin/v1/auth/otp/request', { headers, body: { email: staff.email } });
  const [otp] = await mailedCodes(commerceId, staff.email);
  const entered = await call('POST', '/admin/v1/auth/otp/verify', {
    headers,
    body: { email: staff.email, otp },
  });
  assert.equal(entered.status, 200);
  return entered.headers.getSetCookie()[0]!;
}

const pairOf = (setCookie: string) => setCookie.split(';')[0]!;
const statusWith = async (cookie: string) =>
  (await call('GET', '/admin/v1/session', { headers: { cookie } })).status;

test('over https the cookie has the __Host- prefix and Secure, and the plain name is not read', async () => {
  const { db } = await service();
  const app = await buildApp({ db, log: false, secret: SECRET, publicUrl: 'https://club.example' });
  onEnd(() => app.close());
  const shop = await makeShop();
  const { email, token } = await makeStaff(shop, 'manager');
  const post = (path: string, payload: object) =>
    app.inject({
      method: 'POST',
      url: `/admin/v1/${path}`,
      headers: { origin: 'https://club.example' },
      payload,
    });
  await post('auth/otp/request', { email });
  const [otp] = await mailedCodes(shop.id, email);
  const entered = await post('auth/otp/verify', { email, otp });
  assert.match(
    String(entered.headers['set-cookie']),
    /^__Host-session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
  );
  const get = async (cookie: string) =>
    (await app.inject({ url: '/admin/v1/session', headers: { cookie } })).statusCode;
  assert.equal(await get(pairOf(String(entered.headers['set-cookie']))), 200);
  assert.equal(await get(`session=${token}`), 401);
  assert.equal(await get(`__Host-session=${token}`), 200);
});

test('a session that somebody planted before the sign-in is worth nothing after it', async () => {
  const shop = await makeShop();
  const staff = await makeStaff(shop, 'manager');
  const planted = `session=${'A'.repeat(43)}`;
  const cookie = pairOf(await signIn(staff, shop.id, planted));
  assert.notEqual(cookie, planted);
  assert.deepEqual([await statusWith(planted), await statusWith(cookie)], [401, 200]);
  // The thief's own session, which is valid, does not become the victim's either.
  const thief = await makeStaff(shop, 'cashier');
  const own = `session=${thief.token}`;
  const second = await makeStaff(shop, 'owner');
  assert.notEqual(pairOf(await signIn(second, shop.id, own)), own);
  const { body } = await call('GET', '/admin/v1/session', { headers: { cookie: own } });
  assert.equal((body as { email: string }).email, thief.email);
});

test('two cookies of one name are refused, whichever comes first', async () => {
  const staff = await makeStaff(await makeShop(), 'manager');
  const [good, bad] = [`session=${staff.token}`, `session=${'A'.repeat(43)}`];
  assert.deepEqual([await statusWith(`${good}; ${bad}`), await statusWith(`${bad}; ${good}`)], [401, 401]);
  assert.equal(await statusWith(`theme=dark; ${good}; lang=es`), 200);
});

test('after signing out, the cookie is refused for good, and the browser forgets it', async () => {
  const shop = await makeShop();
  const staff = await makeStaff(shop, 'manager');
  const out = await staff.post('auth/logout', {});
  assert.equal(out.headers.getSetCookie()[0], 'session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
  assert.equal(await statusWith(`session=${staff.token}`), 401);
  assert.equal((await staff.post('auth/logout', {})).status, 200);
});

test('a copied cookie ends with sign-out everywhere, by the person or by an owner', async () => {
  const shop = await makeShop();
  const staff = await makeStaff(shop, 'manager');
  const copy = pairOf(await signIn(staff, shop.id));
  assert.equal(await statusWith(copy), 200);
  await staff.post('auth/logout', { everywhere: true });
  assert.equal(await statusWith(copy), 401);

  const owner = await makeStaff(shop, 'owner');
  const victim = await makeStaff(shop, 'cashier');
  const { body } = await owner.get('staff');
  const id = (body as { staff_id: number; email: string }[]).find(
    ({ email }) => email === victim.email,
  )!.staff_id;
  assert.equal((await owner.post(`staff/${id}/sign-out`)).status, 200);
  assert.equal((await victim.get('session')).status, 401);
  assert.equal((await owner.get('session')).status, 200);
});

test('a fresh code replaces the cookie, so a copy of the old one ends', async () => {
  const shop = await makeShop();
  const staff = await makeStaff(shop, 'owner');
  assert.equal((await staff.post('auth/step-up/request', {})).status, 200);
  const [otp] = await mailedCodes(shop.id, staff.email);
  const renewed = await staff.post('auth/step-up/verify', { otp });
  assert.equal(renewed.status, 200);
  assert.equal((await staff.get('session')).status, 401);
  assert.equal(await statusWith(pairOf(renewed.headers.getSetCookie()[0]!)), 200);
});

test('a session ends after 12 hours without a call, and after 30 days with calls', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const [idle, old, busy] = [
    await makeStaff(shop, 'manager'),
    await makeStaff(shop, 'manager'),
    await makeStaff(shop, 'manager'),
  ];
  const age = (staff: MadeStaff, what: 'seen_at' | 'ends_at', by: string) =>
    sql`update staff_sessions set ${sql.id(what)} = ${earlier(what, by)}
         where person_id = ${staff.personId}`.execute(db);
  await age(idle, 'seen_at', '12 hours 1 minute');
  await age(old, 'ends_at', '30 days 1 minute');
  await age(busy, 'seen_at', '11 hours 59 minutes');
  assert.deepEqual(
    [
      (await idle.get('session')).status,
      (await old.get('session')).status,
      (await busy.get('session')).status,
    ],
    [401, 401, 200],
  );
  // That call counted.
  await age(busy, 'seen_at', '11 hours 59 minutes');
  assert.equal((await busy.get('session')).status, 200);
});

test('a removed person is refused at once by every process', async () => {
  const { db, url } = await service();
  const other = await buildApp({ db, log: false, secret: SECRET, publicUrl: url });
  onEnd(() => other.close());
  const shop = await makeShop();
  const [owner, staff] = [await makeStaff(shop, 'owner'), await makeStaff(shop, 'owner')];
  const elsewhere = async (path: string) =>
    (await other.inject({ url: `/admin/v1/${path}`, headers: staff.headers })).statusCode;
  assert.deepEqual([(await staff.get('staff')).status, await elsewhere('staff')], [200, 200]);
  const { body } = await owner.get('staff');
  const id = (body as { staff_id: number; email: string }[]).find(
    ({ email }) => email === staff.email,
  )!.staff_id;
  await owner.delete(`staff/${id}`);
  assert.deepEqual([(await staff.get('staff')).status, await elsewhere('staff')], [401, 401]);

  // Somebody who still works elsewhere stays signed in, and is a stranger here.
  const two = await makeShop();
  const both = await makeStaff(shop, 'owner');
  const there = await makeStaff(two, 'owner', { email: both.email });
  const listed = (await owner.get('staff')).body as { staff_id: number; email: string }[];
  await owner.delete(`staff/${listed.find(({ email }) => email === both.email)!.staff_id}`);
  assert.deepEqual([(await both.get('staff')).status, (await there.get('staff')).status], [404, 200]);
  const nowhere = await backOffice({ ...there.headers, 'x-commerce-id': '999999999' }).get('staff');
  assert.equal((await both.get('staff')).text, nowhere.text);
});

test('a lower role counts at once, in the middle of a session and in every process', async () => {
  const { db, url } = await service();
  const other = await buildApp({ db, log: false, secret: SECRET, publicUrl: url });
  onEnd(() => other.close());
  const shop = await makeShop();
  const [owner, staff] = [await makeStaff(shop, 'owner'), await makeStaff(shop, 'owner')];
  const elsewhere = async () =>
    (await other.inject({ url: '/admin/v1/staff', headers: staff.headers })).statusCode;
  assert.deepEqual([(await staff.get('staff')).status, await elsewhere()], [200, 200]);
  const { body } = await owner.get('staff');
  const id = (body as { staff_id: number; email: string }[]).find(
    ({ email }) => email === staff.email,
  )!.staff_id;
  await owner.patch(`staff/${id}`, { role: 'manager' });
  const refused = await staff.get('staff');
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [403, 'role_needed']);
  assert.equal(await elsewhere(), 403);
});
