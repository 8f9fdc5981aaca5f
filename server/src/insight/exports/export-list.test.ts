import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { sql, transaction } from '#db/database.ts';
import { erasePerson } from '#member-care/erase-person.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { exportList } from './export-list.ts';
import { LISTED_COLUMNS } from './wire.ts';
import { writeHeader, writeRows } from './write-rows.ts';

test('an exported list has the people of the list, page after page, and no cell that a spreadsheet would run', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const names = ['=HYPERLINK("http://x")', '+1+1', '-1', '@SUM(A1)', '＝1+1', "'=1", 'Ana, "la" Luz', null];
  for (const name of names) {
    const { memberId } = await shop.member();
    await sql`
      update members set username = ${name} where commerce_id = ${shop.id} and id = ${memberId}`.execute(db);
  }
  const left = await shop.member('left');
  await shop.leave(left);

  let text = writeHeader(LISTED_COLUMNS, 'csv');
  for await (const { rows } of exportList(db, shop.id, { state: 'member', sort: 'oldest' }))
    text += writeRows(rows, 'csv');
  const lines = parse(text, { columns: true }) as Record<string, string>[];
  assert.deepEqual(
    lines.map(({ username }) => username),
    ['\'=HYPERLINK("http://x")', "'+1+1", "'-1", "'@SUM(A1)", "'＝1+1", "''=1", 'Ana, "la" Luz', ''],
  );
  assert.deepEqual(Object.keys(lines[0]!), LISTED_COLUMNS);
  assert.ok(
    lines.every(({ state, points, email }) => state === 'member' && points === '0' && email!.includes('@')),
  );
});

test('an erased person is in the list without a name, and an invited one without a code', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const erased = await shop.member('erased');
  const confirm = String(erased.code);
  await transaction(db, (tx) =>
    erasePerson(tx, shop.id, erased.memberId, { confirm, reason: 'asked for it' }),
  );
  await shop.post('/v1/consumptions/email', { client_email: 'invited@example.com', amount: 5 });
  const rows = [];
  for await (const part of exportList(db, shop.id, { sort: 'oldest' })) rows.push(...part.rows);
  assert.deepEqual(
    rows.map(({ client_code, username, email, state, points }) => ({
      client_code,
      username,
      email,
      state,
      points,
    })),
    [
      { client_code: erased.code, username: null, email: null, state: 'erased', points: 0 },
      { client_code: null, username: null, email: 'invited@example.com', state: 'invited', points: 5 },
    ],
  );
});
