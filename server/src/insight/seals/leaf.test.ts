import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { sql, transaction, type Db, type Sql, type Tx } from '#db/database.ts';
import { testDatabase } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import { onOneServer } from '#test/on-cluster.ts';
import { joinSealedNotes, leafHash, leafText } from './leaf.ts';
import { readSeal } from './read-seal.ts';
import { createLeafWriter, type SealedColumns } from './write-leaf.ts';

test('a leaf is JSON with every column of a movement but its commerce, and its hash is that of RFC 6962', async () => {
  const { shop, movementId } = await shopWithPurchase();
  const { text, hash } = await readLeaf(await testDatabase(), shop.id, movementId);
  assert.equal(
    hash.toString('hex'),
    createHash('sha256')
      .update(Buffer.concat([Buffer.of(0), Buffer.from(text)]))
      .digest('hex'),
  );
  const [version, numbers, times, words, split, , digest] = JSON.parse(text);
  assert.equal(version, 'movement/1');
  assert.deepEqual(numbers.slice(0, 1), [movementId]);
  assert.deepEqual(numbers.slice(2, 6), [100, 100, 100, 1]);
  assert.ok(times.every((time: string) => /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(time)));
  assert.deepEqual(words, ['purchase', null, null]);
  assert.deepEqual(split, [['infinity', false, 100]]);
  assert.equal(digest, null);
});

test(
  'a change of any column of a movement changes its leaf',
  { skip: onOneServer('the leaf is made by the same statement, and only this test joins the catalog') },
  async () => {
    const { shop, movementId } = await shopWithPurchase();
    const db = await testDatabase();
    const { hash } = await readLeaf(db, shop.id, movementId);
    const { rows } = await sql<{ name: string; other: Buffer | null }>`
    select a.attname as name, changed.hash as other
      from pg_attribute a
      join movements o on o.commerce_id = ${shop.id} and o.id = ${movementId}
     cross join lateral (
           select ${leafHash} as hash
             from jsonb_populate_record(o, jsonb_build_object(a.attname,
                    case a.atttypid::regtype::text
                      when 'jsonb' then '["another"]' when 'text' then '"another"'
                      when 'timestamp with time zone' then '"2001-01-01T00:00:00.001Z"' else '7777' end::jsonb)) m
             ${joinSealedNotes}) changed
     where a.attrelid = 'movements'::regclass and a.attnum > 0 and not a.attisdropped`.execute(db);
    const same = rows.filter(({ other }) => other!.equals(hash)).map(({ name }) => name);
    assert.deepEqual(same, ['commerce_id']);
    assert.ok(rows.length > 15);
  },
);

test('text in a movement cannot pass for another column', async () => {
  const db = await testDatabase();
  const { rows } = await sql<{ text: string }>`
    select ${leafText} as text
      from jsonb_populate_record(null::movements, ${JSON.stringify({ type: 'x",null,"y', note: 'é"\\\n', split: [] })}) m
      ${joinSealedNotes}`.execute(db);
  assert.deepEqual(JSON.parse(rows[0]!.text)[3], ['x",null,"y', null, 'é"\\\n']);
});

test('checks write the same leaf as the statement that seals', async () => {
  const db = await testDatabase();
  const whole = {
    id: 1,
    member_id: 2,
    points: 3,
    points_earned: 4,
    amount: 5,
    purchases: 1,
    balance_after: 6,
    branch_id: 7,
    register_id: 8,
  };
  const movements = [
    {
      ...whole,
      type: 'purchase',
      at: '2026-11-27T10:11:12.340Z',
      recorded_at: '2026-11-27T10:11:13Z',
      split: [['infinity', false, 3]],
    },
    {
      ...whole,
      reverses_id: 9,
      voucher_code: 123_456_789_012,
      note: 'é"\\\n\u0001\u2028\u007f😀',
      snapshot: { tier: null, ü: 1.5e3 },
    },
    { ...whole, at: '1999-12-31T23:59:59.999Z', recorded_at: '1969-07-20T20:17:40.001Z', event: 'birthday' },
    {
      ...whole,
      points: -3,
      points_earned: '9223372036854775807',
      amount: '-9007199254740993',
      snapshot: null,
    },
    { ...whole, at: '2026-01-02T03:04:05.000006Z', recorded_at: '2200-12-31T23:59:59.9Z' },
  ].map((movement) => ({
    type: 'reward',
    at: '2027-01-01',
    recorded_at: '2027-01-01',
    split: [],
    ...movement,
  }));
  const writer = createLeafWriter();
  await transaction(db, async (tx) => {
    for (const movement of movements) {
      const row = sql`jsonb_populate_record(null::movements, ${sql.raw(`'${JSON.stringify(movement).replaceAll("'", "''")}'`)})`;
      const { rows } = await sql<{ text: string; hash: Buffer }>`
        select ${leafText} as text, ${leafHash} as hash from ${row} m ${joinSealedNotes}`.execute(tx);
      const columns = await copyMovement(tx, row);
      assert.equal(writer.write(columns), rows[0]!.text);
      assert.equal(writer.hash(columns), rows[0]!.hash.toString('latin1'));
    }
  });
});

/** Reads a movement as the checks of the books do. */
async function copyMovement(tx: Tx, row: Sql): Promise<SealedColumns> {
  const copied: SealedColumns[] = [];
  await tx.copyOut(
    sql`select id, member_id, points, points_earned, amount, purchases::bigint, balance_after, branch_id, register_id, reverses_id,
               voucher_code, at, recorded_at, type, event, note, split, snapshot from ${row}`,
    (read) =>
      copied.push({
        id: Number(read.integer()),
        memberId: Number(read.integer()),
        points: read.integer()!,
        pointsEarned: read.integer()!,
        amount: read.integer(),
        purchases: read.integer()!,
        balanceAfter: read.integer(),
        branchId: read.integer(),
        registerId: read.integer(),
        reversesId: read.integer(),
        voucherCode: read.integer(),
        atMicros: read.integer()!,
        recordedAtMicros: read.integer()!,
        type: read.text()!,
        event: read.text(),
        note: read.text(),
        splitJson: read.json()!,
        snapshotJson: read.json(),
        noteDigest: null,
      }),
  );
  return copied[0]!;
}

async function shopWithPurchase() {
  const shop = await makeShop();
  const member = await shop.member();
  await shop.sell(member, 100);
  const { rows } = await sql<{ id: number }>`select id from movements where commerce_id = ${shop.id}`.execute(
    await testDatabase(),
  );
  return { shop, movementId: rows[0]!.id };
}

async function readLeaf(db: Db, commerceId: number, movementId: number) {
  const { rows } = await sql<{ text: string; hash: Buffer }>`
    select ${leafText} as text, ${leafHash} as hash
      from movements m
      ${joinSealedNotes}
     where m.commerce_id = ${commerceId} and m.id = ${movementId}`.execute(db);
  return rows[0]!;
}

test('a commerce that was never sealed has no seal', async () => {
  const shop = await makeShop();
  assert.equal(await readSeal(await testDatabase(), shop.id), undefined);
});
