import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, stampCard, type MadeMember, type Shop } from '#test/make.ts';
import { freshCode, showCode, signIn, age, someone, wrongCode } from '#test/sign-in.ts';
import { commandLine, makeStaff } from '#test/staff.ts';
import { blockPerson } from './block-person.ts';
import { editPerson } from './edit-person.ts';
import { writePersonData } from './person-data.ts';

const { db } = await service();

/** The tables with something about a person, and where the document has it. */
const TABLES_OF_PERSON: Readonly<Record<string, { readonly in: string } | { readonly not: string }>> = {
  members: { in: 'profile' },
  users: { in: 'profile' },
  balances: { in: 'balances' },
  pending_points: { in: 'figures' },
  pending_benefits: { not: 'benefits of tiers that wait with purchases, which the document lists' },
  stamp_cards: { in: 'stamp_cards' },
  full_cards: { in: 'full_cards' },
  movements: { in: 'movements' },
  movement_notes: { in: 'movements' },
  vouchers: { in: 'codes' },
  redemptions: { in: 'redemptions' },
  orders: { in: 'orders' },
  order_lines: { in: 'orders' },
  purchase_lines: { in: 'movements' },
  holds: { in: 'codes_in_carts' },
  rewards: { in: 'rewards' },
  withheld_rewards: { in: 'rewards' },
  happenings: { in: 'happenings' },
  reminders: { in: 'reminders' },
  invitations: { in: 'invitations' },
  webhook_deliveries: { not: 'copies of events, which are in the ledger and in happenings, for some weeks' },
  welcomed_mailboxes: { in: 'invitations' },
  outbox: { in: 'mails' },
  mail_stops: { in: 'stopped_mails' },
  mail_suppressions: { in: 'stopped_mails' },
  sessions: { in: 'sessions' },
  sign_in_codes: { in: 'sign_in' },
  sign_in_sends: { in: 'sign_in' },
  sign_in_failures: {
    not: 'counted over all shops: this one must not learn that a person tried to sign in at another',
  },
  wallet_passes: { in: 'wallet_passes' },
  wallet_devices: { in: 'wallet_passes' },
  audit: { in: 'acts_of_staff' },
  audit_texts: { in: 'acts_of_staff' },
  seal_members: { not: 'sums of the movements, which the document lists' },
  member_words: { not: 'the words of the name, for the search' },
  sign_in_known_networks: { not: 'keyed hashes, which nobody can trace back to a network' },
  staff_people: { not: 'the staff of shops; a person can be both, and the two are never joined' },
  set_ups: {
    not: 'who sets up a shop becomes its staff; a person can be both, and the two are never joined',
  },
};

/** The parts of the document that are lists of what happened. */
type Data = Record<string, Record<string, unknown> & Record<string, unknown>[]>;

async function dataOf(shop: Shop, memberId: number): Promise<Data> {
  let text = '';
  for await (const piece of writePersonData(db, shop.id, memberId)) text += piece;
  return JSON.parse(text) as Data;
}

test('every table that can hold something about a person is in the document, or is left out with a reason', async () => {
  const { rows } = await sql<{ table: string }>`
    select distinct table_name as table
      from information_schema.columns
     where table_schema = current_schema()
       and (column_name in ('member_id', 'user_id', 'email', 'recipient', 'mailbox_hash', 'phone')
            or table_name = 'wallet_devices')
     order by 1`.execute(db);
  assert.deepEqual(
    rows.map(({ table }) => table),
    Object.keys(TABLES_OF_PERSON).toSorted(),
  );
});

