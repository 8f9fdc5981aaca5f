import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { sql, transaction } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { onEnd, testDatabaseUrl } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { startService } from '#test/service-process.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { logged, makeDue, makeWebhook, startTestSender, until } from './sending.ts';

const { db } = await service();
let sender = startTestSender();

interface Listed {
  readonly delivery_id: string;
  readonly type: string;
  readonly state: string;
  readonly status: number | null;
  readonly attempts: number;
}

async function deliveriesOf(owner: MadeStaff, id: string): Promise<Listed[]> {
  const { body } = await owner.get(`webhooks/${id}/deliveries`);
  return (body as { results: Listed[] }).results;
}

async function webhookOf(owner: MadeStaff, id: string): Promise<Record<string, unknown>> {
  return (await owner.get(`webhooks/${id}`)).body as Record<string, unknown>;
}

async function buy(shop: Shop, count: number): Promise<void> {
  const member = await shop.member();
  for (let i = 0; i < count; i++) await shop.sell(member, 10);
}

const idsOf = ({ received }: Receiver) => received.map(({ id }) => id);

test('an owner creates a webhook, and its receiver gets signed events', async () => {
  const shop = await makeShop({ sandbox: true });
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  const created = await owner.post('webhooks', { name: 'Newsletter', url: receiver.url });
  assert.equal(created.status, 201, created.text);
  receiver.secrets.push((created.body as { secret: string }).secret);
  // The clock of a sandbox is in the event, and never in the time of the signature, which would be refused.
  await shop.moveClock('400 days');
  await buy(shop, 1);
  await until(() => receiver.received.length >= 3, 'three events');
  const types = receiver.received.map(({ body }) => body.type);
  assert.deepEqual(types.toSorted(), ['member.invited', 'member.joined', 'purchase.recorded']);
  for (const { id, body, timestamp } of receiver.received) {
    assert.equal(body.data['id'], id);
    assert.equal(body.data['at'], body.timestamp);
    assert.ok(Math.abs(timestamp * 1_000 - Date.now()) < 300_000);
    assert.ok(new Date(body.data['program_at'] as string).getTime() > Date.now() + 300 * 86_400_000);
    assert.doesNotMatch(JSON.stringify(body), /@example\.com/, 'thin');
  }
  assert.deepEqual(receiver.wrong, []);
  const listed = (await owner.get('webhooks')).text;
  assert.doesNotMatch(listed, /whsec_/);
});

test('only chosen types are sent, and the person and the code only to who may see them', async () => {
  const shop = await makeShop();
  const [thin, full] = [await openReceiver(), await openReceiver()];
  await makeWebhook(shop, thin, { types: ['purchase.recorded'] });
  await makeWebhook(shop, full, { types: ['purchase.recorded'], scopes: ['members'] });
  await buy(shop, 2);
  await until(() => thin.received.length === 2 && full.received.length === 2, 'both get both');
  assert.ok(thin.received.every(({ body }) => body.type === 'purchase.recorded'));
  const dataOf = (receiver: Receiver) => receiver.received[0]!.body.data['data'] as Record<string, unknown>;
  assert.equal('person' in dataOf(thin), false);
  assert.match(JSON.stringify(dataOf(full)['person']), /@example\.com/);
});

test('two shops never get each other’s events', async () => {
  const [one, other] = [await makeShop(), await makeShop()];
  const [ofOne, ofOther] = [await openReceiver(), await openReceiver()];
  const id = await makeWebhook(one, ofOne);
  await makeWebhook(other, ofOther);
  await Promise.all([buy(one, 5), buy(other, 5)]);
  await until(() => ofOne.received.length === 7 && ofOther.received.length === 7, 'seven each');
  assert.ok(ofOne.received.every(({ body }) => body.data['commerce_id'] === one.id));
  assert.ok(ofOther.received.every(({ body }) => body.data['commerce_id'] === other.id));
  const stranger = await makeStaff(other, 'owner');
  for (const path of [`webhooks/${id}`, `webhooks/${id}/deliveries`])
    assert.equal((await stranger.get(path)).status, 404);
  assert.equal((await stranger.post(`webhooks/${id}/test`)).status, 404);
  assert.equal((await stranger.delete(`webhooks/${id}`)).status, 404);
});

