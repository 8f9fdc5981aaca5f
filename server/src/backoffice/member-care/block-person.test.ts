import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { sql } from '#db/database.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { age, signIn, someone } from '#test/sign-in.ts';
import { commandLine } from '#test/staff.ts';
import { AlreadyBlocked, blockPerson } from './block-person.ts';
import { NotBlocked, unblockPerson } from './unblock-person.ts';

const { db } = await service();

function block(shop: Shop, memberId: number, reason = 'shares the card') {
  return auditedTransaction(db, commandLine(shop.id), (tx) => blockPerson(tx, shop.id, memberId, reason));
}

function unblock(shop: Shop, memberId: number, reason: string | null = null) {
  return auditedTransaction(db, commandLine(shop.id), (tx) => unblockPerson(tx, shop.id, memberId, reason));
}

async function memberAt(shop: Shop, email: string) {
  const { rows } = await sql<{ id: number; state: string; blockedAt: Date | null; reason: string | null }>`
    select id, state, blocked_at as "blockedAt", block_reason as reason
      from members where commerce_id = ${shop.id} and email = ${email}`.execute(db);
  return rows[0]!;
}

test('a blocked member earns and buys nothing, still uses codes, and takes part again when unblocked', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 10 })] });
  const member = await shop.member();
  await shop.sell(member, 100);
  const code = await shop.voucher(member, 'coffee');
  await block(shop, member.memberId);
  assert.deepEqual((await memberAt(shop, member.email)).reason, 'shares the card');

  const browser = await shop.browser(member);
  const sale = { client_code: member.code, amount: 5 };
  const byMail = { client_email: member.email, amount: 5 };
  const buy = () =>
    browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' }, { 'idempotency-key': 'a' });
  assert.equal((await shop.post('/v1/consumptions/client-code', sale)).status, 403);
  assert.equal((await shop.post('/v1/consumptions/email', byMail)).status, 403);
  assert.equal((await buy()).status, 400);
  const account = await browser.get('/v1/me');
  assert.deepEqual([account.status, (account.body as { points: number }).points], [200, 90]);
  assert.equal((await shop.post('/v1/benefits/redeem', { client_benefit_code: code })).status, 200);
  await signIn(shop.id, member.email);
  assert.notEqual((await memberAt(shop, member.email)).blockedAt, null);

  await unblock(shop, member.memberId, 'said sorry');
  const after = await memberAt(shop, member.email);
  assert.deepEqual([after.blockedAt, after.reason], [null, null]);
  assert.equal((await shop.post('/v1/consumptions/client-code', sale)).status, 201);
  assert.equal((await buy()).status, 200);
  await assertBooksAgree(db, shop.id);
});

test('the reasons stand in the audit, in texts that can be erased', async () => {
  const shop = await makeShop();
  const { memberId } = await shop.member();
  await block(shop, memberId, 'first');
  await unblock(shop, memberId, 'second');
  const { rows } = await sql`
    select a.action, a.actor, a.before, a.after, t.before as "textBefore", t.reason
      from audit a
      join audit_texts t on t.commerce_id = a.commerce_id and t.audit_id = a.id
     where a.commerce_id = ${shop.id} and a.member_id = ${memberId} order by a.id`.execute(db);
  const by = { actor: 'command_line' };
  assert.deepEqual(rows, [
    {
      action: 'member.block',
      ...by,
      before: { blocked: false },
      after: { blocked: true },
      textBefore: null,
      reason: 'first',
    },
    {
      action: 'member.unblock',
      ...by,
      before: { blocked: true },
      after: { blocked: false },
      textBefore: { reason: 'first' },
      reason: 'second',
    },
  ]);
});

test('blocking twice and unblocking twice is refused, and changes nothing', async () => {
  const shop = await makeShop();
  const { memberId, email } = await shop.member();
  await assert.rejects(unblock(shop, memberId), NotBlocked);
  await block(shop, memberId, 'first');
  await assert.rejects(block(shop, memberId, 'second'), AlreadyBlocked);
  assert.equal((await memberAt(shop, email)).reason, 'first');
  await unblock(shop, memberId);
  await assert.rejects(unblock(shop, memberId), NotBlocked);
  await assert.rejects(block(await makeShop(), memberId), { code: 'not_found' });
});

