import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { adjustPoints } from '#corrections/adjust-points.ts';
import { pinTier } from '#corrections/pin-tier.ts';
import { sql, transaction } from '#db/database.ts';
import { NO_INVITATION_LIMIT } from '#members/invite-people.ts';
import { reversePurchase } from '#purchases/reverse-purchase.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { age, freshCode, showCode, signIn, someone } from '#test/sign-in.ts';
import { commandLine } from '#test/staff.ts';
import { storedPurchaseId } from '#test/stored-id.ts';
import { findTraces } from '#test/traces.ts';
import { readExplanation } from '#books/read-explanation.ts';
import { blockPerson } from './block-person.ts';
import { editPerson } from './edit-person.ts';
import { erasePerson, NotConfirmed, ReasonNamesThePerson } from './erase-person.ts';
import { resendInvitation } from './resend-invitation.ts';

const { db } = await service();

const PROGRAM = {
  earning: { money_per_point: 1 },
  benefits: [
    benefit('coffee', { cost: 10, buy_limit: 50 }),
    benefit('cake', { benefit_type: 'welcome', cost: 0 }),
    benefit('silver', { benefit_type: 'level', cost: 0 }),
  ],
  levels: { ladder: [{ id: 'silver', name: 'Silver', threshold: 50, benefit: 'silver' }] },
  rewards: { welcome: { benefit: 'cake' } },
};

/** Everything that a person can leave at a shop. */
async function liveAt(shop: Shop, email: string, { name, phone }: { name: string; phone: string }) {
  const session = await signIn(shop.id, email);
  const { rows } = await sql<{ memberId: number; code: number }>`
    select id as "memberId", code from members where commerce_id = ${shop.id} and email = ${email}`.execute(
    db,
  );
  const { memberId, code } = rows[0]!;
  const member = { memberId, code, email, userId: session.user_id } as MadeMember;
  const as = commandLine(shop.id);
  await auditedTransaction(db, as, (tx) =>
    editPerson(tx, shop.id, memberId, { username: name, phone, birthDate: '1990-05-04' }),
  );
  await auditedTransaction(db, as, (tx) => editPerson(tx, shop.id, memberId, { username: `${name} 2` }));
  await auditedTransaction(db, as, (tx) => editPerson(tx, shop.id, memberId, { username: name }));
  await shop.sell(member, 200);
  await shop.voucher(member, 'coffee');
  await shop.voucher(member, 'coffee');
  const used = await shop.voucher(member, 'coffee');
  await shop.post('/v1/benefits/redeem', { client_benefit_code: used });
  const reason = `${name} of ${email} called from ${phone}`;
  const sale = await shop.post('/v1/consumptions/client-code', { client_code: code, amount: 10 });
  const purchaseId = await storedPurchaseId(sale);
  const returned = await shop.voucher(member, 'coffee');
  const at = { commerceId: shop.id, memberId, reason };
  await auditedTransaction(db, as, (tx) => adjustPoints(tx, { ...at, points: 5 }));
  await auditedTransaction(db, as, (tx) => pinTier(tx, { ...at, tierId: 'silver' }));
  await auditedTransaction(db, as, (tx) => reversePurchase(tx, { ...at, purchaseId }));
  await auditedTransaction(db, as, (tx) => giveBackVoucher(tx, { ...at, code: returned }));
  await sql`
    with shop as (insert into wallet_shops (commerce_id, google_class, searched_to) values (${shop.id}, ${`c${shop.id}`}, 0)
                      on conflict do nothing),
         passes as (insert into wallet_passes (commerce_id, serial, member_id, kind)
                    values (${shop.id}, ${`a${memberId}`}, ${memberId}, 'apple'), (${shop.id}, ${`g${memberId}`}, ${memberId}, 'google'))
    insert into wallet_devices (commerce_id, serial, device, push_token, token_hash)
    values (${shop.id}, ${`a${memberId}`}, ${`phone of ${name}`}, 'push', sha256('x'))`.execute(db);
  await age(email, '2 minutes');
  await freshCode(shop.id, email);
  await showCode(shop.id, email, 'abcdef');
  await auditedTransaction(db, as, (tx) =>
    blockPerson(tx, shop.id, memberId, `${name} shouted at ${email}, call ${phone}`),
  );
  return { member, session };
}

function erase(
  shop: Shop,
  member: { memberId: number; code: number | null; email: string },
  reason = 'asked for it',
) {
  const confirm = String(member.code ?? member.email);
  return auditedTransaction(db, commandLine(shop.id), (tx) =>
    erasePerson(tx, shop.id, member.memberId, { confirm, reason }),
  );
}

async function dump(commerceId: number): Promise<Record<string, unknown>> {
  const { rows } = await sql<{ table: string }>`
    select table_name as table from information_schema.columns
     where table_schema = current_schema() and column_name = 'commerce_id'
       -- When a key was last used is written behind, seconds later, and says nothing about a person.
       and table_name <> 'api_key_uses'
     order by 1`.execute(db);
  const all: Record<string, unknown> = {};
  for (const { table } of rows) {
    const found = await sql<{ rows: unknown }>`
      select jsonb_agg(to_jsonb(t) order by to_jsonb(t)::text) as rows from ${sql.id(table)} t where commerce_id = ${commerceId}`.execute(
      db,
    );
    all[table] = found.rows[0]!.rows;
  }
  return all;
}

