/** The back office's client on the real service: with a key, as a program of the shop, and with a cookie, as a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { makeStaff, makeStaffKey } from '#test/staff.ts';
import {
  type ApiError,
  ConnectionError,
  createAdminClient,
  type Fetch,
  type Program,
} from '../../../sdk/src/admin.ts';

const { url } = await service();

test('a program of the shop sells, redeems, reads and exports with a key', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee')] });
  const { key } = await makeStaffKey(shop, 'manager');
  const office = createAdminClient({ baseUrl: url, key });
  const member = await shop.member();
  const id = (await office.find(member.email)).members[0]!.member_id;
  const options = { idempotencyKey: 'sale-1' };
  const sold = await office.recordPurchase({ member_id: id, amount: 50, register_id: 1 }, options);
  const again = await office.recordPurchase({ member_id: id, amount: 50, register_id: 1 }, options);
  assert.deepEqual([sold.points, sold.replayed, again], [50, false, { ...sold, replayed: true }]);
  const code = await shop.voucher(member, 'coffee');
  assert.equal((await office.redeemVoucher(code, { register_id: 1 })).state, 'used');
  await office.reversePurchase(sold.consumption_id, { amount: 20, reason: 'a cup broke' });
  assert.equal((await office.listTillDay({ register_id: 1 })).amount, 30);
  await office.adjustPoints(id, { points: 7, reason: 'sorry' });
  await office.blockMember(id, { reason: 'a test' });
  assert.equal((await office.unblockMember(id)).points, 27);
  assert.equal((await office.unpinLevel(id)).level, null);
  assert.equal((await office.editProfile(id, { username: 'Eva' })).username, 'Eva');
  const kinds = (await office.listMemberHistory(id)).results.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['adjustment', 'return', 'usage', 'exchange', 'purchase']);
  assert.equal((await office.searchMembers({ text: 'ev' })).total, 1);
  assert.match(await (await office.exportMembers({ text: 'ev' })).text(), /Eva/);
  const refused = await office
    .eraseMember(id, { confirm: '1', reason: 'x' })
    .catch((error: ApiError) => error);
  assert.equal((refused as ApiError).code, 'fresh_code_needed');
});

test('a browser is told when its session has ended, but not by the calls of signing in', async () => {
  const shop = await makeShop();
  const { headers } = await makeStaff(shop, 'cashier');
  const sent: (string | undefined)[] = [];
  const asBrowser: Fetch = (address, init) => {
    sent.push(init.credentials);
    return fetch(address, { ...init, headers: { ...init.headers, cookie, origin: url } });
  };
  let cookie = headers['cookie']!;
  let ended = 0;
  const office = createAdminClient({
    baseUrl: url,
    commerceId: shop.id,
    fetch: asBrowser,
    onSignedOut: () => void ended++,
  });
  assert.equal((await office.getStaffSession()).commerces[0]!.id, shop.id);
  assert.equal((await office.getProgram()).status, 'active');
  cookie = `session=${'A'.repeat(43)}`;
  const isRefused = (error: ApiError) => error.status === 401;
  await assert.rejects(office.getStaffSession(), isRefused);
  assert.equal(ended, 0);
  await assert.rejects(office.getProgram(), isRefused);
  await assert.rejects(office.exportMembers(), isRefused);
  assert.equal(ended, 2);
  assert.deepEqual(new Set(sent), new Set(['same-origin']));
});

test('a refused call is made again if the page says so: with a new time limit, and with the signal of its caller', async () => {
  const shop = await makeShop();
  let isFresh = false;
  const signals: AbortSignal[] = [];
  const office = createAdminClient({
    baseUrl: url,
    commerceId: shop.id,
    fetch: (_address, { signal }) => {
      signals.push(signal);
      return Promise.resolve(
        isFresh
          ? new Response('{"type":"result"}\n', { headers: { 'content-type': 'application/x-ndjson' } })
          : new Response('{"message":"no"}', {
              status: 403,
              headers: { 'x-error-code': 'fresh_code_needed' },
            }),
      );
    },
    onRefused: async ({ code }) => {
      // Longer than the call may take.
      await new Promise((resolve) => setTimeout(resolve, 60));
      return (isFresh = code === 'fresh_code_needed');
    },
  });
  const { signal } = new AbortController();
  const askWhatIf = async () => {
    for await (const line of office.whatIf({ program: { name: 'Harbour' } as Program }, { signal }))
      assert.ok(line);
  };
  const asks = [
    () => office.getProgram({ timeoutMs: 50 }),
    () => office.adjustPoints(7, { points: 1, reason: 'sorry' }, { timeoutMs: 50 }),
    () => office.exportMembers({}, { signal }),
    askWhatIf,
  ];
  for (const ask of asks) {
    isFresh = false;
    await ask();
    assert.equal(isFresh, true);
  }
  assert.equal(signals.length, 8);
  for (const sent of signals.slice(4)) assert.equal(sent, signal);
});

test('a till can be told at once that there is no network', async () => {
  let tries = 0;
  const office = createAdminClient({
    baseUrl: url,
    commerceId: 1,
    fetch: () => (tries++, Promise.reject(new TypeError('no network'))),
  });
  await assert.rejects(
    office.recordPurchase({ member_id: 1, amount: 5 }, { attempts: 1 }),
    (error) => error instanceof ConnectionError,
  );
  await assert.rejects(office.exportMembers(), (error) => error instanceof ConnectionError);
  assert.equal(tries, 2);
});
