import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retention } from '#jobs/retention.ts';
import { sql } from '#db/database.ts';
import { SECRET, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { createWebhookSecrets } from '#webhooks/webhook-secret.ts';
import { openReceiver } from './receiver.ts';
import { makeWebhook, startTestSender, until } from './sending.ts';

const { db } = await service();
const OTHER = 'another key of this installation, long enough';

test('several senders share the endpoints: each event is sent, by one of them, in two sizes of backlog', async () => {
  const shop = await makeShop();
  const [one, other] = [await openReceiver(), await openReceiver()];
  await makeWebhook(shop, one);
  await makeWebhook(shop, other, { types: ['purchase.recorded'] });
  const member = await shop.member();
  for (let i = 0; i < 450; i++) await shop.sell(member, 10);
  const senders = [startTestSender(), startTestSender(), startTestSender()];
  await until(() => one.received.length >= 452 && other.received.length >= 450, 'a backlog');
  for (let i = 0; i < 50; i++) await shop.sell(member, 10);
  await until(() => one.received.length >= 502 && other.received.length >= 500, 'what comes after it');
  for (const receiver of [one, other]) {
    assert.equal(new Set(receiver.received.map(({ id }) => id)).size, receiver.received.length);
    assert.deepEqual(receiver.wrong, []);
  }
  const { rows } = await sql<{ kept: number }>`
    select count(*) as kept from webhook_deliveries where commerce_id = ${shop.id} group by webhook_id order by 1 desc`.execute(
    db,
  );
  assert.ok(rows[0]!.kept < 300, `${rows[0]!.kept} deliveries are kept of 502`);
  await Promise.all(senders.map((sender) => sender.stop()));
});

test('a start encrypts secrets with the new key of the installation, and then the old one is worth nothing', async () => {
  const shop = await makeShop();
  const receiver = await openReceiver();
  const id = await makeWebhook(shop, receiver);
  const owner = { commerceId: shop.id, id };
  const stored = async () => {
    const { rows } = await sql<{ secret: Buffer }>`
      select secret from webhooks where commerce_id = ${shop.id}`.execute(db);
    return rows[0]!.secret;
  };
  const [current, before] = [createWebhookSecrets([OTHER]), createWebhookSecrets(SECRET)];
  assert.equal(current.open(await stored(), owner), null);
  const sender = startTestSender({ secret: [OTHER, SECRET[0]] });
  await until(async () => current.open(await stored(), owner) !== null, 'encrypted anew');
  assert.equal(current.open(await stored(), owner), receiver.secrets[0]);
  assert.equal(before.open(await stored(), owner), null);
  assert.equal(current.open(await stored(), { ...owner, commerceId: 1 }), null, 'good for one endpoint only');
  await shop.member();
  await until(() => receiver.received.length > 0, 'signed with the same secret');
  await sender.stop();
});

test('old deliveries are deleted, and those that wait are kept without what was sent and answered', async () => {
  const shop = await makeShop();
  const id = await makeWebhook(shop, await openReceiver());
  await sql`
    insert into webhook_deliveries (commerce_id, webhook_id, event_id, type, state, next_at, at, body, answer)
    select ${shop.id}, ${id}, d.id, 'member.joined', d.state, case d.state when 'waiting' then 'infinity'::timestamptz end,
           now() - d.days * interval '1 day', 'sent', case d.id when 1 then null else 'answered' end
      from (values (1, 'waiting', 90), (2, 'waiting', 31), (3, 'waiting', 29),
                   (4, 'failed', 29), (5, 'failed', 31), (6, 'delivered', 60)) as d(id, state, days)`.execute(
    db,
  );
  await retention.everywhere!(db);
  const { rows } = await sql<{ id: number; body: string | null; answer: string | null }>`
    select event_id as id, body, answer from webhook_deliveries where commerce_id = ${shop.id} order by 1`.execute(
    db,
  );
  assert.deepEqual(rows, [
    { id: 1, body: null, answer: null },
    { id: 2, body: null, answer: null },
    { id: 3, body: 'sent', answer: 'answered' },
    { id: 4, body: 'sent', answer: 'answered' },
  ]);
});

test('a shop has at most 20 webhooks, and only its owners see or make them', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const manager = await makeStaff(shop, 'manager');
  const create = () => owner.post('webhooks', { name: 'x', url: 'https://shop.example/' });
  for (let i = 0; i < 20; i++) assert.equal((await create()).status, 201);
  const { status, headers } = await create();
  assert.deepEqual([status, headers.get('x-error-code')], [409, 'too_many_webhooks']);
  assert.equal((await manager.get('webhooks')).status, 403);
  assert.equal((await manager.post('webhooks', { name: 'x', url: 'https://shop.example/' })).status, 403);
});

test('the extensions document describes the request, and what is sent has its form', async () => {
  const { app } = await service();
  const document = (await app.inject({ url: '/openapi-extensions.json' })).json<{
    openapi: string;
    webhooks: { event: { post: { requestBody: object; parameters: { name: string }[] } } };
    components: { schemas: Record<string, { required: string[]; properties: object }> };
  }>();
  const { post } = document.webhooks.event;
  assert.match(document.openapi, /^3\.1/);
  assert.deepEqual(post.requestBody, {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/WebhookRequest' } } },
  });
  assert.deepEqual(
    post.parameters.map(({ name }) => name),
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  );
  const shop = await makeShop();
  const receiver = await openReceiver();
  await makeWebhook(shop, receiver);
  const sender = startTestSender();
  await shop.member();
  await until(() => receiver.received.length > 0, 'a request');
  const { body } = receiver.received[0]!;
  const { schemas } = document.components;
  assert.deepEqual(Object.keys(body), Object.keys(schemas['WebhookRequest']!.properties));
  assert.deepEqual(Object.keys(body.data), schemas['Event']!.required);
  assert.equal('webhooks' in (await app.inject({ url: '/openapi.json' })).json<object>(), false);
  await sender.stop();
});