test('the document has everything that a shop knows about a person, in plain words', async () => {
  const shop = await makeShop({
    benefits: [
      benefit('coffee', { cost: 10 }),
      benefit('cake', { benefit_type: 'welcome', cost: 0 }),
      benefit('stamped', { on_sale: false }),
    ],
    stamps: [stampCard('visits', 'stamped')],
    levels: { ladder: [{ id: 'silver', name: 'Silver', threshold: 50 }] },
    rewards: { welcome: { benefit: 'cake' } },
    points_expiration: { mode: 'rolling', months: 2 },
  });
  const email = someone('data');
  const { user_id: userId } = await signIn(shop.id, email);
  const { rows } = await sql<{ memberId: number; code: number }>`
    select id as "memberId", code from members where commerce_id = ${shop.id} and email = ${email}`.execute(
    db,
  );
  const { memberId, code } = rows[0]!;
  const as = commandLine(shop.id);
  const profile = { username: 'Eva Roca', phone: '+34600111222', birthDate: '1990-05-04' };
  await auditedTransaction(db, as, (tx) => editPerson(tx, shop.id, memberId, profile));
  await shop.post('/v1/consumptions/client-code', { client_code: code, amount: 60, external_id: 'order 7' });
  await shop.voucher({ userId } as MadeMember, 'coffee');
  await sql`
    insert into reminders (commerce_id, member_id, expires_on, days_before, told_at)
    values (${shop.id}, ${memberId}, '2027-01-01', 7, now())`.execute(db);
  await sql`
    with shop as (insert into wallet_shops (commerce_id, google_class, searched_to) values (${shop.id}, ${`c${shop.id}`}, 0)),
         pass as (insert into wallet_passes (commerce_id, serial, member_id, kind) values (${shop.id}, 's', ${memberId}, 'apple'))
    insert into wallet_devices (commerce_id, serial, device, push_token, token_hash)
    values (${shop.id}, 's', 'telephone', 'push', sha256('x'))`.execute(db);
  await age(email, '2 minutes');
  await showCode(shop.id, email, wrongCode(await freshCode(shop.id, email)));
  await auditedTransaction(db, as, (tx) => blockPerson(tx, shop.id, memberId, 'shouted'));

  const data = await dataOf(shop, memberId);
  const { commerce, level, balances, movements, codes, rewards, reminders, invitations, mails } = data;
  const { sessions, sign_in: signIns, wallet_passes: passes, acts_of_staff: acts } = data;
  assert.deepEqual(commerce, { slug: shop.slug, name: `Shop ${shop.slug}` });
  const { client_code, username, phone, birth_date, state, block_reason } = data['profile']!;
  assert.deepEqual(
    { client_code, username, email: data['profile']!['email'], phone, birth_date, state, block_reason },
    {
      client_code: code,
      username: 'Eva Roca',
      email,
      phone: '+34600111222',
      birth_date: '1990-05-04',
      state: 'blocked',
      block_reason: 'shouted',
    },
  );
  assert.deepEqual(
    [data['figures']!['points'], data['figures']!['lifetime_amount'], level!['name']],
    [50, 60, 'Silver'],
  );
  assert.equal(balances![0]!['points'], 50);
  assert.deepEqual(
    data['stamp_cards']!.map(({ card, stamps }) => [card, stamps]),
    [['visits', 1]],
  );
  assert.deepEqual(
    movements!.map(({ type, points, external_id: id }) => [type, points, id]),
    [
      ['purchase', 60, 'order 7'],
      ['exchange', -10, null],
    ],
  );
  assert.deepEqual(new Set(codes!.map(({ source }) => source)), new Set(['exchange', 'welcome']));
  assert.deepEqual(
    rewards!.map(({ event }) => event),
    ['welcome'],
  );
  assert.deepEqual(
    reminders!.map(({ days_before: days }) => days),
    [7],
  );
  assert.deepEqual(
    invitations!.map(({ mailbox_welcomed: isWelcomed }) => isWelcomed),
    [true],
  );
  assert.deepEqual(
    mails!.map(({ kind, recipient, content }) => [kind, recipient, content]),
    [
      ['sign-in-code', email, null],
      ['sign-in-code', email, null],
    ],
  );
  assert.equal(sessions!.length, 1);
  // The wrong code may have been typed at another shop, so this one is not told.
  assert.deepEqual(
    new Set(signIns!.map(({ what }) => what)),
    new Set(['a code is valid', 'a code was sent']),
  );
  assert.equal(passes![0]!['wallet'], 'apple');
  assert.deepEqual(
    acts!.map(({ action, by, reason }) => [action, by, reason]),
    [
      ['member.edit', 'command_line', null],
      ['member.block', 'command_line', 'shouted'],
    ],
  );
  // Every part of the list is a part of the document.
  const parts = Object.values(TABLES_OF_PERSON).flatMap((table) => ('in' in table ? [table.in] : []));
  assert.deepEqual(
    [...new Set(parts)].filter((part) => !(part in data)),
    [],
  );
});

test('a long history is written in pieces, each movement once', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await sql`
    insert into movements (commerce_id, member_id, type, at, points)
    select ${shop.id}::bigint, ${member.memberId}::bigint, 'redate', now(), 0 from generate_series(1, 1234)`.execute(
    db,
  );
  const data = await dataOf(shop, member.memberId);
  assert.equal(data['movements']!.length, 1234);
});

test('a return is told in a sentence, and the facts behind the sentence are not repeated', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const { headers } = await shop.post('/v1/consumptions/client-code', {
    client_code: member.code,
    amount: 20,
  });
  await shop.post(`/v1/consumptions/${headers.get('x-consumption-id')}/reversal`, {});
  const [, reversal] = (await dataOf(shop, member.memberId))['movements']!;
  assert.match(String(reversal!['note']), /^Return of the purchase of /);
  assert.equal('note' in (reversal!['computed_from'] as object), false);
});

test('the data of one person has nothing of another', async () => {
  const shop = await makeShop();
  const [member, other] = [await shop.member('one.of.two'), await shop.member('two.of.two')];
  await shop.sell(other, 77);
  const data = await dataOf(shop, member.memberId);
  assert.deepEqual(data['movements'], []);
  assert.doesNotMatch(JSON.stringify(data), /two\.of\.two/);
  await assert.rejects(dataOf(await makeShop(), member.memberId), { code: 'not_found' });
});

test('a document about a member does not say that the person also works in a shop', async () => {
  const shop = await makeShop();
  const email = someone('both');
  await signIn(shop.id, email);
  await makeStaff(shop, 'cashier', { email });
  const { rows } = await sql<{ id: number }>`
    select id from members where commerce_id = ${shop.id} and email = ${email}`.execute(db);
  const { mails } = await dataOf(shop, rows[0]!.id);
  assert.deepEqual(
    mails!.map(({ kind }) => kind),
    ['sign-in-code'],
  );
});