test('what is not taken is sent again with the same id, then given up, and replayed by hand', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  receiver.answer = (response) =>
    void response.writeHead(500, { 'content-type': 'text/plain' }).end('no room\u0007today '.repeat(40));
  const id = await makeWebhook(shop, receiver, { types: ['member.joined'] });
  await shop.member();
  for (let attempt = 1; attempt <= 10; attempt++) {
    await until(async () => (await deliveriesOf(owner, id))[0]?.attempts === attempt, `attempt ${attempt}`);
    if (attempt < 10) await makeDue(shop);
  }
  const [failed] = await deliveriesOf(owner, id);
  assert.deepEqual([failed!.state, failed!.status], ['failed', 500]);
  assert.equal(new Set(idsOf(receiver)).size, 1);
  const whole = (await owner.get(`webhooks/${id}/deliveries/${failed!.delivery_id}`)).body as Record<
    string,
    string
  >;
  assert.equal(whole['body'], receiver.received[0]!.text);
  assert.equal(whole['answer']!.length <= 256, true);
  assert.match(whole['answer']!, /^no room today/);
  assert.deepEqual(
    [(await webhookOf(owner, id))['state'], (await webhookOf(owner, id))['failed']],
    ['failing', 1],
  );

  receiver.answer = (response) => void response.writeHead(200).end();
  const replayed = await owner.post(`webhooks/${id}/replay`, {});
  assert.deepEqual([replayed.status, replayed.body], [202, { deliveries: 1, replaying: false }]);
  await until(async () => (await deliveriesOf(owner, id))[0]?.state === 'delivered', 'it is delivered');
  assert.deepEqual(
    [(await webhookOf(owner, id))['state'], (await webhookOf(owner, id))['failed']],
    ['enabled', 0],
  );
  const one = await owner.post(`webhooks/${id}/deliveries/${failed!.delivery_id}/replay`);
  assert.equal(one.status, 202);
  await until(() => receiver.received.length === 12, 'once more');
  assert.equal(new Set(idsOf(receiver)).size, 1);
});

test('a stretch of time is replayed, whether or not it was taken, and one at a time', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  const id = await makeWebhook(shop, receiver, { types: ['purchase.recorded'] });
  const since = new Date().toISOString();
  await buy(shop, 30);
  await until(
    async () => receiver.received.length === 30 && (await webhookOf(owner, id))['behind'] === 0,
    'all arrive',
  );
  const replay = await owner.post(`webhooks/${id}/replay`, { since });
  assert.deepEqual([replay.status, replay.body], [202, { deliveries: null, replaying: true }]);
  await until(() => receiver.received.length === 60, 'all arrive again');
  assert.equal(new Set(idsOf(receiver)).size, 30);
  await until(async () => (await webhookOf(owner, id))['replaying'] === false, 'the replay has ended');
  const empty = await owner.post(`webhooks/${id}/replay`, {
    since: new Date(Date.now() + 1_000).toISOString(),
  });
  assert.deepEqual(empty.body, { deliveries: null, replaying: false });
});

test('a test is sent once, and is no event', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  const id = await makeWebhook(shop, receiver);
  receiver.answer = (response) => void response.writeHead(503).end();
  const sent = await owner.post(`webhooks/${id}/test`);
  assert.equal(sent.status, 202);
  const { delivery_id } = sent.body as { delivery_id: string };
  await until(async () => (await deliveriesOf(owner, id))[0]?.state === 'failed', 'it has failed');
  assert.deepEqual(idsOf(receiver), [delivery_id]);
  assert.equal(receiver.received[0]!.body.type, 'webhook.test');
});

