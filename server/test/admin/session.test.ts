import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { sql } from '#db/database.ts';
import { inviteStaff } from '#staff/invite-staff.ts';
import { call, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { mailedCodes, someone } from '#test/sign-in.ts';
import { commandLine, makeStaff, makeStaffKey } from '#test/staff.ts';

test('a person of the staff signs in with a code from the mail, and becomes neither user nor member by it', async () => {
  const { db, url } = await service();
  const shop = await makeShop({ name: 'Café Uno' });
  const email = someone('marta');
  await auditedTransaction(db, commandLine(shop.id), (tx) =>
    inviteStaff(tx, shop.id, { email, role: 'manager', name: 'Marta' }),
  );
  const headers = { origin: url };
  const asked = await call('POST', '/admin/v1/auth/otp/request', { headers, body: { email } });
  assert.equal(asked.status, 200);
  const [otp] = await mailedCodes(shop.id, email);
  const entered = await call('POST', '/admin/v1/auth/otp/verify', { headers, body: { email, otp } });
  assert.equal(entered.status, 200);
  const session = entered.body as { commerces: { id: number; role: string; step_up_points: number }[] };
  assert.deepEqual(
    session.commerces.map(({ id, role, step_up_points }) => ({ id, role, step_up_points })),
    [{ id: shop.id, role: 'manager', step_up_points: 10_000 }],
  );
  const [cookie] = entered.headers.getSetCookie();
  assert.match(cookie!, /^session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);

  const again = await call('GET', '/admin/v1/session', { headers: { cookie: cookie!.split(';')[0]! } });
  assert.deepEqual([again.status, again.body], [200, entered.body]);
  const { rows } = await sql`
    select 1 from users where email = ${email} union all select 1 from members where email = ${email}`.execute(
    db,
  );
  assert.equal(rows.length, 0);
});

test('a person made by the harness is signed in, and a key of the back office has no session', async () => {
  const shop = await makeShop();
  const staff = await makeStaff(shop, 'cashier');
  const { status, body } = await staff.get('session');
  assert.deepEqual([status, (body as { email: string }).email], [200, staff.email]);
  const key = await makeStaffKey(shop, 'owner');
  assert.equal((await key.get('session')).status, 401);
});

test('a code that was mailed before the removal opens nothing after it, nor does one of a closed commerce', async () => {
  const { db, url } = await service();
  const headers = { origin: url };
  for (const end of ['remove', 'close'] as const) {
    const shop = await makeShop();
    const { email, personId } = await makeStaff(shop, 'manager');
    await call('POST', '/admin/v1/auth/otp/request', { headers, body: { email } });
    const [otp] = await mailedCodes(shop.id, email);
    if (end === 'close') await shop.close();
    else await sql`update staff set removed_at = now() where person_id = ${personId}`.execute(db);
    const refused = await call('POST', '/admin/v1/auth/otp/verify', { headers, body: { email, otp } });
    assert.deepEqual([refused.status, refused.headers.get('set-cookie')], [400, null], end);
  }
});

test('fifty tries of one code at once open one session', async () => {
  const { db, url } = await service();
  const shop = await makeShop();
  const { email, personId } = await makeStaff(shop, 'manager');
  const headers = { origin: url };
  await call('POST', '/admin/v1/auth/otp/request', { headers, body: { email } });
  const [otp] = await mailedCodes(shop.id, email);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      call('POST', '/admin/v1/auth/otp/verify', { headers, body: { email, otp } }),
    ),
  );
  const opened = answers.filter(({ status }) => status === 200);
  assert.ok(opened.length <= 1);
  const { rows } = await sql<{ sessions: number }>`
    select count(*) as sessions from staff_sessions where person_id = ${personId}`.execute(db);
  assert.equal(rows[0]!.sessions, 1 + opened.length);
  for (const { status } of answers) assert.ok([200, 400, 503].includes(status), String(status));
});
