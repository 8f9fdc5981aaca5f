import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { call, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { age, askForCode, mailedCodes, mailedLinks, showCode, someone, wrongCode } from '#test/sign-in.ts';
import { makeStaff, makeStaffKey, type MadeStaff } from '#test/staff.ts';

const fresh = (staff: MadeStaff) => staff.post('staff', { email: someone(), role: 'cashier' });
const stepUp = (staff: MadeStaff, otp: string) => staff.post('auth/step-up/verify', { otp });

async function post(path: string, body: object) {
  const { url } = await service();
  return call('POST', `/admin/v1/${path}`, { headers: { origin: url }, body });
}

/** A signed-in owner whose last code is too old. */
async function makeStale() {
  const shop = await makeShop();
  const staff = await makeStaff(shop, 'owner');
  await staff.goStale();
  return { shop, staff };
}

async function codeFor(staff: MadeStaff, commerceId: number): Promise<string> {
  assert.equal((await staff.post('auth/step-up/request', {})).status, 200);
  return (await mailedCodes(commerceId, staff.email))[0]!;
}

function cookieOf(answer: { headers: Headers }): string {
  return answer.headers.getSetCookie()[0]!.split(';')[0]!;
}

test('a fresh code opens what asks for one, for 15 minutes', async () => {
  const { shop, staff } = await makeStale();
  assert.equal((await fresh(staff)).headers.get('x-error-code'), 'fresh_code_needed');
  assert.equal(((await staff.get('session')).body as { fresh_until: null }).fresh_until, null);
  const renewed = await stepUp(staff, await codeFor(staff, shop.id));
  assert.equal(renewed.status, 200);
  const { fresh_until: until } = renewed.body as { fresh_until: string };
  const minutes = (Date.parse(until) - Date.now()) / 60_000;
  assert.ok(minutes > 14 && minutes < 16, until);
  const body = { email: someone(), role: 'cashier' };
  assert.equal((await staff.post('staff', body, { cookie: cookieOf(renewed) })).status, 201);
  await staff.goStale();
  const late = await staff.post('staff', body, { cookie: cookieOf(renewed) });
  assert.equal(late.headers.get('x-error-code'), 'fresh_code_needed');
});

test('a used, an old, a wrong and a replaced code are one and the same 400', async () => {
  const { shop, staff } = await makeStale();
  const first = await codeFor(staff, shop.id);
  const refused = await stepUp(staff, wrongCode(first));
  assert.equal(refused.status, 400);
  await age(staff.email, '11 minutes');
  assert.equal((await stepUp(staff, first)).text, refused.text);
  const second = await codeFor(staff, shop.id);
  if (second !== first) assert.equal((await stepUp(staff, first)).text, refused.text);
  const renewed = await stepUp(staff, second);
  assert.equal(renewed.status, 200);
  const again = await staff.post('auth/step-up/verify', { otp: second }, { cookie: cookieOf(renewed) });
  assert.equal(again.text, refused.text);
});

test('the code of another person is worth nothing', async () => {
  const { shop, staff } = await makeStale();
  const other = await makeStaff(shop, 'owner');
  const otp = await codeFor(other, shop.id);
  await codeFor(staff, shop.id);
  const own = (await mailedCodes(shop.id, staff.email))[0];
  if (own !== otp) assert.equal((await stepUp(staff, otp)).status, 400);
  assert.equal((await fresh(staff)).status, 403);
});

test('a code or link of one purpose is refused at every other', async () => {
  const { shop, staff } = await makeStale();
  const { email } = staff;
  // A member's code, for the same person at the same commerce.
  await askForCode(shop.id, email);
  const [member] = await mailedCodes(shop.id, email);
  const [memberLink] = await mailedLinks(shop.id, email);
  await age(email, '2 minutes');
  await post('auth/otp/request', { email });
  const [console_] = await mailedCodes(shop.id, email);
  const [consoleLink] = await mailedLinks(shop.id, email);
  await age(email, '2 minutes');
  const stepUpCode = await codeFor(staff, shop.id);
  const stepUpLinks = await mailedLinks(shop.id, email);
  assert.equal(stepUpLinks[0], '', 'a fresh code has no link: it must be typed where it is asked for');
  const codes = [member!, console_!, stepUpCode];
  assert.equal(new Set(codes).size, 3, 'the codes differ');

  const asMember = (otp: string) => showCode(shop.id, email, otp);
  const asStaff = (otp: string) => post('auth/otp/verify', { email, otp });
  for (const otp of [console_!, stepUpCode]) assert.equal((await asMember(otp)).status, 400);
  for (const otp of [member!, stepUpCode]) assert.equal((await asStaff(otp)).status, 400);
  for (const otp of [member!, console_!]) assert.equal((await stepUp(staff, otp)).status, 400);
  const pressMember = (token: string) =>
    call('POST', '/v1/auth/link/verify', { headers: { 'x-commerce-id': String(shop.id) }, body: { token } });
  assert.equal((await post('auth/link/verify', { token: memberLink! })).status, 400);
  assert.equal((await pressMember(consoleLink!)).status, 400);

  // Each still opens what it is for.
  assert.equal((await post('auth/link/verify', { token: consoleLink! })).status, 200);
  assert.equal((await pressMember(memberLink!)).status, 200);
  assert.equal((await stepUp(staff, stepUpCode)).status, 200);
});

test('the numbers of the purposes are no commerces: a member cannot ask for or show a code under them', async () => {
  const { shop, staff } = await makeStale();
  await post('auth/otp/request', { email: staff.email });
  const [otp] = await mailedCodes(shop.id, staff.email);
  for (const id of [0, -1]) {
    assert.equal((await showCode(id, staff.email, otp!)).status, 404);
    assert.equal((await askForCode(id, staff.email)).status, 200);
  }
  assert.equal((await mailedCodes(shop.id, staff.email)).length, 1);
  assert.equal((await post('auth/otp/verify', { email: staff.email, otp })).status, 200);
});

test('a key never does what asks for a fresh code, whatever its role', async () => {
  const shop = await makeShop();
  const key = await makeStaffKey(shop, 'owner');
  const { status, headers } = await key.post('staff', { email: someone(), role: 'cashier' });
  assert.deepEqual([status, headers.get('x-error-code')], [403, 'fresh_code_needed']);
  assert.equal((await key.post('auth/step-up/request', {})).status, 401);
});

test('an address of nobody on the staff gets the same answers, and no mail', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const staff = await makeStaff(shop, 'cashier');
  const stranger = someone();
  const member = await shop.member();
  const [known, unknown] = [
    await post('auth/otp/request', { email: staff.email }),
    await post('auth/otp/request', { email: stranger }),
  ];
  assert.deepEqual([unknown.status, unknown.text], [known.status, known.text]);
  assert.equal((await post('auth/otp/request', { email: member.email })).text, known.text);
  assert.equal((await post('auth/otp/request', { email: 'no address' })).text, known.text);
  const { rows } = await sql<{ recipient: string }>`
    select recipient from outbox where recipient in (${staff.email}, ${stranger}, ${member.email})
       and kind = 'sign-in-code'`.execute(db);
  assert.deepEqual(rows, [{ recipient: staff.email }]);
  // Tries against either count, and are answered alike.
  const [right] = await mailedCodes(shop.id, staff.email);
  for (let i = 0; i < 6; i += 1) {
    const [one, other] = [
      await post('auth/otp/verify', { email: staff.email, otp: wrongCode(right) }),
      await post('auth/otp/verify', { email: stranger, otp: wrongCode(right) }),
    ];
    assert.deepEqual([one.status, one.text], [other.status, other.text]);
  }
  const tries = await sql<{ tries: number }>`
    select tries from sign_in_codes where email in (${staff.email}, ${stranger})`.execute(db);
  assert.deepEqual(tries.rows, [{ tries: 5 }, { tries: 5 }]);
  assert.equal((await post('auth/otp/verify', { email: staff.email, otp: right })).status, 400);
  // The link of the same mail still works, as for members.
  const [link] = await mailedLinks(shop.id, staff.email);
  assert.equal((await post('auth/link/verify', { token: link! })).status, 200);
});

test('the staff gets one code in a minute and five in an hour, beside what the person gets as a member', async () => {
  const shop = await makeShop();
  const staff = await makeStaff(shop, 'cashier');
  const ask = () => post('auth/otp/request', { email: staff.email });
  const count = async () => (await mailedCodes(shop.id, staff.email)).length;
  await ask();
  await ask();
  assert.equal(await count(), 1);
  for (let i = 0; i < 6; i += 1) {
    await age(staff.email, '61 seconds');
    await ask();
  }
  assert.equal(await count(), 5);
  await askForCode(shop.id, staff.email);
  assert.equal(await count(), 6);
});
