/** The latest events of a shop, as its owner and the owner's programs look at them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { ApiError, createAdminClient } from '../../../sdk/src/admin.ts';
import { call, service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { makeStaffKey } from '#test/staff.ts';

const { db, url } = await service();

async function makeOffice(shop: Shop) {
  const { key } = await makeStaffKey(shop, 'owner');
  return createAdminClient({ baseUrl: url, key });
}

/** All that a system with all scopes reads, oldest first. */
async function readFeed(shop: Shop) {
  const { key } = await createKey(db, shop.id, 'reader', { scopes: KEY_SCOPES });
  const { body } = await call('GET', '/v1/events?limit=1000', {
    headers: { authorization: `Bearer ${key}` },
  });
  return (body as { events: { id: string; type: string }[] }).events;
}

test('the latest events are those of the feed the other way round, page by page, and each is what a system reads', async () => {
  const shop = await makeShop();
  const member = await shop.member('eva');
  for (let n = 1; n <= 60; n += 1)
    await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: n });
  const office = await makeOffice(shop);
  const feed = await readFeed(shop);
  const first = await office.listShopEvents();
  assert.equal(first.results.length, 50);
  const second = await office.listShopEvents({ cursor: first.next_cursor });
  assert.equal(second.next_cursor, null);
  const listed = [...first.results, ...second.results];
  assert.deepEqual(
    listed.map(({ event_id: id, type }) => ({ id, type })),
    feed.map(({ id, type }) => ({ id, type })).toReversed(),
  );
  for (const { type, client_email: email } of listed)
    assert.equal(email, type === 'program.published' ? null : member.email);
  for (const event of [feed[0]!, feed.at(-1)!]) {
    const one = await office.getShopEvent(event.id);
    assert.deepEqual({ ...one, sealed: null }, { ...event, sealed: null });
  }
});

test('a type that is rare is looked for in pages of what is newest', async () => {
  const shop = await makeShop();
  const member = await shop.member('eva');
  const office = await makeOffice(shop);
  const joined = await office.listShopEvents({ type: 'member.joined' });
  assert.deepEqual(
    joined.results.map(({ client_code: code }) => code),
    [member.code],
  );
  assert.deepEqual(await office.listShopEvents({ type: 'member.erased' }), {
    results: [],
    next_cursor: null,
  });
});

test('an event of another shop is not found, and its id leads to nothing of that shop', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const stranger = await other.member('noah');
  const office = await makeOffice(shop);
  for (const { id } of await readFeed(other)) {
    // Ids are hidden by a key of the shop, so that another one's may be one that is not used yet.
    await assert.rejects(
      office.getShopEvent(id),
      (error: unknown) => error instanceof ApiError && error.status === 404,
    );
    const { results } = await office.listShopEvents({ cursor: id }).catch(() => ({ results: [] }));
    assert.ok(!JSON.stringify(results).includes(stranger.email));
  }
});
