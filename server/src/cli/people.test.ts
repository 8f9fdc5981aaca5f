import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { loyalty } from '#test/command.ts';
import { service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { someone } from '#test/sign-in.ts';
import { findTraces } from '#test/traces.ts';

const { db } = await service();

function members(shop: Shop, command: string, member: string | number, ...more: string[]) {
  return loyalty(['members', command, String(member), '--commerce', shop.slug, ...more]);
}

test('a person is shown, changed, blocked and unblocked on the command line, and the audit names who did it', async () => {
  const shop = await makeShop();
  const member = await shop.member('eva');
  await shop.sell(member, 42);
  const code = `${String(member.code).slice(0, 3)} ${String(member.code).slice(3)}`;
  const shown = (await members(shop, 'show', code)).json<Record<string, unknown>>();
  assert.deepEqual([shown['email'], shown['points'], shown['state']], [member.email, 42, 'member']);

  const edited = await members(
    shop,
    'edit',
    member.email,
    '--name',
    'Eva Roca',
    '--birth-date',
    '1990-05-04',
  );
  assert.deepEqual([edited.code, edited.json()], [0, { changed: ['name', 'birth date'] }]);
  assert.deepEqual((await members(shop, 'edit', member.code, '--no-birth-date')).json(), {
    changed: ['birth date'],
  });
  assert.equal((await members(shop, 'block', member.code, '--reason', 'shares the card')).code, 0);
  const twice = await members(shop, 'block', member.code, '--reason', 'again');
  assert.deepEqual(
    [twice.code, twice.stderr],
    [1, 'This person is blocked already: unblock them first to change the reason.\n'],
  );
  assert.equal((await members(shop, 'unblock', member.code)).code, 0);
  const { rows } = await sql<{ action: string; actor: string; source: string }>`
    select action, actor, source from audit where commerce_id = ${shop.id} order by id`.execute(db);
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['member.edit', 'member.edit', 'member.block', 'member.unblock'],
  );
  assert.ok(rows.every(({ actor, source }) => actor === 'command_line' && source !== ''));
});

test('wrong usage is told, and nothing is changed', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (const [command, ...more] of [
    ['edit'],
    ['edit', '--phone', '912'],
    ['edit', '--birth-date', '1990-02-30'],
    ['block', '--reason', ' '],
    ['block'],
  ] as const) {
    const { code, stderr } = await members(shop, command, member.code, ...more);
    assert.equal(code, 2, stderr);
  }
  const nobody = await members(shop, 'show', 'nobody@example.com');
  assert.deepEqual(
    [nobody.code, nobody.stderr],
    [
      1,
      `${shop.slug} has no person "nobody@example.com". Give the 9 digits of the card, or the e-mail address.\n`,
    ],
  );
});

test('the data of a person is written as one document, and erasing asks first', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await shop.sell(member, 42);
  const data = (await members(shop, 'data', member.code, '--json')).json<{
    movements: { points: number }[];
  }>();
  assert.deepEqual(
    data.movements.map(({ points }) => points),
    [42],
  );

  const asked = await members(shop, 'erase', member.code, '--reason', 'asked for it');
  assert.equal(asked.code, 2);
  assert.match(asked.stderr, /erasing is final: add --yes/);
  const erased = await members(shop, 'erase', member.code, '--reason', 'asked for it', '--yes');
  assert.deepEqual([erased.code, erased.json()], [0, { erased: true, points: 42, codes: 0 }]);
  assert.deepEqual(await findTraces(db, member.email, null), []);
  const again = await members(shop, 'erase', member.code, '--reason', 'asked for it', '--yes');
  assert.deepEqual(
    [again.code, again.stderr],
    [1, 'This person was erased, which is final: nothing can be changed.\n'],
  );
});

test('an invitation is sent once more after a day', async () => {
  const shop = await makeShop();
  const email = someone();
  await shop.post('/v1/consumptions/email', { client_email: email, amount: 5 });
  const early = await members(shop, 'invite', email);
  assert.deepEqual(
    [early.code, early.stderr],
    [1, 'This mailbox was sent enough mails for today: try again tomorrow.\n'],
  );
  await sql`update invitations set sent_at = now() - interval '25 hours' where commerce_id = ${shop.id}`.execute(
    db,
  );
  assert.deepEqual((await members(shop, 'invite', email)).json(), { invited: email });
});