test('no text of the database has the name, address or number of an erased person, and the books agree', async () => {
  const shop = await makeShop(PROGRAM);
  const email = someone('eva.roca');
  const name = `Eva Roca ${Math.random().toString(36).slice(2)}`;
  const phone = `+34${String(Math.random()).slice(2, 11)}`;
  const { member, session } = await liveAt(shop, email, { name, phone });
  for (const text of [email, name, phone]) {
    const before = await findTraces(db, text, null);
    assert.ok(before.length >= 3, `the test has left too little: ${JSON.stringify(before)}`);
  }
  const erased = await erase(shop, member);
  assert.deepEqual(erased, { points: 175, codes: 4 });
  for (const text of [email, name, name.split(' ').at(-1)!, phone])
    assert.deepEqual(await findTraces(db, text, null), [], text);
  const { rows } = await sql`
    select from users where id = ${session.user_id} union all select from sessions where user_id = ${session.user_id}`.execute(
    db,
  );
  assert.equal(rows.length, 0);
  await assertBooksAgree(db, shop.id);
});

test('at another commerce, the membership of an erased person is untouched', async () => {
  const [shop, other] = [await makeShop(PROGRAM), await makeShop(PROGRAM)];
  const email = someone('both');
  const profile = { name: 'Both Ways', phone: '+34911222333' };
  const there = await liveAt(other, email, profile);
  await age(email, '2 minutes');
  const here = await liveAt(shop, email, profile);
  const before = await dump(other.id);
  await erase(shop, here.member);
  assert.deepEqual(await findTraces(db, email, shop.id).then(ofCommerce), []);
  assert.deepEqual(await findTraces(db, profile.name, shop.id), []);
  assert.deepEqual(await findTraces(db, profile.phone, shop.id), []);
  assert.deepEqual(await dump(other.id), before);
  const { rows } = await sql`select email from users where id = ${there.session.user_id}`.execute(db);
  assert.deepEqual(rows, [{ email }]);
  const visitor = { authorization: `Bearer ${there.session.access}`, 'x-commerce-id': String(other.id) };
  const { status } = await other.visit('/v1/me', visitor);
  assert.equal(status, 200);
  await assertBooksAgree(db, shop.id);
  await assertBooksAgree(db, other.id);
});

/** Leaves out the account and its failed sign-ins, which belong to all commerces. */
function ofCommerce(traces: readonly { place: string }[]) {
  return traces.filter(({ place }) => !['users.email', 'sign_in_failures.email'].includes(place));
}

test('the points of an erased person end in the ledger, unused codes are void and free their place, used ones stay', async () => {
  const shop = await makeShop(PROGRAM);
  const member = await shop.member();
  await shop.sell(member, 100);
  const [unused, used] = [await shop.voucher(member, 'coffee'), await shop.voucher(member, 'coffee')];
  await shop.post('/v1/benefits/redeem', { client_benefit_code: used });
  await erase(shop, member);
  const client = (await shop.get(`/v1/clients/${member.code}`)).body;
  assert.deepEqual(client, { code: member.code, username: '', email: '', points: 0 });
  const { rows } = await sql<{ id: number }>`
    select id from movements where commerce_id = ${shop.id} order by id desc limit 1`.execute(db);
  const { type, points, sentence } = (await readExplanation(db, shop.id, rows[0]!.id))!;
  assert.deepEqual(
    [type, points, sentence],
    ['adjustment', -80, 'Account erased: 80 points taken (-80 without a date).'],
  );
  const sold = await sql`select sold from benefits where commerce_id = ${shop.id} and id = 'coffee'`.execute(
    db,
  );
  assert.deepEqual(sold.rows, [{ sold: 1 }]);
  const { status } = await shop.post('/v1/benefits/redeem', { client_benefit_code: unused });
  assert.equal(status, 400);
  await assert.rejects(transaction(db, (tx) => giveBackVoucher(tx, { commerceId: shop.id, code: unused })));
  const sale = { client_code: member.code, amount: 5 };
  assert.equal((await shop.post('/v1/consumptions/client-code', sale)).status, 403);
  await assertBooksAgree(db, shop.id);
});

