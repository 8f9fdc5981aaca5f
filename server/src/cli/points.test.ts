import assert from 'node:assert/strict';
import { test } from 'node:test';
import { userInfo } from 'node:os';
import { readInstallationIds } from '#batching/wire-ids.ts';
import { sql } from '#db/database.ts';
import { assertBooksAgree } from '#test/books.ts';
import { loyalty } from '#test/command.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';

const { db } = await service();

test('points are added and taken by code or e-mail, and the audit says who did it', async () => {
  const shop = await makeShop({ points_expiration: { mode: 'rolling', months: 6 } });
  const member = await shop.member();
  const code = String(member.code).replace(/(...)(...)(...)/, '$1 $2 $3');
  const added = await adjust(
    shop.slug,
    code,
    '40',
    '--reason',
    'Sorry for the wait',
    '--expires',
    '2099-12-31',
  );
  assert.equal(added.code, 0, added.stderr);
  const { movement, ...rest } = added.json<{ movement: number }>();
  assert.deepEqual(rest, { client_code: member.code, points: 40, balance: 40 });
  const taken = await adjust(shop.slug, member.email.toUpperCase(), '-15', '--reason', 'Counted twice');
  assert.equal(taken.json<{ balance: number }>().balance, 25);

  const { rows } = await sql`
    select a.action, a.actor, a.source, a.member_id as "memberId", a.movement_id as "movementId", t.reason
      from audit a
      join audit_texts t on t.commerce_id = a.commerce_id and t.audit_id = a.id
     where a.commerce_id = ${shop.id}
     order by a.id
     limit 1`.execute(db);
  assert.deepEqual(rows[0], {
    action: 'points.adjust',
    actor: 'command_line',
    source: userInfo().username,
    memberId: member.memberId,
    movementId: (await readInstallationIds(db, 'purchase')).fromWire(movement),
    reason: 'Sorry for the wait',
  });
  const explained = await loyalty(['ledger', 'explain', String(movement), '--commerce', shop.slug, '--json']);
  const { sentence } = explained.json<{ sentence: string }>();
  assert.equal(
    sentence,
    'Sorry for the wait: 40 points (40 until December 31, 2099); the day was set by hand.',
  );
  await assertBooksAgree(db, shop.id);
});

test('an unknown member and a refused adjustment exit with 1 and change nothing', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const unknown = await adjust(shop.slug, 'nobody@example.com', '40', '--reason', 'A test');
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /has no person "nobody@example.com"\. Give the 9 digits of the card/);
  const short = await adjust(shop.slug, String(member.code), '-1', '--reason', 'A test');
  assert.equal(short.code, 1);
  assert.match(
    short.stderr,
    /The points could not be adjusted: the balance is 0, and no more can be taken\./,
  );
  const { rows } = await sql`select 1 from audit where commerce_id = ${shop.id}`.execute(db);
  assert.deepEqual(rows, []);
});

const wrong: [what: string, args: string[], told: RegExp][] = [
  ['no reason', ['1', '40'], /required option '--reason <text>'/],
  [
    'a reason of two lines',
    ['1', '40', '--reason', 'a\nb'],
    /--reason must be one line of 1 to 200 characters/,
  ],
  ['an empty reason', ['1', '40', '--reason', ' '], /--reason must be one line/],
  ['0 points', ['1', '0', '--reason', 'x'], /must be a whole number such as 40 or -40, not "0"/],
  ['a fraction', ['1', '1.5', '--reason', 'x'], /must be a whole number/],
  ['points past counting', ['1', '9007199254740992', '--reason', 'x'], /must be a whole number/],
  [
    'a day that does not exist',
    ['1', '4', '--reason', 'x', '--expires', '2027-02-30'],
    /February 2027 has no day 30/,
  ],
];
for (const [what, args, told] of wrong) {
  test(`${what} is wrong usage`, async () => {
    const ran = await loyalty(['points', 'adjust', '--commerce', 'x', ...args]);
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, told);
  });
}

function adjust(slug: string, ...args: string[]) {
  return loyalty(['points', 'adjust', '--commerce', slug, ...args, '--json']);
}
