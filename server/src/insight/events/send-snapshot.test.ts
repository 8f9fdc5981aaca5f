import assert from 'node:assert/strict';
import type { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { FastifyReply } from 'fastify';
import { createCaps } from '#base/caps.ts';
import { transaction } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { SECRET, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { createEventCursors } from './event-cursor.ts';
import { createFollower } from './follower.ts';
import { createSnapshotSender } from './send-snapshot.ts';

test('a snapshot of many pages that is read slowly leaves no listeners behind', async () => {
  const { db } = await service();
  const shop = await makeShop();
  for (let page = 0; page < 4; page++) {
    const purchases = Array.from({ length: 500 }, (_, i) => ({
      commerceId: shop.id,
      buyer: { email: `p${page}-${i}-${shop.slug}@example.com` },
      amount: 1,
      ...NOWHERE,
    }));
    await transaction(db, (tx) => recordPurchases(tx, purchases));
  }
  const log = { warn: () => {} };
  const follower = createFollower(db, log);
  const snapshots = createSnapshotSender({
    db,
    log,
    follower,
    caps: createCaps(),
    isStillGood: () => Promise.resolve(true),
    cursorsOf: createEventCursors(SECRET),
  });
  const reply = { type: () => reply, header: () => reply } as unknown as FastifyReply;
  const sight = { people: true, codes: false };
  const stream = (await snapshots.send(reply, shop.id, sight)) as PassThrough;
  let text = '';
  const listeners: number[] = [];
  for await (const part of stream) {
    text += String(part);
    listeners.push(stream.listenerCount('close') + stream.listenerCount('error'));
  }
  assert.ok(listeners.length >= 4);
  const [most, first] = [Math.max(...listeners), listeners[0]!];
  assert.ok(most <= first + 2, `${first} listeners, then ${most}`);
  assert.match(text, /"type":"end"/);
  follower.stop();
});