test('a person whose points wait is blocked, joins without a welcome, and is welcomed once when unblocked', async () => {
  const shop = await makeShop({
    levels: { ladder: [{ id: 'first', name: 'First', threshold: 0, benefit: 'first' }] },
    benefits: [benefit('first', { benefit_type: 'level', cost: 0 })],
    rewards: { welcome: { points: 50 } },
  });
  const email = someone('waiting');
  await shop.post('/v1/consumptions/email', { client_email: email, amount: 10 });
  const { id } = await memberAt(shop, email);
  await block(shop, id);
  assert.equal((await shop.post('/v1/consumptions/email', { client_email: email, amount: 10 })).status, 403);

  const session = await signIn(shop.id, email);
  const browser = await shop.browser({ userId: session.user_id });
  const points = async () => ((await browser.get('/v1/me')).body as { points: number }).points;
  const codes = async () =>
    (await sql`select 1 from vouchers where commerce_id = ${shop.id}`.execute(db)).rows.length;
  assert.deepEqual([(await memberAt(shop, email)).state, await points(), await codes()], ['member', 10, 0]);

  await unblock(shop, id);
  assert.deepEqual([await points(), await codes()], [60, 1]);
  await block(shop, id);
  await unblock(shop, id);
  await age(email, '2 minutes');
  await signIn(shop.id, email);
  assert.deepEqual([await points(), await codes()], [60, 1]);
  await assertBooksAgree(db, shop.id);
});

test('a person who joined while blocked reached a tier from 0 on the day of joining, if it begins after the unblock', async () => {
  const shop = await makeShop({ sandbox: true });
  const email = someone('waiting');
  await shop.post('/v1/consumptions/email', { client_email: email, amount: 10 });
  const { id } = await memberAt(shop, email);
  await block(shop, id);
  const session = await signIn(shop.id, email);
  await shop.moveClock('22 days');
  await unblock(shop, id);
  await shop.moveClock('40 days');
  await shop.apply({ sandbox: true, levels: { ladder: [{ id: 'first', name: 'First', threshold: 0 }] } });

  const browser = await shop.browser({ userId: session.user_id });
  const { reached_at } = (await browser.get('/v1/me/level')).body as { reached_at: string };
  const { rows } = await sql<{ enrolledAt: Date }>`
    select enrolled_at as "enrolledAt" from members where commerce_id = ${shop.id} and id = ${id}`.execute(
    db,
  );
  assert.equal(new Date(reached_at).getTime(), rows[0]!.enrolledAt.getTime());
});

test('the tier of a blocked member stands still, and is settled when the member is unblocked', async () => {
  const shop = await makeShop({
    sandbox: true,
    levels: { valid_months: 1, ladder: [{ id: 'silver', name: 'Silver', threshold: 50 }] },
  });
  const member = await shop.member();
  await shop.sell(member, 60);
  await block(shop, member.memberId);
  await shop.moveClock('100 days');
  const browser = await shop.browser(member);
  const isExpired = async () =>
    ((await browser.get('/v1/me/level')).body as { is_expired: boolean }).is_expired;
  assert.equal(await isExpired(), false);
  await unblock(shop, member.memberId);
  assert.equal(await isExpired(), true);
});

test('of 20 people who block a member at once, one does, and no purchase is recorded after it', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const sale = { client_code: member.code, amount: 5 };
  const calls = Array.from({ length: 40 }, (_, i) =>
    i % 2 === 0
      ? block(shop, member.memberId, `reason ${i}`).then(
          () => 'blocked',
          (error: Error) => error.name,
        )
      : shop.post('/v1/consumptions/client-code', sale).then(({ status }) => String(status)),
  );
  const answers = await Promise.all(calls);
  assert.equal(answers.filter((answer) => answer === 'blocked').length, 1);
  assert.equal(answers.filter((answer) => answer === 'AlreadyBlocked').length, 19);
  const sold = answers.filter((answer) => answer === '201').length;
  assert.equal(answers.filter((answer) => answer === '403').length, 20 - sold);
  const { rows } = await sql<{ purchases: number; late: number }>`
    select count(*) as purchases, count(*) filter (where v.at > m.blocked_at) as late
      from movements v
      join members m on m.commerce_id = v.commerce_id and m.id = v.member_id
     where v.commerce_id = ${shop.id}`.execute(db);
  assert.deepEqual(rows, [{ purchases: sold, late: 0 }]);
});
