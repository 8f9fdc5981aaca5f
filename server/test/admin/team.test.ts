import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInstallationIds } from '#batching/wire-ids.ts';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { someone } from '#test/sign-in.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';

interface Colleague {
  readonly staff_id: number;
  readonly email: string;
  readonly name: string;
  readonly role: string;
}

test('an owner invites a person, changes the role and removes the person, and each is in the audit', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const email = someone('eva');
  const invited = await owner.post('staff', { email: email.toUpperCase(), name: 'Eva', role: 'cashier' });
  assert.equal(invited.status, 201);
  const { staff_id: id, ...eva } = invited.body as Colleague;
  assert.partialDeepStrictEqual(eva, { email, name: 'Eva', role: 'cashier', last_seen_at: null });
  const mails = await sql`
    select kind, content from outbox where commerce_id = ${shop.id} and recipient = ${email}`.execute(db);
  assert.deepEqual(mails.rows, [{ kind: 'staff-invitation', content: { role: 'cashier' } }]);

  assert.equal((await owner.post('staff', { email, role: 'manager' })).status, 409);
  assert.equal(((await owner.patch(`staff/${id}`, { role: 'manager' })).body as Colleague).role, 'manager');
  assert.equal((await owner.patch(`staff/${id}`, { role: 'manager' })).status, 200);
  assert.equal((await owner.delete(`staff/${id}`)).status, 200);
  assert.equal((await owner.delete(`staff/${id}`)).status, 404);
  const { body } = await owner.get('staff');
  assert.deepEqual(
    (body as Colleague[]).map((one) => one.email),
    [owner.email],
  );

  const { rows } = await sql`
    select action, actor, staff_id as "staffId", source, subject, before, after
      from audit where commerce_id = ${shop.id} and actor = 'staff' order by id`.execute(db);
  const by = { actor: 'staff', staffId: owner.staffId, source: '127.0.0.1', subject: email };
  assert.deepEqual(rows, [
    { action: 'staff.invite', ...by, before: null, after: { role: 'cashier' } },
    { action: 'staff.change_role', ...by, before: { role: 'cashier' }, after: { role: 'manager' } },
    { action: 'staff.remove', ...by, before: { role: 'manager' }, after: null },
  ]);
});

test('the last owner of a commerce can be neither removed nor lowered, also by two owners at once', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const alone = await wireIdOf(owner);
  for (const refused of [
    await owner.delete(`staff/${alone}`),
    await owner.patch(`staff/${alone}`, { role: 'cashier' }),
  ])
    assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [409, 'last_owner']);

  for (let round = 0; round < 8; round += 1) {
    const other = await makeStaff(shop, 'owner');
    const answers = await Promise.all([
      owner.patch(`staff/${await wireIdOf(other)}`, { role: 'manager' }),
      other.delete(`staff/${alone}`),
    ]);
    const { body } = await (answers[0].status === 200 ? owner : other).get('staff');
    const owners = (body as Colleague[]).filter(({ role }) => role === 'owner');
    assert.ok(owners.length >= 1, `round ${round}: ${answers.map(({ status }) => status).join()}`);
    if (answers[1].status === 200) return;
    await owner.delete(`staff/${await wireIdOf(other)}`);
  }
});

test('an owner beside others cannot lower, remove or sign out themselves, and reads why', async () => {
  const shop = await makeShop();
  const [owner] = [await makeStaff(shop, 'owner'), await makeStaff(shop, 'owner')];
  const own = await wireIdOf(owner);
  for (const refused of [
    await owner.patch(`staff/${own}`, { role: 'manager' }),
    await owner.delete(`staff/${own}`),
    await owner.post(`staff/${own}/sign-out`),
  ])
    assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [409, 'own_role']);
  assert.equal((await owner.patch(`staff/${own}`, { role: 'owner' })).status, 200);
  const { body } = await owner.get('staff');
  assert.deepEqual(
    (body as Colleague[]).map(({ role }) => role),
    ['owner', 'owner'],
  );
});

test('a team is changed only with a code that is at most 15 minutes old', async () => {
  const shop = await makeShop();
  const [owner, eva] = [await makeStaff(shop, 'owner'), await makeStaff(shop, 'cashier')];
  await owner.goStale();
  const id = await wireIdOf(eva);
  for (const refused of [
    await owner.post('staff', { email: someone(), role: 'cashier' }),
    await owner.patch(`staff/${id}`, { role: 'manager' }),
    await owner.delete(`staff/${id}`),
    await owner.post(`staff/${id}/sign-out`),
  ])
    assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [403, 'fresh_code_needed']);
  assert.equal((await owner.get('staff')).status, 200);
});

test('people of another commerce are nobody here', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const owner = await makeStaff(shop, 'owner');
  const stranger = await wireIdOf(await makeStaff(other, 'cashier'));
  for (const refused of [
    await owner.patch(`staff/${stranger}`, { role: 'owner' }),
    await owner.delete(`staff/${stranger}`),
    await owner.post(`staff/${stranger}/sign-out`),
  ])
    assert.equal(refused.status, 404);
});

async function wireIdOf({ staffId }: MadeStaff): Promise<number> {
  const { db } = await service();
  return (await readInstallationIds(db, 'staff')).toWire(staffId);
}