test('after the secret was replaced, both sign for a day, and then the new one alone', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  const id = await makeWebhook(shop, receiver);
  const [old] = receiver.secrets;
  const rotated = await owner.post(`webhooks/${id}/rotation`);
  assert.equal(rotated.status, 201);
  const { secret, old_secret_until } = rotated.body as { secret: string; old_secret_until: string };
  assert.ok(Math.abs(new Date(old_secret_until).getTime() - Date.now() - 86_400_000) < 300_000);
  for (const accepted of [old!, secret]) {
    receiver.secrets = [accepted];
    const before = receiver.received.length;
    await shop.member();
    await until(() => receiver.received.length >= before + 2, 'the signature is accepted');
  }
  assert.deepEqual(receiver.wrong, []);
  await sql`update webhooks set old_secret_until = now() where commerce_id = ${shop.id}`.execute(db);
  receiver.secrets = [old!];
  await shop.member();
  await until(() => receiver.wrong.length > 0, 'the old one does not sign any more');
  assert.equal((await webhookOf(owner, id))['old_secret_until'], null);
  const stale = await makeStaff(shop, 'owner');
  await stale.goStale();
  assert.equal((await stale.post(`webhooks/${id}/rotation`)).status, 403);
});

test('a replacement that is repeated after a lost answer returns the same secret, and the receiver keeps its day', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  const id = await makeWebhook(shop, receiver);
  const replace = async (body?: { seen_old_secret_until: string | null }) => {
    const answer = await owner.post(`webhooks/${id}/rotation`, body);
    const { secret, old_secret_until } = answer.body as { secret: string; old_secret_until: string };
    return { secret, old_secret_until };
  };
  const seenNone = { seen_old_secret_until: null };
  // Nobody has seen the answer to the first one.
  const lost = await replace(seenNone);
  assert.deepEqual(await replace(seenNone), lost);
  const before = receiver.received.length;
  await shop.member();
  await until(() => receiver.received.length >= before + 2, 'the first secret is accepted');
  assert.deepEqual(receiver.wrong, []);
  const { body } = await owner.get('audit?action=webhook.rotate');
  const { results } = body as { results: { after: object }[] };
  assert.deepEqual(
    results.map(({ after }) => after),
    [{ shown_again: true }, { overlap_hours: 24 }],
  );

  const next = await replace({ seen_old_secret_until: lost.old_secret_until });
  assert.notEqual(next.secret, lost.secret);
  assert.deepEqual(await replace({ seen_old_secret_until: lost.old_secret_until }), next);
  assert.notEqual((await replace()).secret, next.secret, 'who does not say what is known gets a new one');
  await sql`update webhooks set old_secret_until = now() where commerce_id = ${shop.id}`.execute(db);
  assert.notEqual((await replace(seenNone)).secret, next.secret, 'a day later it is a new replacement');
});

test('an endpoint that takes nothing for five days is switched off, its owner gets a mail, and it goes on where it stopped', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  const id = await makeWebhook(shop, receiver, { types: ['member.joined'] });
  receiver.answer = (response) => void response.writeHead(500).end();
  await shop.member();
  await until(async () => (await webhookOf(owner, id))['state'] === 'failing', 'it fails');
  await sql`update webhooks set failing_since = now() - interval '5 days' where commerce_id = ${shop.id}`.execute(
    db,
  );
  await makeDue(shop);
  await until(async () => (await webhookOf(owner, id))['state'] === 'disabled', 'it is switched off');
  assert.equal((await webhookOf(owner, id))['disabled_because'], 'failing');
  const { rows } = await sql<{ content: object }>`
    select content from outbox where recipient = ${owner.email} and kind = 'webhook-disabled'`.execute(db);
  assert.deepEqual(rows, [{ content: { host: new URL(receiver.url).host, because: 'failing' } }]);
  assert.equal((await owner.post(`webhooks/${id}/test`)).status, 409);
  const count = receiver.received.length;
  await shop.member();
  receiver.answer = (response) => void response.writeHead(200).end();
  assert.equal((await owner.post(`webhooks/${id}/enable`, {})).status, 200);
  await makeDue(shop);
  await until(() => receiver.received.length === count + 2, 'what waited and what came meanwhile');
  assert.equal((await webhookOf(owner, id))['state'], 'enabled');
});

