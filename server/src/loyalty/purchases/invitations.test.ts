/** The invitations that purchases of strangers send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildApp } from '../../app.ts';
import { sql } from '#db/database.ts';
import { onEnd } from '#test/database.ts';
import { earlier } from '#test/earlier.ts';
import { SECRET, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { onOneServer } from '#test/on-cluster.ts';
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

const withReleaseBefore = {
  skip: onOneServer('no older release has ever run, and its triggers are dropped'),
};

test(
  'an alias of a mailbox that the release before invited gets no invitation for 30 days',
  withReleaseBefore,
  async () => {
    const shop = await makeShop();
    const [local] = someone().split('@');
    const buy = (tag: string) =>
      shop.post('/v1/consumptions/email', { client_email: `${local}${tag}@example.com`, amount: 10 });
    // As the release before writes it.
    await sql`
    insert into members (commerce_id, state, email) values (${shop.id}, 'invited', ${`${local}@example.com`})`.execute(
      db,
    );
    await sql`update members set invited_at = now() where commerce_id = ${shop.id}`.execute(db);
    await buy('');
    await buy('+shop');
    assert.deepEqual(await invitations(shop.id), []);
    await sql`update invitations set sent_at = ${earlier('sent_at', '31 days')} where commerce_id = ${shop.id}`.execute(
      db,
    );
    await buy('+shop');
    assert.deepEqual(await invitations(shop.id), [`${local}+shop@example.com`]);
  },
);

test('of 60 invitations at once a commerce sends those up to its daily limit, and the others on another day', async () => {
  const { createMetrics } = await import('#monitoring/metrics.ts');
  const metrics = createMetrics('1.0.0');
  const served = await metrics.listen('127.0.0.1', 0);
  const app = await buildApp({ db, log: false, secret: SECRET, invitationsPerDay: 20, metrics });
  onEnd(async () => {
    await app.close();
    await served.close();
  });
  const [shop, other] = [await makeShop(), await makeShop()];
  const people = Array.from({ length: 60 }, () => someone());
  const buy = async ({ key }: { key: string }, email: string) =>
    app.inject({
      method: 'POST',
      url: '/v1/consumptions/email',
      headers: { authorization: `Bearer ${key}` },
      payload: { client_email: email, amount: 10 },
    });
  const answers = await Promise.all(people.map((email) => buy(shop, email)));
  assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([201]));
  const sent = await invitations(shop.id);
  assert.equal(sent.length, 20);
  const text = await (await fetch(`http://127.0.0.1:${served.port}/metrics`)).text();
  assert.match(text, /^loyalty_refused_total\{cap="invitations-of-a-commerce"\} 40$/m);
  await buy(other, people[0]!);
  assert.equal((await invitations(other.id)).length, 1, 'other shops are not affected');

  await sql`update invitation_days set day = day - 1 where commerce_id = ${shop.id}`.execute(db);
  for (const email of people) await buy(shop, email);
  assert.equal((await invitations(shop.id)).length, 40);
  assert.equal(new Set(await invitations(shop.id)).size, 40);
});
