import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommerce } from '#commerces/commerce.ts';
import { sql } from '#db/database.ts';
import { readInstallationIds } from '#batching/wire-ids.ts';
import { suppressAddresses } from '#mail/suppressions.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { makeStaff, makeStaffKey } from '#test/staff.ts';
import { someone } from '#test/sign-in.ts';

const { db } = await service();

const kinds = ['invitation', 'welcome', 'expiring', 'birthday', 'level', 'reward'];

test('an owner sees which mails are sent, why others never are, and how many left in 30 days', async () => {
  const shop = await makeShop({
    locale: 'es-AR',
    mail: { sender: 'Luna', reminders: true, messages: { welcome: true, birthday: true } },
  });
  const owner = await makeStaff(shop, 'owner');
  for (const _ of [1, 2]) await shop.member();
  await sql`update outbox set sent_at = now() where commerce_id = ${shop.id} and kind = 'welcome'`.execute(
    db,
  );
  await sql`
    update outbox set sent_at = now() - interval '31 days'
     where id = (select max(id) from outbox where commerce_id = ${shop.id} and kind = 'welcome')`.execute(db);
  const { status, body } = await owner.get('messages');
  assert.equal(status, 200);
  const { language, sender, messages } = body as {
    language: string;
    sender: string;
    messages: Record<string, unknown>[];
  };
  assert.deepEqual([language, sender], ['es', 'Luna']);
  assert.deepEqual(
    messages.map(({ kind, on, idle, sent }) => [kind, on, idle, sent]),
    [
      ['invitation', true, null, 0],
      ['welcome', true, null, 1],
      ['expiring', true, 'points_do_not_expire', 0],
      ['birthday', true, 'no_reward', 0],
      ['level', false, 'no_levels', 0],
      ['reward', false, 'no_reward', 0],
    ],
  );
});

test('each mail is previewed in both languages, with the words of the draft, and no draft can write HTML', async () => {
  const shop = await makeShop({ name: 'Luna', color: '#7a3e9d' });
  const owner = await makeStaff(shop, 'owner');
  const { program } = (await readCommerce(db, shop.id))!;
  const words = { en: 'From <b>Ana</b>.\n\nSee you!', es: 'De <b>Ana</b>.' };
  const draft = {
    ...program,
    name: 'Café <script>',
    earning: { money_per_point: 'nonsense' },
    mail: { ...program.mail, words: Object.fromEntries(kinds.map((kind) => [kind, words])) },
  };
  for (const kind of kinds) {
    for (const language of ['en', 'es'] as const) {
      const { status, body } = await owner.post('messages/preview', { kind, language, program: draft });
      assert.equal(status, 200, JSON.stringify(body));
      const { from, subject, text, html } = body as Record<string, string>;
      assert.equal(from, 'Café <script>');
      assert.ok(subject!.length > 5 && !/undefined|null|NaN/.test(subject! + text));
      assert.ok(
        text!.includes(language === 'en' ? '\n\nFrom <b>Ana</b>.\n\nSee you!\n\n' : '\n\nDe <b>Ana</b>.\n\n'),
      );
      assert.ok(html!.includes(`<html lang="${language}"`) && html!.includes('&lt;b&gt;Ana&lt;/b&gt;'));
      assert.ok(!/<script|\{\{|<b>|undefined/.test(html!), kind);
    }
  }
  const plain = await owner.post('messages/preview', { kind: 'welcome' });
  assert.equal((plain.body as { subject: string }).subject, 'Welcome to Luna');
});

test('a preview shows what the draft gives', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { program } = (await readCommerce(db, shop.id))!;
  const cake = benefit('cake', { benefit_type: 'birthday', cost: 0, title: 'A slice of cake' });
  const draft = { ...program, benefits: [cake], rewards: { birthday: { benefit: 'cake' } } };
  const { body } = await owner.post('messages/preview', { kind: 'birthday', program: draft });
  assert.ok((body as { text: string }).text.includes('A slice of cake'));
});

test('a draft that a mail cannot be written with is a 422 with the place', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { program } = (await readCommerce(db, shop.id))!;
  for (const [wrong, loc] of [
    [{ color: 'red"><script>' }, ['body', 'program', 'color']],
    [{ mail: { words: { welcome: { en: 5 } } } }, ['body', 'program', 'mail', 'words', 'welcome', 'en']],
  ] as const) {
    const { status, body } = await owner.post('messages/preview', {
      kind: 'level',
      program: { ...program, ...wrong },
    });
    assert.equal(status, 422);
    assert.deepEqual((body as { detail: { loc: string[] }[] }).detail[0]?.loc, loc);
  }
  assert.equal((await owner.post('messages/preview', { kind: 'sign-in-code' })).status, 422);
});

test('an owner sends a mail to themselves as the draft has it, ten times an hour even all at once, and a key cannot', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { program } = (await readCommerce(db, shop.id))!;
  const draft = { ...program, name: 'Of the draft' };
  const answers = await Promise.all(
    Array.from({ length: 14 }, () => owner.post('messages/test', { kind: 'level', program: draft })),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 10);
  const refused = answers.find(({ status }) => status !== 200)!;
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [400, 'tests_used_up']);
  const { rows } = await sql<{ recipient: string; content: { from: string } }>`
    select recipient, content from outbox where commerce_id = ${shop.id} and kind = 'test-message'`.execute(
    db,
  );
  assert.deepEqual(
    rows.map(({ recipient, content }) => [recipient, content.from]),
    rows.map(() => [owner.email, 'Of the draft']),
  );
  assert.equal(rows.length, 10);
  const key = await makeStaffKey(shop, 'owner');
  const { status, headers } = await key.post('messages/test', { kind: 'level' });
  assert.deepEqual([status, headers.get('x-error-code')], [400, 'no_mailbox']);
});

test('a member’s page says what is stopped, and a manager can lift a bounce but not a complaint', async () => {
  const shop = await makeShop();
  const manager = await makeStaff(shop, 'manager');
  const memberIds = await readInstallationIds(db, 'member');
  const [bounced, complained] = [await shop.member(), await shop.member()];
  await suppressAddresses(db, [
    { email: bounced.email, reason: 'bounce' },
    { email: complained.email, reason: 'bounce' },
    { email: complained.email, reason: 'complaint' },
    { email: someone(), reason: 'bounce' },
  ]);
  await sql`insert into mail_stops (commerce_id, member_id, kind) values (${shop.id}, ${bounced.memberId}, 'level')`.execute(
    db,
  );
  const mailOf = async (memberId: number) =>
    (
      (await manager.get(`members/${memberIds.toWire(memberId)}`)).body as {
        mail: { suppression: { reason: string } | null; stopped: string[] };
      }
    ).mail;
  const lift = async (memberId: number) =>
    (await manager.delete(`members/${memberIds.toWire(memberId)}/suppression`)).status;

  const { suppression, stopped } = await mailOf(bounced.memberId);
  assert.deepEqual([suppression?.reason, stopped], ['bounce', ['level']]);
  assert.equal((await mailOf(complained.memberId)).suppression?.reason, 'complaint');
  assert.deepEqual(
    [await lift(bounced.memberId), await lift(bounced.memberId), await lift(complained.memberId)],
    [200, 400, 400],
  );
  assert.equal((await mailOf(bounced.memberId)).suppression, null);
});