test('an endpoint to which nothing was sent for days stays on, and a test says nothing about it', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  const id = await makeWebhook(shop, receiver, { types: ['member.joined'] });
  receiver.answer = (response) => void response.writeHead(500).end();
  assert.equal((await owner.post(`webhooks/${id}/test`)).status, 202);
  await until(async () => (await deliveriesOf(owner, id))[0]?.state === 'failed', 'the test has failed');
  assert.equal((await webhookOf(owner, id))['state'], 'enabled');

  const member = await shop.member();
  await until(async () => (await webhookOf(owner, id))['state'] === 'failing', 'it fails');
  await sql`update webhook_deliveries set state = 'failed', next_at = null where commerce_id = ${shop.id}`.execute(
    db,
  );
  await sql`update webhooks set failing_since = now() - interval '6 days' where commerce_id = ${shop.id}`.execute(
    db,
  );
  await makeDue(shop);
  await shop.sell(member, 1);
  await until(async () => (await webhookOf(owner, id))['behind'] === 0, 'what it does not want has passed');
  assert.equal((await webhookOf(owner, id))['state'], 'failing');
});

test('a turn under way ends once its webhook is switched off or leads elsewhere', async () => {
  for (const end of ['disabled', 'moved']) {
    const shop = await makeShop();
    const owner = await makeStaff(shop, 'owner');
    const { code } = await shop.member();
    const purchase = { commerceId: shop.id, buyer: { code }, ...NOWHERE, amount: 1 };
    for (let n = 0; n < 3; n++)
      await transaction(db, (tx) =>
        recordPurchases(
          tx,
          Array.from({ length: 200 }, () => purchase),
        ),
      );
    const [old, next] = [await openReceiver(), await openReceiver()];
    const ended = Promise.withResolvers<void>();
    old.answer = (response) => void ended.promise.then(() => response.writeHead(204).end());
    const id = await makeWebhook(shop, old, { types: ['purchase.recorded'] });
    next.secrets = old.secrets;
    await sql`update webhooks set through = 0 where commerce_id = ${shop.id}`.execute(db);
    await until(() => old.received.length > 0, 'a turn is under way');
    const { status } =
      end === 'moved'
        ? await owner.patch(`webhooks/${id}`, { url: next.url })
        : await owner.post(`webhooks/${id}/disable`);
    assert.equal(status, 200);
    ended.resolve();
    await until(async () => {
      const { rows } = await sql<{ isOver: boolean }>`
        select leased_until is null and through > 0 as "isOver" from webhooks where commerce_id = ${shop.id}`.execute(
        db,
      );
      return rows[0]!.isOver;
    }, 'the turn is over');
    assert.ok(old.received.length <= 200, `${old.received.length} are sent in it`);
    if (end === 'disabled') continue;
    // What the last part has sent to the old address is sent to the new one, too.
    await until(() => new Set([...idsOf(old), ...idsOf(next)]).size === 600, 'the rest follows');
  }
});

