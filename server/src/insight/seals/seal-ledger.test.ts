import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { adjustPoints } from '#corrections/adjust-points.ts';
import { sql, transaction, type Database, type Tx } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { expectTampering, testDatabase } from '#test/database.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { OF_SEALS } from '#test/tampering.ts';
import type { Head } from './head.ts';
import { joinSealedNotes, leafHash } from './leaf.ts';
import { createTree } from './merkle-tree.ts';
import { readSeal } from './read-seal.ts';
import { findUnsealed, sealLedger } from './seal-ledger.ts';

let db: Database;
before(async () => {
  db = await testDatabase();
});

test('the job waits for a purchase that is not committed yet, and seals both in the order of their ids', async () => {
  const shop = await makeShop();
  const [slow, quick] = [await shop.member(), await shop.member()];
  const isWritten = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const purchase = transaction(db, async (tx) => {
    await recordPurchases(tx, [{ commerceId: shop.id, buyer: { code: slow.code }, amount: 7, ...NOWHERE }]);
    isWritten.resolve();
    await mayCommit.promise;
  });
  await isWritten.promise;
  await shop.sell(quick, 5);

  let isDone = false;
  const sealing = sealLedger(db, shop.id).finally(() => (isDone = true));
  await sleep(300);
  assert.equal(isDone, false, 'the later purchase has a higher id, but the earlier one may still come');
  mayCommit.resolve();
  await purchase;
  assert.equal(await sealing, 2);
  assert.ok(!(await findUnsealed(db)).includes(shop.id));
  await assertSealed(shop, 2);
});

test('a job that breaks off, then two at once while people buy: each movement is in the tree once', async () => {
  const shop = await makeShop();
  const members = await Promise.all(Array.from({ length: 4 }, () => shop.member()));
  await sellMany(shop, members[0]!, 250);
  for (let round = 1; round <= 3; round++) {
    await breakOff(shop);
    const buying = Promise.all(members.map((member) => sellMany(shop, member, 4)));
    await Promise.all([sealLedger(db, shop.id, { batch: 60 }), sealLedger(db, shop.id, { batch: 7 })]);
    await buying;
  }
  await sealLedger(db, shop.id);
  await assertSealed(shop, 250 + 3 * 4 * 4);
});

test('of all published heads, those of other shops are left out, and one whose log is gone is a difference', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  for (const one of [shop, other]) {
    await one.sell(await one.member(), 5);
    await sealLedger(db, one.id);
  }
  const heads: Head[] = [(await readSeal(db, shop.id))!, (await readSeal(db, other.id))!];
  const verify = (more: readonly Head[]) =>
    verifyLedger(db, { commerceIds: [shop.id], heads: [...heads, ...more] });
  assert.deepEqual((await verify([])).differences, []);
  const { differences } = await verify([{ ...heads[1]!, origin: 'loyalty/gone/1111' }]);
  assert.deepEqual(
    differences.map(({ says }) => says),
    ['no commerce has the log loyalty/gone/1111'],
  );
});

test('a note is sealed by its digest, and erasing the person leaves the seal right and the note unknown', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await adjust(shop, member, 'She called about the lost receipt');
  await adjust(shop, member, 'A second note');
  await sealLedger(db, shop.id);
  await assertSealed(shop, 2);

  const head = await headOf(shop);
  await shop.erase(member);
  assert.deepEqual(await check(shop, [head]), { sealed: 2, unsealed: 1, findings: [] });
  const { rows } = await sql<{ left: number }>`
    select (select count(*) from movement_notes where commerce_id = ${shop.id}) as left`.execute(db);
  assert.equal(rows[0]!.left, 0, 'the salts are gone with the notes');
  await sealLedger(db, shop.id);
  await assertSealed(shop, 3, [head]);
});

