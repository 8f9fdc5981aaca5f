import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, transaction, type Tx } from '#db/database.ts';
import { runJob } from './run-jobs.ts';
import { expectTampering } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { followChecks } from './follow-checks.ts';
import {
  extendLedgerCheck,
  findUnchecked,
  findUncheckedWhole,
  storeLedgerChecks,
} from '#books/ledger-checks.ts';
import { verifyLedger, verifyPeople } from '#books/verify-ledger.ts';

const { db } = await service();

test('the job compares the whole books first, and then the people to whom something has happened', async () => {
  const shop = await makeShop();
  const [ana, eva] = [await shop.member(), await shop.member()];
  await shop.sell(ana, 100);
  assert.ok((await findUnchecked(db)).includes(shop.id));
  assert.deepEqual(await followChecks(db, shop.id), { people: 2, differences: 0 });
  assert.ok(!(await findUnchecked(db)).includes(shop.id));

  await shop.sell(eva, 20);
  await shop.sell(eva, 30);
  assert.ok((await findUnchecked(db)).includes(shop.id));
  assert.deepEqual(await followChecks(db, shop.id, { batch: 1 }), { people: 2, differences: 0 });
  assert.ok(!(await findUnchecked(db)).includes(shop.id));
});

test('what was altered is found when something happens to the person, or when the whole books are due', async () => {
  const shop = await makeShop();
  const [ana, eva] = [await shop.member(), await shop.member()];
  await shop.sell(ana, 100);
  await shop.sell(eva, 100);
  await runJob(db, 'verify', shop.id);
  await tamper(shop, (tx) =>
    sql`update movements set amount = 101 where commerce_id = ${shop.id} and type = 'purchase'`.execute(tx),
  );
  await shop.sell(ana, 10);
  await runJob(db, 'verify', shop.id);
  const ofAna = (await readCheck(shop)).differences;
  assert.ok(ofAna > 0);

  await sql`update ledger_checks set whole_at = now() - interval '25 hours' where commerce_id = ${shop.id}`.execute(
    db,
  );
  await runJob(db, 'verify', shop.id);
  const { differences } = await verifyLedger(db, { commerceIds: [shop.id] });
  assert.deepEqual(new Set(differences.map(({ member }) => member)), new Set([ana.code, eva.code]));
  assert.equal((await readCheck(shop)).differences, differences.length);
});

test('a round compares the whole books of small commerces together, and stores what it finds at each', async () => {
  const shops = [await makeShop(), await makeShop(), await makeShop()];
  for (const shop of shops) await shop.sell(await shop.member(), 100);
  const [first, altered, last] = shops as [Shop, Shop, Shop];
  await tamper(altered, (tx) =>
    sql`update members set points_earned = points_earned + 1 where commerce_id = ${altered.id}`.execute(tx),
  );
  const { failures, done = [] } = await runJob(db, 'verify');
  assert.deepEqual(failures, []);
  const ids = shops.map(({ id }) => id);
  assert.deepEqual(
    done.filter(({ commerceId }) => ids.includes(commerceId)),
    [],
    'none of them was left for a turn of its own',
  );
  assert.deepEqual(
    (await findUncheckedWhole(db)).filter((id) => ids.includes(id)),
    [],
  );
  for (const shop of [first, last]) assert.equal((await readCheck(shop)).differences, 0);
  const { differences } = await verifyLedger(db, { commerceIds: [altered.id] });
  assert.equal((await readCheck(altered)).differences, differences.length);
  assert.ok(differences.length > 0);
});

test('a commerce that cannot be compared keeps no other from it, and is named', async () => {
  const shops = [await makeShop(), await makeShop()];
  for (const shop of shops) await shop.sell(await shop.member(), 100);
  const [sound, broken] = shops as [Shop, Shop];
  const setZone = (zone: string) =>
    sql`update commerces set time_zone = ${zone} where id = ${broken.id}`.execute(db);
  const {
    rows: [before],
  } = await sql<{ zone: string }>`select time_zone as zone from commerces where id = ${broken.id}`.execute(
    db,
  );
  await setZone('Nowhere/Land');
  const { failures } = await runJob(db, 'verify');
  await setZone(before!.zone);
  assert.deepEqual(
    failures.map(({ commerceId }) => commerceId),
    [broken.id],
  );
  assert.equal((await readCheck(sound)).differences, 0);
  await runJob(db, 'verify');
  assert.equal((await readCheck(broken)).differences, 0);
});

test('a purchase that is not committed yet is compared once it is', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await shop.sell(member, 10);
  await runJob(db, 'verify', shop.id);
  const before = (await readCheck(shop)).lastMovement;
  const commit = await beginMovement(shop, 'usage', 0);
  // Its id is higher, so the check has to wait for the one before.
  await shop.sell(await shop.member(), 10);
  const following = followChecks(db, shop.id);
  await commit();
  assert.equal((await following)?.people, 2);
  assert.ok((await readCheck(shop)).lastMovement > before);
});

test('a purchase that is committed during the first check of the whole books is compared', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await shop.sell(member, 10);
  // It has one point more than its days.
  const commit = await beginMovement(shop, 'adjustment', 1);
  await shop.sell(await shop.member(), 10);
  const following = followChecks(db, shop.id);
  await sleep(300);
  await commit();
  await following;
  await followChecks(db, shop.id);
  assert.ok((await readCheck(shop)).differences > 0);
});