test('another address begins without the failures and the pause of the one before, also those of a turn under way', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const [wrong, right] = [await openReceiver(), await openReceiver()];
  wrong.answer = (response) => void response.writeHead(500).end();
  const id = await makeWebhook(shop, wrong, { types: ['member.joined'] });
  right.secrets = wrong.secrets;
  await shop.member();
  await until(async () => (await webhookOf(owner, id))['state'] === 'failing', 'it fails');
  await sql`
    update webhooks set failures = 20, failing_since = now() - interval '6 days', answer_ms = 9000
     where commerce_id = ${shop.id}`.execute(db);
  // Its last request is answered only after the address was corrected.
  const corrected = Promise.withResolvers<void>();
  wrong.answer = (response) => void corrected.promise.then(() => response.writeHead(410).end());
  await makeDue(shop);
  await until(() => wrong.received.length === 2, 'a turn is under way');
  assert.equal((await owner.patch(`webhooks/${id}`, { url: right.url })).status, 200);
  await sql`update webhooks set next_at = now() + interval '1 hour' where commerce_id = ${shop.id}`.execute(
    db,
  );
  await owner.patch(`webhooks/${id}`, { url: `${right.url}?corrected` });
  corrected.resolve();
  const rowOf = async () => {
    const { rows } = await sql<Record<string, unknown>>`
      select failures, failing_since, answer_ms, next_at <= now() as "isDue", disabled_because, leased_until is null as "isOver"
        from webhooks where commerce_id = ${shop.id}`.execute(db);
    return rows[0]!;
  };
  await until(async () => (await rowOf())['isOver'] === true, 'the turn is over');
  assert.deepEqual(await rowOf(), {
    failures: 0,
    failing_since: null,
    answer_ms: null,
    isDue: true,
    disabled_because: null,
    isOver: true,
  });
  await shop.member();
  await until(() => right.received.length > 0, 'the next event arrives');
});

test('410 switches an endpoint off at once', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  const id = await makeWebhook(shop, receiver);
  receiver.answer = (response) => void response.writeHead(410).end();
  await shop.member();
  await until(async () => (await webhookOf(owner, id))['disabled_because'] === 'gone', 'it is gone');
});

test('a receiver that asks for time gets it', async () => {
  const shop = await makeShop();
  const receiver = await openReceiver();
  await makeWebhook(shop, receiver, { types: ['member.joined'] });
  receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '120' }).end();
  await shop.member();
  const seconds = async () => {
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from next_at - now())::float8 as seconds from webhooks where commerce_id = ${shop.id}`.execute(
      db,
    );
    return rows[0]!.seconds;
  };
  await until(async () => (await seconds()) > 60, 'two minutes');
});

test('an erased person is in no stored delivery, and in none that waits', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const [good, bad] = [await openReceiver(), await openReceiver()];
  bad.answer = (response, { body }) =>
    void response
      .writeHead(500, { 'content-type': 'text/plain' })
      .end(`cannot store ${JSON.stringify(body)}`);
  await makeWebhook(shop, good, { scopes: ['members', 'redeem'] });
  const failing = await makeWebhook(shop, bad, { scopes: ['members', 'redeem'] });
  const member = await shop.member('eva.roca');
  await until(
    async () => (await deliveriesOf(owner, failing)).length > 0 && good.received.length >= 2,
    'both were sent to',
  );
  await until(async () => {
    const { rows } = await sql`
      select from webhook_deliveries where commerce_id = ${shop.id} and body like '%eva.roca%'`.execute(db);
    return rows.length >= 3;
  }, 'the person is in what is kept');
  await shop.erase(member);
  const { rows } = await sql`
    select from webhook_deliveries
     where commerce_id = ${shop.id} and (body like '%eva.roca%' or answer like '%eva.roca%')`.execute(db);
  assert.deepEqual(rows, []);
  bad.answer = (response) => void response.writeHead(200).end();
  const before = bad.received.length;
  await until(async () => {
    await makeDue(shop);
    return bad.received.length > before && bad.received.at(-1)!.body.type === 'member.erased';
  }, 'the erasure is told');
  for (const { text } of bad.received.slice(before)) assert.doesNotMatch(text, /eva\.roca/);
  assert.ok(good.received.some(({ body }) => body.type === 'member.erased'));
});

test('erasing races recording: nothing of the person is left', async () => {
  const shop = await makeShop();
  const receiver = await openReceiver();
  await makeWebhook(shop, receiver, { scopes: ['members'] });
  for (let i = 0; i < 15; i++) {
    const member = await shop.member();
    const erased = shop.erase(member);
    await Promise.all([erased, new Promise((resolve) => void setTimeout(resolve, (i % 5) * 20))]);
  }
  await until(
    () => receiver.received.filter(({ body }) => body.type === 'member.erased').length === 15,
    'all are told',
  );
  const { rows } = await sql`
    select from webhook_deliveries d
      join members m on m.commerce_id = d.commerce_id and m.id = d.member_id
     where d.commerce_id = ${shop.id} and m.erased_at is not null and d.body is not null and d.body like '%@example.com%'`.execute(
    db,
  );
  assert.deepEqual(rows, []);
});

test('a receiver that hangs, crawls or never ends its answer holds up no other', async () => {
  const shop = await makeShop();
  const [hangs, crawls, floods, good] = await Promise.all([
    openReceiver(),
    openReceiver(),
    openReceiver(),
    openReceiver(),
  ]);
  hangs.answer = () => {};
  crawls.answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const timer = setInterval(() => response.write('x'), 1_000);
    response.on('close', () => clearInterval(timer));
  };
  floods.answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
    };
    response.on('drain', more);
    more();
  };
  for (const receiver of [hangs, crawls, floods, good]) await makeWebhook(shop, receiver);
  await buy(shop, 20);
  await until(() => good.received.length === 22, 'all arrive at the good one');
  await until(() => new Set(idsOf(floods)).size === 22, 'a long answer is cut off, and counts by its status');
  await until(() => new Set(idsOf(crawls)).size === 22, 'a slow answer too');
});

test('a receiver that switches protocols has not answered', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const receiver = await openReceiver();
  const switches = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    );
  });
  await new Promise<void>((resolve) => switches.listen(0, '127.0.0.1', resolve));
  onEnd(async () => void switches.close());
  const address = `http://127.0.0.1:${(switches.address() as AddressInfo).port}/hook`;
  const id = await makeWebhook(shop, receiver, { address, types: ['member.joined'] });
  await shop.member();
  await until(async () => (await webhookOf(owner, id))['state'] === 'failing', 'it fails');
  const [one] = await deliveriesOf(owner, id);
  assert.deepEqual([one!.state, one!.status, one!.attempts], ['waiting', null, 1]);
});

