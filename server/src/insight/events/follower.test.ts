import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { readLastId } from '#points/settled-id.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { createFollower } from './follower.ts';

/** Holds the feeds of all shops back, as an import does, until it is told to end. */
async function holdFeeds(): Promise<() => Promise<void>> {
  const { db } = await service();
  const [held, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = transaction(db, async (tx) => {
    await sql`lock table movements in row exclusive mode`.execute(tx);
    held.resolve();
    await ending.promise;
  });
  await Promise.race([held.promise, ended]);
  return async () => {
    ending.resolve();
    await ended;
  };
}

test('while a transaction holds the feed back, pages of what was complete before are answered, of many readers at once', async () => {
  const shop = await makeShop();
  for (let i = 0; i < 3; i++) await shop.sell(await shop.member(), 1);
  const read = async (limit: number) => {
    const { status, body } = await shop.get(`/v1/events?limit=${limit}`);
    return { status, events: (body as { events?: unknown[] }).events?.length };
  };
  const { events: all } = await read(100);
  /** Returns how long so many readers of full pages wait together, in milliseconds, from the moment at which the feed is held back. */
  const timed = async (readers: number) => {
    const endTransaction = await holdFeeds();
    try {
      const begun = performance.now();
      const full = await Promise.all(Array.from({ length: readers }, () => read(2)));
      const ms = performance.now() - begun;
      assert.deepEqual(new Set(full.map(({ status }) => status)), new Set([200]));
      const last = await Promise.all(Array.from({ length: 12 }, () => read(100)));
      for (const page of last) assert.deepEqual(page, { status: 200, events: all });
      return ms;
    } finally {
      await endTransaction();
      await read(100);
    }
  };
  // All wait the same second. One after the other, twelve would wait for six. A busy machine may need another try.
  const ratios: number[] = [];
  while (ratios.length < 5 && !ratios.some((ratio) => ratio < 3)) {
    const alone = await timed(1);
    ratios.push((await timed(12)) / alone);
  }
  assert.ok(
    ratios.some((ratio) => ratio < 3),
    `twelve readers took ${ratios.join(', ')} times as long as one`,
  );
  await shop.sell(await shop.member(), 1);
  assert.equal((await read(100)).events, all! + 3);
});

test('whoever asks first once the feed moves again learns it', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const follower = createFollower(db, { warn: () => {} });
  const endTransaction = await holdFeeds();
  try {
    // It gives up by itself, and nobody asks when the transaction ends.
    await follower.settledId();
    assert.ok(follower.standsStillFor() > 1);
  } finally {
    await endTransaction();
  }
  const before = await readLastId(db);
  await shop.sell(await shop.member(), 1);
  assert.ok((await follower.settledSoon()) > before);
  assert.equal(follower.standsStillFor(), 0);
});

test('how long the feed has stood still is told while somebody asks, also if they ask again and again', async () => {
  const { db } = await service();
  const follower = createFollower(db, { warn: () => {} });
  const shop = await makeShop();
  const { signal } = new AbortController();
  const before = await follower.settledId();
  assert.equal(follower.standsStillFor(), 0);
  const endTransaction = await holdFeeds();
  const begun = performance.now();
  try {
    assert.equal(await follower.settledSoon(), before);
    for (let i = 0; i < 5; i++) await follower.waitForMore(shop.id, before, 50, signal);
    const seconds = (performance.now() - begun) / 1_000;
    assert.ok(Math.abs(follower.standsStillFor() - seconds) < 0.5, `${follower.standsStillFor()} s`);
    const next = performance.now();
    assert.equal(await follower.settledSoon(), before);
    assert.ok(performance.now() - next < 500, 'whoever asks next does not wait');
  } finally {
    await endTransaction();
  }
  await follower.settledId();
  assert.equal(follower.standsStillFor(), 0);
  follower.stop();
});