const tamperings: [
  what: string,
  change: (shop: Shop, id: number) => ReturnType<typeof sql>,
  says: (id: number) => RegExp,
][] = [
  [
    'a note of staff is changed',
    (shop) => sql`update movement_notes set note = 'Another reason' where commerce_id = ${shop.id}`,
    () => /note was changed/,
  ],
  [
    'a note of staff is removed',
    (shop) => sql`delete from movement_notes where commerce_id = ${shop.id}`,
    () => /note is gone, but the person is not erased/,
  ],
  [
    'the register of a movement is changed',
    (shop, id) => sql`update movements set register_id = 9 where commerce_id = ${shop.id} and id = ${id}`,
    (id) => new RegExp(`^${id}: the movement was changed`),
  ],
  [
    'a movement is removed',
    (shop, id) => sql`delete from movements where commerce_id = ${shop.id} and id = ${id}`,
    (id) => new RegExp(`a sealed movement with an id between ${id - 1} and ${id + 1} is gone`),
  ],
  [
    'a movement is added',
    (shop, id) => sql`
      insert into movements (commerce_id, id, member_id, type, at, points, purchases)
      select commerce_id, (select min(id) from movements where commerce_id = ${shop.id}) - 1, member_id, type, at, 0, 1
        from movements where commerce_id = ${shop.id} and id = ${id}`,
    () => /the movement was added among movements that were sealed/,
  ],
  [
    'a tile is changed',
    (shop) =>
      sql`update seal_tiles set hashes = sha256(hashes) where commerce_id = ${shop.id} and level = 0 and index = 0`,
    () => /not the root of the tree/,
  ],
  [
    'an upper tile is removed',
    (shop) => sql`delete from seal_tiles where commerce_id = ${shop.id} and level = 1`,
    () => /upper tiles/,
  ],
  [
    'an old seal is changed',
    (shop) => sql`
      update seals set root = sha256(root)
       where (commerce_id, size) in (select commerce_id, min(size) from seals where commerce_id = ${shop.id} group by 1)`,
    () => /the seal over \d+ movements is not the root/,
  ],
  [
    'the newest seal is removed',
    (shop) => sql`
      delete from seals
       where (commerce_id, size) in (select commerce_id, max(size) from seals where commerce_id = ${shop.id} group by 1)`,
    () => /were sealed, but the tree has/,
  ],
  [
    'the sums of a member are changed',
    (shop) => sql`update seal_members set points = points + 1 where commerce_id = ${shop.id}`,
    () => /points are there/,
  ],
];
for (const [what, change, says] of tamperings) {
  test(`it is found and said where ${what}`, async () => {
    const { shop, id } = await sealedShop();
    await tamper(shop, (tx) => change(shop, id).execute(tx));
    const { findings } = await check(shop);
    const said = findings.map((finding) => `${finding.movement}: ${finding.says}`);
    assert.ok(
      said.some((one) => says(id).test(one)),
      said.join('\n'),
    );
  });
}

test('a change is found and named too where several threads compare the books', async () => {
  const { shop, id } = await sealedShop();
  const verify = () => verifyLedger(db, { commerceIds: [shop.id], parallel: 2, partSize: 1 });
  assert.deepEqual((await verify()).differences, []);
  await tamper(shop, (tx) =>
    sql`update movements set register_id = 9 where commerce_id = ${shop.id} and id = ${id}`.execute(tx),
  );
  const { differences } = await verify();
  assert.deepEqual(
    differences.map(({ movement, says }) => [movement, says]),
    [[id, 'the movement was changed since it was sealed']],
  );
});