test('a service that is killed between the delivery and its note sends again', async () => {
  await sender.stop();
  const shop = await makeShop();
  const receiver = await openReceiver();
  await makeWebhook(shop, receiver, { types: ['member.joined'] });
  const settings = { NODE_ENV: 'development', WEBHOOK_LOOPBACK: 'on', DEMO: 'off' };
  const first = await startService(await testDatabaseUrl(), settings);
  const ended = once(first.child, 'exit');
  receiver.answer = () => void first.child.kill('SIGKILL');
  await shop.member();
  await ended;
  assert.equal(receiver.received.length, 1);
  receiver.answer = (response) => void response.writeHead(204).end();
  // The lease of the dead process ends by itself; the test does not wait for it.
  await sql`update webhooks set leased_until = now() where commerce_id = ${shop.id}`.execute(db);
  sender = startTestSender();
  await until(() => receiver.received.length === 2, 'it is sent again');
  assert.equal(new Set(idsOf(receiver)).size, 1);
  await until(async () => {
    const { rows } = await sql`
      select from webhook_deliveries where commerce_id = ${shop.id} and state = 'delivered'`.execute(db);
    return rows.length === 1;
  }, 'it is noted');
});

test('secrets are encrypted, signed with by the package of the specification, and never logged', async () => {
  const shop = await makeShop();
  const receiver = await openReceiver();
  await makeWebhook(shop, receiver);
  await receiver.close();
  await shop.member();
  await until(() => logged.length > 0, 'a failure is logged');
  const [secret] = receiver.secrets;
  const { rows } = await sql<{ row: string }>`
    select w::text as row from webhooks w where commerce_id = ${shop.id}`.execute(db);
  const raw = Buffer.from(secret!.slice('whsec_'.length), 'base64').toString('hex');
  assert.ok(rows.every(({ row }) => !row.includes(raw)));
  assert.ok(logged.every((line) => !line.includes('whsec_') && !line.includes(receiver.url)));
  assert.ok(new Webhook(secret!).sign('evt_1', new Date(), '{}').startsWith('v1,'));
});
