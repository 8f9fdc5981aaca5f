/** Codes are counted by the mailbox that they arrive in, whatever alias they are sent to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { age, askForCode, someone } from '#test/sign-in.ts';

const { db } = await service();

test('100 aliases of one mailbox at once get one code', async () => {
  const shop = await makeShop();
  const [local = ''] = someone().split('@');
  const aliases = Array.from({ length: 100 }, (_, i) =>
    i % 2 === 0
      ? `${local}+${i}@gmail.com`
      : `${local.replace('-', i % 3 === 0 ? '.-.' : '-')}+${i}@googlemail.com`,
  );
  await Promise.all(aliases.map((email) => askForCode(shop.id, email)));
  const { rows } = await sql<{ count: number }>`
    select count(*) from outbox where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows[0]!.count, 1);
});

test('aliases share the codes of an hour, of which tags get 2, and the address stays as written', async () => {
  const shop = await makeShop();
  const [local] = someone().split('@');
  for (let i = 0; i < 8; i++) {
    await askForCode(shop.id, `${local}+${i}@example.com`);
    for (let j = 0; j <= i; j++) await age(`${local}+${j}@example.com`, '61 seconds');
  }
  for (let i = 0; i < 5; i++) {
    await askForCode(shop.id, `${local}@example.com`);
    await age(`${local}@example.com`, '61 seconds');
  }
  const { rows } = await sql<{ recipient: string }>`
    select recipient from outbox where commerce_id = ${shop.id} order by id`.execute(db);
  assert.deepEqual(
    rows.map(({ recipient }) => recipient),
    [`${local}+0`, `${local}+1`, local, local, local].map((name) => `${name}@example.com`),
  );
});
