import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '#db/database.ts';
import { loyalty, startLoyalty } from '#test/command.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';

test('members and movements are exported as CSV or JSON Lines, and members come back in elsewhere', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const member = await shop.member('eva');
  await shop.sell(member, 12);
  const members = await loyalty(['members', 'export', '--commerce', shop.slug]);
  assert.deepEqual([members.code, members.stderr], [0, '']);
  const [head, line = '', end] = members.stdout.split('\r\n');
  assert.match(head!, /^client_code,email,username,birth_date,phone,points,state,/);
  assert.ok(line.startsWith(`${member.code},eva@example.com,eva,,,12,member,`), line);
  assert.equal(end, '');

  const args = ['members', 'import', '-', '--commerce', other.slug, '--json'];
  const imported = await loyalty(args, { input: members.stdout });
  assert.equal(imported.json<{ imported: number }>().imported, 1);
  assert.match(imported.stderr, /Ignored columns: client_code, state,/);

  const movements = await loyalty(['movements', 'export', '--commerce', other.slug, '--format', 'jsonl']);
  const { client_email: email, points } = JSON.parse(movements.stdout) as Record<string, unknown>;
  assert.deepEqual([email, points], ['eva@example.com', 12]);
  const none = await loyalty([
    'movements',
    'export',
    '--commerce',
    shop.slug,
    '--to',
    '2000-01-01T00:00:00Z',
  ]);
  assert.match(none.stdout, /^id,date,type,[^\n]*\r\n$/);
});

test('purchases are exported with what was reversed of them, and come back in elsewhere', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const member = await shop.member('eva');
  const body = { client_code: member.code, amount: 30, counter_id: 3, id_suc: 12, external_id: 'order-1' };
  const location = String((await shop.post('/v1/consumptions/client-code', body)).headers.get('location'));
  await shop.post('/v1/consumptions/email', { client_email: 'waits@example.com', amount: 5 });
  await shop.post(`${location}/reversal`, { amount: 10 });

  const jsonl = await loyalty(['purchases', 'export', '--commerce', shop.slug, '--json']);
  assert.deepEqual([jsonl.code, jsonl.stderr], [0, '']);
  const rows = jsonl.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const { id, date, ...first } = rows[0]!;
  assert.deepEqual(first, {
    client_code: member.code,
    client_email: 'eva@example.com',
    amount: 30,
    points: 30,
    counter_id: 3,
    id_suc: 12,
    external_id: 'order-1',
    reversed_amount: 10,
    reversed_points: 10,
  });
  assert.equal(location, `/v1/consumptions/${String(id)}`);
  assert.deepEqual([rows.length, rows[1]!['client_code']], [2, null]);

  const csv = await loyalty(['purchases', 'export', '--commerce', shop.slug]);
  assert.match(csv.stdout, /^id,date,client_code,client_email,amount,points,/);
  const later = await loyalty([
    'purchases',
    'export',
    shop.slug,
    '--format',
    'jsonl',
    '--from',
    '2100-01-01T00:00:00Z',
  ]);
  assert.equal(later.stdout, '');
  const until = ['--to', String(date), '--format', 'jsonl'];
  assert.equal((await loyalty(['purchases', 'export', shop.slug, ...until])).stdout, '');
  // A code belongs to one commerce, so another one knows people by their addresses.
  const elsewhere = csv.stdout.replaceAll(/^(\d+,[^,]*),\d*,/gm, '$1,,');
  const imported = await loyalty(['purchases', 'import', '-', '--commerce', other.slug], {
    input: elsewhere,
  });
  assert.equal(imported.json<{ imported: number }>().imported, 2, imported.stderr);
});

test('an export is as the books were when it began, however slowly it is read', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const member = await shop.member();
  // Lines that no pipe holds all at once.
  await sql`
    insert into movements (commerce_id, member_id, type, at, points, note)
    select ${shop.id}, ${member.memberId}, 'adjustment', now(), 0, repeat('x', 500) from generate_series(1, 3000)`.execute(
    db,
  );
  const child = await startLoyalty(['movements', 'export', '--commerce', shop.slug, '--format', 'jsonl']);
  await once(child.stdout, 'readable');
  await shop.sell(member, 5);
  await pause(200);
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  assert.equal(text.trimEnd().split('\n').length, 3_000);
  assert.ok(!text.includes('consumption'));
});

test('a reader that stops early is no failure, and wrong options are refused with what would be right', async () => {
  const shop = await makeShop();
  for (const [args, says] of [
    [['--format', 'xml'], /Allowed choices are csv, jsonl/],
    [['--from', '2026-01-01'], /"2026-01-01" is not an instant/],
  ] as const) {
    const { code, stderr } = await loyalty(['movements', 'export', '--commerce', shop.slug, ...args]);
    assert.equal(code, 2);
    assert.match(stderr, says);
  }
  assert.equal((await loyalty(['members', 'export', '--commerce', 'nobody'])).code, 1);
});
