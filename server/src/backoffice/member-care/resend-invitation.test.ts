import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { sql } from '#db/database.ts';
import { NO_INVITATION_LIMIT } from '#members/invite-people.ts';
import { earlier } from '#test/earlier.ts';
import { service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { someone } from '#test/sign-in.ts';
import { commandLine } from '#test/staff.ts';
import { blockPerson } from './block-person.ts';
import { resendInvitation } from './resend-invitation.ts';

const { db } = await service();

function invite(shop: Shop, memberId: number, perDay: number | null = null) {
  const limit = { ...NO_INVITATION_LIMIT, perDay };
  return auditedTransaction(db, commandLine(shop.id), (tx) => resendInvitation(tx, shop.id, memberId, limit));
}

/** Someone whose points wait, and who was invited at the first purchase. */
async function stranger(shop: Shop, email = someone()) {
  await shop.post('/v1/consumptions/email', { client_email: email, amount: 5 });
  const { rows } = await sql<{ id: number }>`
    select id from members where commerce_id = ${shop.id} and email = ${email}`.execute(db);
  return { id: rows[0]!.id, email };
}

/** Lets the last invitations of a commerce count as longer ago. */
async function ageInvitations(shop: Shop, interval: string) {
  await sql`update invitations set sent_at = ${earlier('sent_at', interval)} where commerce_id = ${shop.id}`.execute(
    db,
  );
}

async function sentTo(shop: Shop, email: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from outbox where commerce_id = ${shop.id} and recipient = ${email} and kind = 'invitation'`.execute(
    db,
  );
  return rows[0]!.count;
}

test('a person is invited once more after a day, and by 20 people at once only once', async () => {
  const shop = await makeShop();
  const { id, email } = await stranger(shop);
  await assert.rejects(invite(shop, id), { code: 'invited_lately' });
  await ageInvitations(shop, '25 hours');
  const calls = await Promise.allSettled(Array.from({ length: 20 }, () => invite(shop, id)));
  assert.equal(calls.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal(await sentTo(shop, email), 2);
  const { rows } = await sql`select action from audit where commerce_id = ${shop.id}`.execute(db);
  assert.deepEqual(rows, [{ action: 'member.invite' }]);
});

test('no automatic invitation follows within 30 days', async () => {
  const shop = await makeShop();
  const { id, email } = await stranger(shop);
  await ageInvitations(shop, '31 days');
  await invite(shop, id);
  await stranger(shop, email);
  assert.equal(await sentTo(shop, email), 2);
});

test('an alias of a mailbox that was just invited is not invited', async () => {
  const shop = await makeShop();
  const email = someone();
  await stranger(shop, email);
  const alias = await stranger(shop, email.replace('@', '+shop@'));
  await assert.rejects(invite(shop, alias.id), { code: 'invited_lately' });
});

test('the daily limit of the commerce counts, and what it refuses can be sent the day after', async () => {
  const shop = await makeShop();
  const [one, other] = [await stranger(shop), await stranger(shop)];
  await ageInvitations(shop, '25 hours');
  await invite(shop, one.id, 3);
  await assert.rejects(invite(shop, other.id, 3), { code: 'invitations_used_up' });
  await sql`update invitation_days set day = day - 1 where commerce_id = ${shop.id}`.execute(db);
  await invite(shop, other.id, 3);
});

test('a mailbox that was sent 20 mails in a day by all commerces is sent no invitation', async () => {
  const shop = await makeShop();
  const { id, email } = await stranger(shop);
  await ageInvitations(shop, '25 hours');
  await sql`
    insert into sign_in_sends (commerce_id, email, sent_at)
    select ${shop.id}::bigint, ${email}, now() - make_interval(hours => n) from generate_series(1, 20) as n`.execute(
    db,
  );
  await assert.rejects(invite(shop, id), { code: 'invited_lately' });
  await sql`delete from sign_in_sends where email = ${email} and sent_at > now() - interval '90 minutes'`.execute(
    db,
  );
  await invite(shop, id);
});

test('members, blocked people and people of other shops are not invited', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await assert.rejects(invite(shop, member.memberId), { code: 'already_joined' });
  const { id } = await stranger(shop);
  await ageInvitations(shop, '25 hours');
  await assert.rejects(invite(await makeShop(), id), { code: 'not_found' });
  await auditedTransaction(db, commandLine(shop.id), (tx) => blockPerson(tx, shop.id, id, 'spam'));
  await assert.rejects(invite(shop, id), { code: 'blocked' });
});
