/** Reads that wait at the same moment share their statements. Each must get its own answer all the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { expectTampering } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';

const { db } = await service();

interface Page {
  readonly results: readonly unknown[];
  readonly next_cursor: string | null;
  readonly previous_cursor: string | null;
}

test('clients and pages of lists that are asked for at once are answered as one by one', async () => {
  const shops = [await makeShop(), await makeShop(), await makeShop({ time_zone: 'Pacific/Kiritimati' })];
  const paths: [Shop, string][] = [];
  for (const [nth, shop] of shops.entries()) {
    const members: MadeMember[] = [];
    for (let i = 0; i < 9 - nth; i++) members.push(await shop.member());
    for (const [i, member] of members.entries()) if (i % 3 > 0) await shop.sell(member, 10 * i + nth);
    await holdOnManyDays(shop, members[1]!);
    await shop.leave(members[2]!);
    await shop.erase(members[3]!);
    for (const { code } of members) paths.push([shop, `/v1/clients/${code}`]);
    paths.push([shop, `/v1/clients/${members[0]!.code}`], [shop, '/v1/clients/100000001']);
    for (const page of ['limit=4', 'limit=4', 'limit=3&offset=2', 'offset=8', 'offset=100', ''])
      paths.push([shop, `/v1/clients/list?${page}`]);
  }
  // A code is a client of its own shop only.
  paths.push([shops[0]!, paths.at(-10)![1]]);

  const alone = [];
  for (const [shop, path] of paths) alone.push(await shop.get(path));
  const together = await Promise.all(paths.map(([shop, path]) => shop.get(path)));
  for (const [i, [, path]] of paths.entries()) {
    assert.equal(together[i]!.status, alone[i]!.status, path);
    assert.deepEqual(together[i]!.body, alone[i]!.body, path);
  }
  assert.deepEqual(new Set(alone.map(({ status }) => status)), new Set([200, 404]));
});

test('pages of histories that are asked for at once are answered as one by one', async () => {
  const paths: [Awaited<ReturnType<Shop['browser']>>, string][] = [];
  for (let nth = 0; nth < 2; nth++) {
    const shop = await makeShop({
      benefits: [benefit('coffee', { cost: 4 })],
      rewards: { welcome: { points: 15 } },
    });
    for (const count of [0, 3, 45]) {
      const member = await shop.member();
      for (let amount = 1; amount <= count; amount++) await shop.sell(member, amount);
      if (count > 0) await shop.voucher(member, 'coffee');
      await holdOnManyDays(shop, member);
      const browser = await shop.browser(member);
      for (const list of ['/v1/me/activity', '/v1/me/history']) {
        paths.push([browser, list]);
        const { next_cursor: older } = (await browser.get(list)).body as Page;
        if (older === null) continue;
        paths.push([browser, `${list}?cursor=${older}`]);
        const { previous_cursor: newer } = (await browser.get(`${list}?cursor=${older}`)).body as Page;
        paths.push([browser, `${list}?cursor=${newer}`]);
      }
    }
  }
  const alone = [];
  for (const [browser, path] of paths) alone.push(await browser.get(path));
  const together = await Promise.all(paths.map(([browser, path]) => browser.get(path)));
  for (const [i, [, path]] of paths.entries()) {
    assert.equal(together[i]!.status, 200);
    assert.deepEqual(together[i]!.body, alone[i]!.body, path);
  }
});

/** Points of past days, of yesterday, of today and of the days to come, which no movement has brought. */
async function holdOnManyDays(shop: Shop, { memberId }: MadeMember): Promise<void> {
  expectTampering(shop.id);
  await sql`
    insert into balances (commerce_id, member_id, expires_on, moving, points)
    select ${shop.id}, ${memberId}, current_date + day, false, 7
      from generate_series(-4, 4) as day`.execute(db);
}