test('what the job has found about later movements stays when an older check ends', async () => {
  const shop = await makeShop();
  const store = (lastMovement: number | null, differences: number) =>
    storeLedgerChecks(db, [{ commerceId: shop.id, lastMovement, differences }]);
  await store(10, 0);
  await extendLedgerCheck(db, { commerceId: shop.id, lastMovement: 30, differences: 2 });
  await store(20, 1);
  assert.deepEqual(await readCheck(shop), { lastMovement: 30, differences: 2 });
  await store(null, 3);
  assert.deepEqual(await readCheck(shop), { lastMovement: 30, differences: 3 });
  await store(30, 0);
  assert.deepEqual(await readCheck(shop), { lastMovement: 30, differences: 0 });
});

// Each has two movements: two people together, and each alone in a process of its own.
for (const mostRead of [4, 1]) {
  test(`people with long histories are read ${mostRead} movements at a time`, async () => {
    const shop = await makeShop();
    const members = [await shop.member(), await shop.member(), await shop.member()];
    await runJob(db, 'verify', shop.id);
    for (const member of members) for (const amount of [10, 20]) await shop.sell(member, amount);
    await tamper(shop, (tx) =>
      sql`update movements set amount = 21 where commerce_id = ${shop.id} and amount = 20 and member_id = ${members[2]!.memberId}`.execute(
        tx,
      ),
    );
    const followed = await followChecks(db, shop.id, { mostRead });
    assert.equal(followed?.people, 3);
    assert.ok(followed.differences > 0, 'the last group is read, too');
  });
}

for (const more of [{}, { parallel: 2, partSize: 2 }]) {
  test(`a check that is stopped ends at once, ${'parallel' in more ? 'in processes' : 'in place'}`, async () => {
    const shops = [await makeShop(), await makeShop()];
    for (const shop of shops) for (const amount of [10, 20]) await shop.sell(await shop.member(), amount);
    await sql`analyze movements`.execute(db);
    const stopping = new AbortController();
    const verifying = verifyLedger(db, {
      commerceIds: shops.map(({ id }) => id),
      signal: stopping.signal,
      onMovements: () => stopping.abort(),
      ...more,
    });
    await assert.rejects(verifying, { name: 'AbortError' });
  });
}

test('a stopped check of a person with a very long history is no failure', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await shop.sell(member, 10);
  const stopping = new AbortController();
  const verifying = verifyPeople(db, shop.id, [member.memberId], {
    elsewhere: true,
    signal: stopping.signal,
  });
  stopping.abort();
  await assert.rejects(verifying, (error) => error === stopping.signal.reason);
});

test('a removed purchase is found by the balances told since, though all sums were repaired', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (const amount of [100, 20, 30]) await shop.sell(member, amount);
  await removeAndRepair(shop, member, 1);
  const { differences } = await verifyLedger(db, { commerceIds: [shop.id] });
  assert.deepEqual(
    differences.map(({ invariant, member }) => [invariant, member]),
    [['the balance that a shop was told was right', member.code]],
  );
});

test('parts that are read at the same time find what one finds', async () => {
  const shops = [await makeShop(), await makeShop(), await makeShop()];
  for (const shop of shops) for (const amount of [10, 20, 30]) await shop.sell(await shop.member(), amount);
  await tamper(shops[1]!, (tx) =>
    sql`update members set points_earned = points_earned + 1 where commerce_id = ${shops[1]!.id}`.execute(tx),
  );
  await sql`analyze movements`.execute(db);
  const commerceIds = shops.map(({ id }) => id);
  const inOne = await verifyLedger(db, { commerceIds });
  assert.equal(inOne.differences.length, 3);
  let told = 0;
  const inParts = await verifyLedger(db, {
    commerceIds,
    parallel: 2,
    partSize: 2,
    onMovements: (movements) => (told = movements),
  });
  assert.deepEqual(inParts, inOne);
  assert.equal(told, inOne.movements);
});

/** Removes one of a member's purchases and makes all figures right again. */
async function removeAndRepair(shop: Shop, { memberId }: MadeMember, place: number): Promise<void> {
  await tamper(shop, (tx) =>
    sql`
      with gone as (
        delete from movements
         where commerce_id = ${shop.id}
           and id = (select id from movements where commerce_id = ${shop.id} and member_id = ${memberId} order by id offset ${place} limit 1)
        returning points, points_earned, amount
      ), figures as (
        update members m set points_earned = m.points_earned - g.points_earned, amount_spent = m.amount_spent - g.amount, purchases = m.purchases - 1
          from gone g where m.commerce_id = ${shop.id} and m.id = ${memberId}
      )
      update balances b set points = b.points - g.points
        from gone g where b.commerce_id = ${shop.id} and b.member_id = ${memberId}`.execute(tx),
  );
}

async function tamper(shop: Shop, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  expectTampering(shop.id);
  await transaction(db, async (tx) => {
    await sql`alter table movements disable trigger movements_are_append_only`.execute(tx);
    await work(tx);
    await sql`alter table movements enable trigger movements_are_append_only`.execute(tx);
  });
}

async function readCheck(shop: Shop): Promise<{ lastMovement: number; differences: number }> {
  const { rows } = await sql<{ lastMovement: number; differences: number }>`
    select last_movement as "lastMovement", differences from ledger_checks where commerce_id = ${shop.id}`.execute(
    db,
  );
  return rows[0]!;
}

/** Stores a movement for somebody of the shop, which breaks the books. Returns what commits it. */
async function beginMovement(shop: Shop, type: string, points: number): Promise<() => Promise<void>> {
  expectTampering(shop.id);
  const open = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const writer = transaction(db, async (tx) => {
    await sql`
      insert into movements (commerce_id, member_id, type, at, points)
      select commerce_id, member_id, ${type}::text, now(), ${points}::bigint from movements
       where commerce_id = ${shop.id} limit 1`.execute(tx);
    begun.resolve();
    await open.promise;
  });
  await begun.promise;
  return async () => {
    open.resolve();
    await writer;
  };
}
