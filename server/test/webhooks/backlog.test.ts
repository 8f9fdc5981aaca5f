/** Deliveries that wait for a receiver that was away, and another shop beside them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { makeWebhook, startTestSender, until } from './sending.ts';

const { db } = await service();

/** `WEBHOOK_BACKLOG=100000` is the long form. */
const BACKLOG = Number(process.env['WEBHOOK_BACKLOG'] ?? 2_000);
const BATCH = 500;

/** Records purchases, and has the delivery of each wait since an attempt that failed. */
async function fillBacklog(shop: Shop, webhook: string): Promise<void> {
  const { code } = await shop.member();
  const purchase = { commerceId: shop.id, buyer: { code }, ...NOWHERE, amount: 1 };
  for (let n = 0; n < BACKLOG; n += BATCH)
    await transaction(db, (tx) =>
      recordPurchases(
        tx,
        Array.from({ length: BATCH }, () => purchase),
      ),
    );
  await sql`
    insert into webhook_deliveries (commerce_id, webhook_id, event_id, type, member_id, state, attempts, next_at, status)
    select commerce_id, ${webhook}, id, 'purchase.recorded', member_id, 'waiting', 3, now(), 500
      from movements where commerce_id = ${shop.id}
     order by id`.execute(db);
  await sql`
    update webhooks
       set retry_at = now(), through = (select max(id) from movements where commerce_id = ${shop.id})
     where commerce_id = ${shop.id} and id = ${webhook}`.execute(db);
}

/** Sells, waits for the event, and returns after how many milliseconds it was there. */
async function timeOfEvent(shop: Shop, member: { code: number }, receiver: Receiver): Promise<number> {
  const before = receiver.received.length;
  assert.equal(
    (await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 1 })).status,
    201,
  );
  const at = performance.now();
  await until(() => receiver.received.length > before, 'the event of a healthy shop');
  return performance.now() - at;
}

function middleAndHighest(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const part = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))]!);
  return `${part(0.5)} ms, at most ${part(1)} ms, of ${sorted.length}`;
}

test(`${BACKLOG} deliveries that wait arrive, and those of another shop arrive meanwhile`, async (t) => {
  const [busy, healthy] = [await makeShop(), await makeShop()];
  const [receiver, other] = [await openReceiver(), await openReceiver()];
  const webhook = await makeWebhook(busy, receiver);
  await fillBacklog(busy, webhook);
  await makeWebhook(healthy, other, { types: ['purchase.recorded'] });
  const member = await healthy.member();
  const sender = startTestSender();
  const begun = performance.now();
  await until(() => receiver.received.length > 0, 'the backlog begins to drain');

  const beside: number[] = [];
  let leftAtFifth = 0;
  while (receiver.received.length < BACKLOG) {
    beside.push(await timeOfEvent(healthy, member, other));
    if (beside.length === 5) leftAtFifth = BACKLOG - receiver.received.length;
  }
  const seconds = (performance.now() - begun) / 1_000;
  const waiting = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from webhook_deliveries
       where commerce_id = ${busy.id} and state = 'waiting'`.execute(db);
    return rows[0]!.count;
  };
  await until(async () => (await waiting()) === 0, 'nothing waits any more');
  const alone: number[] = [];
  for (let n = 0; n < 20; n++) alone.push(await timeOfEvent(healthy, member, other));
  t.diagnostic(
    `${BACKLOG} deliveries in ${seconds.toFixed(1)} s, ${Math.round(BACKLOG / seconds)} a second. An event of the other shop is there after ${middleAndHighest(beside)}; without the backlog after ${middleAndHighest(alone)}`,
  );
  assert.ok(leftAtFifth > 0, 'five events of the other shop were there before the backlog was');
  const ids = new Set(receiver.received.map(({ id }) => id));
  assert.equal(ids.size, BACKLOG, 'each delivery arrives');
  assert.deepEqual([receiver.wrong, other.wrong], [[], []]);
  assert.equal(new Set(other.received.map(({ id }) => id)).size, beside.length + alone.length);
  await sender.stop();
});
