import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { sql } from '#db/database.ts';
import type { ProfileEdit } from '#members/edit-profile.ts';
import { service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { signIn, someone } from '#test/sign-in.ts';
import { commandLine } from '#test/staff.ts';
import { editPerson } from './edit-person.ts';

const { db } = await service();

function edit(shop: Shop, memberId: number, changes: ProfileEdit) {
  return auditedTransaction(db, commandLine(shop.id), (tx) => editPerson(tx, shop.id, memberId, changes));
}

async function profileOf(shop: Shop, memberId: number) {
  const { rows } = await sql`
    select username, phone, birth_date as "birthDate", birth_date_set_at is not null as "isDated"
      from members where commerce_id = ${shop.id} and id = ${memberId}`.execute(db);
  return rows[0];
}

test('staff change what they name, clear it with null, and the audit has both values in erasable texts', async () => {
  const shop = await makeShop();
  const { memberId } = await shop.member('ana');
  await edit(shop, memberId, { phone: '+34600111222', birthDate: '1990-05-04' });
  const { changed } = await edit(shop, memberId, { username: 'Ana María', phone: null });
  assert.deepEqual(changed, ['username', 'phone']);
  const expected = { username: 'Ana María', phone: null, birthDate: '1990-05-04', isDated: true };
  assert.deepEqual(await profileOf(shop, memberId), expected);
  const { rows } = await sql`
    select a.action, a.before, a.after, t.before as "textBefore", t.after as "textAfter"
      from audit a
      join audit_texts t on t.commerce_id = a.commerce_id and t.audit_id = a.id
     where a.commerce_id = ${shop.id} order by a.id desc limit 1`.execute(db);
  assert.deepEqual(rows, [
    {
      action: 'member.edit',
      before: null,
      after: null,
      textBefore: { username: 'ana', phone: '+34600111222' },
      textAfter: { username: 'Ana María', phone: null },
    },
  ]);
});

test('the same change again changes nothing and leaves no audit row', async () => {
  const shop = await makeShop();
  const { memberId } = await shop.member();
  await edit(shop, memberId, { phone: '+34600111222' });
  assert.deepEqual(await edit(shop, memberId, { phone: '+34600111222' }), { changed: [] });
  const { rows } = await sql`select 1 from audit where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 1);
});

test('a birth date that is not in the calendar, too early or in the future is refused as for the member', async () => {
  const shop = await makeShop();
  const { memberId } = await shop.member();
  for (const birthDate of ['1990-02-30', '1899-12-31', '2999-01-01'])
    await assert.rejects(edit(shop, memberId, { birthDate }), { status: 422 });
});

test('a birthday that staff enter on the day itself is rewarded a year later', async () => {
  const shop = await makeShop({
    sandbox: true,
    clock: '2027-03-10T12:00:00Z',
    rewards: { birthday: { points: 30 } },
  });
  const member = await shop.member();
  await edit(shop, member.memberId, { birthDate: '1990-03-10' });
  const { advanceClock } = await import('#jobs/advance-clock.ts');
  const points = async () =>
    ((await (await shop.browser(member)).get('/v1/me')).body as { points: number }).points;
  await advanceClock(db, shop.slug, '1 day');
  assert.equal(await points(), 0);
  await advanceClock(db, shop.slug, '365 days');
  assert.equal(await points(), 30);
});

test('a name that staff give to someone whose points wait is kept when the person joins', async () => {
  const shop = await makeShop();
  const email = someone();
  await shop.post('/v1/consumptions/email', { client_email: email, amount: 5 });
  const { rows } = await sql<{ id: number }>`
    select id from members where commerce_id = ${shop.id} and email = ${email}`.execute(db);
  await edit(shop, rows[0]!.id, { username: 'Don Pepe' });
  assert.equal((await signIn(shop.id, email)).username, 'Don Pepe');
});

test('staff and the member who change different fields at once both succeed', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const browser = await shop.browser(member);
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0
        ? edit(shop, member.memberId, { username: `Name ${i}` })
        : browser.patch('/v1/me', { phone: `+3460000000${i % 10}` }),
    ),
  );
  await edit(shop, member.memberId, { username: 'Last' });
  await browser.patch('/v1/me', { phone: '+34600999999' });
  const expected = { username: 'Last', phone: '+34600999999', birthDate: null, isDated: false };
  assert.deepEqual(await profileOf(shop, member.memberId), expected);
});