test('a movement that disappears with its effect on all sums and with its seals is found by a head that somebody kept', async () => {
  const { shop, id } = await sealedShop();
  const head = await headOf(shop);
  await tamper(shop, async (tx) => {
    await sql`delete from movements where commerce_id = ${shop.id} and id = ${id}`.execute(tx);
    for (const table of ['seal_notes', 'seal_members', 'seal_tiles', 'seals'])
      await sql`delete from ${sql.id(table)} where commerce_id = ${shop.id}`.execute(tx);
    await sql`update seal_logs set size = 0, through_id = 0 where commerce_id = ${shop.id}`.execute(tx);
  });
  await sealLedger(db, shop.id);
  assert.deepEqual((await check(shop)).findings, [], 'nothing in the database tells');
  const shorter = (await check(shop, [head])).findings;
  assert.match(shorter.map(({ says }) => says).join('\n'), /covers 262 movements, but only 261 are sealed/);
  await sellMany(shop, await shop.member(), 3);
  await sealLedger(db, shop.id);
  const other = (await check(shop, [head])).findings;
  assert.match(other.map(({ says }) => says).join('\n'), /history was rewritten, and the seals with it/);
});

test('what is younger than the last seal is counted', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await sellMany(shop, member, 2);
  assert.deepEqual(await check(shop), { sealed: 0, unsealed: 2, findings: [] });
  await sealLedger(db, shop.id);
  await shop.sell(member, 1);
  assert.deepEqual(await check(shop), { sealed: 2, unsealed: 1, findings: [] });
});

/** A shop with 262 sealed movements, the first with a note, and the id of one in the middle. */
async function sealedShop(): Promise<{ shop: Shop; id: number }> {
  const shop = await makeShop();
  const member = await shop.member();
  await adjust(shop, member, 'A note');
  await sellMany(shop, member, 61);
  await sealLedger(db, shop.id);
  await sellMany(shop, member, 200);
  await sealLedger(db, shop.id);
  await assertSealed(shop, 262);
  const { rows } = await sql<{ id: number }>`
    select id from movements where commerce_id = ${shop.id} order by id offset 100 limit 1`.execute(db);
  return { shop, id: rows[0]!.id };
}

async function assertSealed(shop: Shop, size: number, heads: readonly Head[] = []): Promise<void> {
  assert.deepEqual(await check(shop, heads), { sealed: size, unsealed: 0, findings: [] });
  const { rows } = await sql<{ hash: Buffer }>`
    select ${leafHash} as hash from movements m ${joinSealedNotes} where m.commerce_id = ${shop.id} order by m.id`.execute(
    db,
  );
  const tree = createTree();
  tree.append(Buffer.concat(rows.map(({ hash }) => hash)));
  assert.equal(tree.size, size);
  assert.deepEqual((await readSeal(db, shop.id))!.root, tree.root());
}

/** Returns the findings of the seals, without the other checks of the books. */
async function check(shop: Shop, heads: readonly Head[] = []) {
  const verified = await verifyLedger(db, { commerceIds: [shop.id], heads });
  const findings = verified.differences.filter(({ invariant }) => OF_SEALS.test(invariant));
  return { sealed: verified.movements - verified.unsealed, unsealed: verified.unsealed, findings };
}

async function headOf(shop: Shop): Promise<Head> {
  return (await readSeal(db, shop.id))!;
}

async function sellMany(shop: Shop, { code }: MadeMember, count: number): Promise<void> {
  const purchase = { commerceId: shop.id, buyer: { code }, amount: 10, ...NOWHERE };
  await transaction(db, (tx) =>
    recordPurchases(
      tx,
      Array.from({ length: count }, () => purchase),
    ),
  );
}

async function adjust(shop: Shop, { memberId }: MadeMember, reason: string): Promise<void> {
  const request = { key: reason, path: {}, body: {} };
  await transaction(db, (tx) =>
    adjustPoints(tx, { commerceId: shop.id, memberId, points: 40, reason, request }),
  );
}

/** A run that ends in the middle of its second batch. */
async function breakOff(shop: Shop): Promise<void> {
  const stopping = new AbortController();
  stopping.abort();
  await sealLedger(db, shop.id, { batch: 100, signal: stopping.signal });
}

/** Makes changes as a superuser can. */
async function tamper(shop: Shop, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  expectTampering(shop.id);
  await transaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await work(tx);
  });
}