test('a debt ends too, and what is returned later makes no new one', async () => {
  const shop = await makeShop(PROGRAM);
  const member = await shop.member();
  const buy = (amount: number) =>
    shop.post('/v1/consumptions/client-code', { client_code: member.code, amount });
  const [first, second] = [await buy(40), await buy(30)];
  for (let i = 0; i < 7; i++) await shop.voucher(member, 'coffee');
  const reverse = (id: string) => shop.post(`/v1/consumptions/${id}/reversal`, {});
  await reverse(second.headers.get('x-consumption-id')!);
  const { points } = await erase(shop, member);
  assert.equal(points, -30);
  const answer = await reverse(first.headers.get('x-consumption-id')!);
  assert.deepEqual([answer.status, (answer.body as { points: number }).points], [201, 0]);
  const { rows } = await sql`select from balances where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 0);
  await assertBooksAgree(db, shop.id);
});

test('erasing is final, asks for the code, and keeps no reason that names the person', async () => {
  const shop = await makeShop(PROGRAM);
  const member = await shop.member('rosa.luz');
  const wrong = { ...member, code: member.code - 1 };
  await assert.rejects(erase(shop, wrong), NotConfirmed);
  for (const reason of [
    `wish of ${member.email}`,
    'ROSA.LUZ asked',
    'by Rosa Luz',
    'rosa asked for it',
    'Ms. LÚZ’s wish',
  ])
    await assert.rejects(erase(shop, member, reason), ReasonNamesThePerson);
  await erase(shop, member, 'rosaluz is a flower');
  await assert.rejects(erase(shop, member), { code: 'erased' });
  const act = (work: Parameters<typeof transaction>[1]) => transaction(db, work);
  await assert.rejects(
    act((tx) => blockPerson(tx, shop.id, member.memberId, 'x')),
    { code: 'erased' },
  );
  await assert.rejects(
    act((tx) => editPerson(tx, shop.id, member.memberId, { phone: null })),
    { code: 'erased' },
  );
  await assert.rejects(
    act((tx) => resendInvitation(tx, shop.id, member.memberId, NO_INVITATION_LIMIT)),
    { code: 'erased' },
  );
});

test('the waiting points of a stranger are erased with the address, and who joins again is new and is not welcomed twice', async () => {
  const shop = await makeShop(PROGRAM);
  const email = someone('stranger');
  await shop.post('/v1/consumptions/email', { client_email: email, amount: 60 });
  const { rows } = await sql<{ memberId: number }>`
    select id as "memberId" from members where commerce_id = ${shop.id} and email = ${email}`.execute(db);
  const { memberId } = rows[0]!;
  const { points } = await erase(shop, { memberId, code: null, email });
  assert.equal(points, 60);
  assert.deepEqual(await findTraces(db, email, null), []);

  const again = await signIn(shop.id, email);
  const browser = await shop.browser({ userId: again.user_id });
  assert.equal(((await browser.get('/v1/me')).body as { points: number }).points, 0);
  const codes = async () => sql`select source from vouchers where commerce_id = ${shop.id}`.execute(db);
  assert.deepEqual((await codes()).rows, [{ source: 'welcome' }]);

  const next = await sql<{ memberId: number; code: number }>`
    select id as "memberId", code from members where commerce_id = ${shop.id} and email = ${email}`.execute(
    db,
  );
  assert.notEqual(next.rows[0]!.memberId, memberId);
  await erase(shop, { ...next.rows[0]!, email });
  await age(email, '2 minutes');
  await signIn(shop.id, email);
  assert.deepEqual((await codes()).rows, [{ source: 'welcome' }]);
  await assertBooksAgree(db, shop.id);
});

test('a token of an erased person is refused, and its refresh token too', async () => {
  const shop = await makeShop(PROGRAM);
  const email = someone('token');
  const session = await signIn(shop.id, email);
  const { rows } = await sql<{ memberId: number; code: number }>`
    select id as "memberId", code from members where commerce_id = ${shop.id} and email = ${email}`.execute(
    db,
  );
  await erase(shop, { ...rows[0]!, email });
  const headers = { 'x-commerce-id': String(shop.id) };
  const refreshed = await shop.post('/v1/auth/refresh', { refresh: session.refresh }, headers);
  assert.equal(refreshed.status, 401);
  // This process remembers the session for a minute, and that makes nobody a member again.
  const joined = await shop.post('/v1/me/subscription', undefined, {
    ...headers,
    authorization: `Bearer ${session.access}`,
  });
  assert.equal(joined.status, 401);
  assert.deepEqual(await findTraces(db, email, null), []);
});

test('a code that was past its date when its holder was erased cannot be given back', async () => {
  const shop = await makeShop({ sandbox: true, benefits: [benefit('coffee', { cost: 10, valid_days: 1 })] });
  const member = await shop.member();
  await shop.sell(member, 30);
  const code = await shop.voucher(member, 'coffee');
  await shop.moveClock('3 days');
  assert.deepEqual(await erase(shop, member), { points: 20, codes: 0 });
  const giveBack = transaction(db, (tx) => giveBackVoucher(tx, { commerceId: shop.id, code }));
  await assert.rejects(giveBack, { code: 'erased' });
  await assertBooksAgree(db, shop.id);
});

test('a reason to take back a purchase of an erased person stands in the audit, not in the notes for the person', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const sale = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 10 });
  const purchaseId = await storedPurchaseId(sale);
  await erase(shop, member);
  await auditedTransaction(db, commandLine(shop.id), (tx) =>
    reversePurchase(tx, { commerceId: shop.id, purchaseId, reason: 'torn' }),
  );
  assert.deepEqual(
    (await findTraces(db, 'torn', shop.id)).map(({ place }) => place),
    ['audit_texts.reason'],
  );
  await assertBooksAgree(db, shop.id);
});
