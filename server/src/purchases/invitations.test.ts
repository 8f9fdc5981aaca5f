/** The invitations that purchases of strangers send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { someone } from '#test/sign-in.ts';

const { db } = await service();

async function invitations(commerceId: number): Promise<string[]> {
  const { rows } = await sql<{ recipient: string }>`
    select recipient from outbox where commerce_id = ${commerceId} and kind = 'invitation' order by id`.execute(
    db,
  );
  return rows.map(({ recipient }) => recipient);
}

test('purchases for 50 aliases of one mailbox at once send one invitation, and all of them are recorded', async () => {
  const shop = await makeShop();
  const [local] = someone().split('@');
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      shop.post('/v1/consumptions/email', { client_email: `${local}+${i}@example.com`, amount: 10 }),
    ),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal((await invitations(shop.id)).length, 1);
});
