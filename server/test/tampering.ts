import assert from 'node:assert/strict';
import { adjustPoints } from '#corrections/adjust-points.ts';
import { sql, transaction, type Database, type Sql, type Tx } from '#db/database.ts';
import { verifyLedger, type Difference } from '#books/verify-ledger.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { readSeal, type Seal } from '#seals/read-seal.ts';
import { sealLedger } from '#seals/seal-ledger.ts';
import { expectTampering } from './database.ts';
import { createRandom, type Random } from '#test/create-random.ts';
import { earlier } from '#test/earlier.ts';
import { makeShop, type MadeMember, type Shop } from './make.ts';
import { SEED } from './random.ts';

/** How thorough whoever tampers is: leaves the sums, repairs them, or makes the seals anew as well. */
const CARE = ['no sums', 'all sums', 'all sums and seals'] as const;
const ACTS = ['change', 'remove', 'add', 'swap'] as const;

/**
 * Tampers with sealed movements at random, as a superuser who knows the schema can, and asserts that each time it is found against
 * the last published head, and without it wherever the seals were not made anew. With `unsealed`, the movements are younger than
 * the last seal and the sums are left as they were. Prints the seed.
 */
export async function tamperAtRandom(
  db: Database,
  { times, unsealed = false, seed = SEED }: Options,
): Promise<void> {
  console.log(`TEST_SEED=${seed}`);
  const random = createRandom(seed);
  const shop = await makeTradedShop(db);
  const head = (await readSeal(db, shop.id))!;
  if (unsealed) await trade(db, shop, 40);
  await save(db, shop);
  for (let nth = 0; nth < times; nth++) {
    const act = ACTS[random.below(ACTS.length)]!;
    const care = unsealed ? 'no sums' : CARE[random.below(CARE.length)]!;
    const done = `${act} with ${care}, number ${nth} of seed ${seed}`;
    await asSuperuser(db, async (tx) => {
      await tamper(tx, shop, head, { act, unsealed, random, changesSums: care === 'no sums' });
      if (care !== 'no sums') await repairSums(tx, shop);
      if (care === 'all sums and seals') await forgetSeals(tx, shop);
    });
    if (care === 'all sums and seals') await sealLedger(db, shop.id);
    if (unsealed) {
      const { differences } = await verifyLedger(db, { commerceIds: [shop.id] });
      assert.notDeepEqual(differences, [], `not found: ${done}`);
    } else {
      assert.notDeepEqual(await findBySeals(db, shop, [head]), [], `not found against the head: ${done}`);
      if (care !== 'all sums and seals')
        assert.notDeepEqual(await findBySeals(db, shop, []), [], `not found without a head: ${done}`);
    }
    await restore(db, shop);
  }
  const { differences } = await verifyLedger(db, { commerceIds: [shop.id], heads: [head] });
  assert.deepEqual(differences, [], 'what was restored agrees');
}

interface Options {
  readonly times: number;
  readonly unsealed?: boolean;
  readonly seed?: number;
}

/** Returns what the seals find, without the other checks of the books. */
async function findBySeals(db: Database, shop: Shop, heads: Seal[]): Promise<Difference[]> {
  const { differences } = await verifyLedger(db, { commerceIds: [shop.id], heads });
  return differences.filter(({ invariant }) => OF_SEALS.test(invariant));
}

/** The invariants that the seals are about. */
export const OF_SEALS = /seal|published head/;

async function makeTradedShop(db: Database): Promise<Shop> {
  const shop = await makeShop();
  expectTampering(shop.id);
  await trade(db, shop, 300);
  await sealLedger(db, shop.id);
  await trade(db, shop, 120);
  await sealLedger(db, shop.id);
  return shop;
}

/** Some members and their movements, one of them with a note. */
async function trade(db: Database, shop: Shop, purchases: number): Promise<void> {
  const members: MadeMember[] = [await shop.member(), await shop.member(), await shop.member()];
  await transaction(db, (tx) =>
    recordPurchases(
      tx,
      Array.from({ length: purchases }, (_, i) => ({
        commerceId: shop.id,
        buyer: { code: members[i % members.length]!.code },
        amount: 10 + (i % 7),
        ...NOWHERE,
      })),
    ),
  );
  const request = { key: `note-${members[0]!.code}`, path: {}, body: {} };
  const { memberId } = members[0]!;
  await transaction(db, (tx) =>
    adjustPoints(tx, { commerceId: shop.id, memberId, points: 40, reason: 'She called', request }),
  );
}

/** Changes that show in no sum. */
const QUIET = [
  sql`register_id = coalesce(register_id, 0) + 1`,
  sql`at = ${earlier('at', '1 day')}`,
  sql`recorded_at = ${earlier('recorded_at', '-1 millisecond')}`,
  sql`note = 'x'`,
  sql`snapshot = coalesce(snapshot, '{}') || '{"rule": 77}'`,
  sql`event = 'welcome'`,
];
/** Changes that show in a sum. */
const LOUD = [
  sql`points = points + 5, points_earned = points_earned + 5, split = '[["infinity", false, 15]]'`,
  sql`points = points + 1`,
  sql`points_earned = points_earned + 3`,
  sql`amount = coalesce(amount, 0) + 100`,
  sql`purchases = purchases + 1`,
];

async function tamper(
  tx: Tx,
  { id: commerceId }: Shop,
  { throughId }: Seal,
  {
    act,
    unsealed,
    random,
    changesSums,
  }: { act: (typeof ACTS)[number]; unsealed: boolean; random: Random; changesSums: boolean },
): Promise<void> {
  const where = unsealed ? sql`id > ${throughId}` : sql`id <= ${throughId}`;
  const { rows } = await sql<{ id: number; memberId: number; points: number }>`
    select id, member_id as "memberId", points from movements where commerce_id = ${commerceId} and ${where} order by id`.execute(
    tx,
  );
  const one = rows[random.below(rows.length)]!;
  const at = (id: number) => sql`commerce_id = ${commerceId} and id = ${id}`;
  if (act === 'remove') {
    await sql`delete from movement_notes where commerce_id = ${commerceId} and movement_id = ${one.id}`.execute(
      tx,
    );
    await sql`delete from movements where ${at(one.id)}`.execute(tx);
  } else if (act === 'add') {
    // Below the first, or above the last that is sealed.
    const place: Sql = unsealed
      ? sql`nextval(pg_get_serial_sequence('movements', 'id'))`
      : sql`(select min(id) from movements where commerce_id = ${commerceId}) - 1`;
    await sql`
      insert into movements (commerce_id, id, member_id, type, at, points, points_earned, amount, purchases, split, snapshot)
      select commerce_id, ${place}, member_id, type, at, points, points_earned, amount, purchases, split, snapshot
        from movements where ${at(one.id)}`.execute(tx);
  } else if (act === 'swap') {
    // Two movements of two members change places.
    const others = rows.filter(({ memberId, points }) => memberId !== one.memberId && points !== one.points);
    const other = others[random.below(others.length)]!;
    await sql`
      update movements m set member_id = o.member_id
        from movements o
       where m.commerce_id = ${commerceId} and o.commerce_id = ${commerceId}
         and (m.id, o.id) in ((${one.id}, ${other.id}), (${other.id}, ${one.id}))`.execute(tx);
  } else {
    const changes = changesSums && unsealed ? LOUD : [...QUIET, ...LOUD];
    await sql`update movements set ${changes[random.below(changes.length)]!} where ${at(one.id)}`.execute(tx);
  }
}

/** Makes everything that follows from the movements follow from them again, and the sums in the seals too. */
async function repairSums(tx: Tx, { id }: Shop): Promise<void> {
  await sql`
    update members m
       set points_earned = s.points_earned, amount_spent = s.amount, purchases = s.purchases
      from (select e.id, coalesce(sum(v.points_earned), 0) as points_earned, coalesce(sum(v.amount), 0) as amount,
                   coalesce(sum(v.purchases), 0) as purchases
              from members e
              left join movements v on v.commerce_id = e.commerce_id and v.member_id = e.id
             where e.commerce_id = ${id}
             group by e.id) s
     where m.commerce_id = ${id} and m.id = s.id`.execute(tx);
  await sql`delete from balances where commerce_id = ${id}`.execute(tx);
  await sql`
    insert into balances (commerce_id, member_id, expires_on, moving, points)
    select ${id}::bigint, member_id, (l ->> 0)::date, (l ->> 1)::boolean, sum((l ->> 2)::bigint)
      from movements cross join lateral jsonb_array_elements(split) as l
     where commerce_id = ${id}
     group by 1, 2, 3, 4
    having sum((l ->> 2)::bigint) <> 0`.execute(tx);
  await sql`delete from seal_members where commerce_id = ${id}`.execute(tx);
  await sql`
    insert into seal_members
    select ${id}::bigint, member_id, count(*), sum(points), sum(points_earned), coalesce(sum(amount), 0), sum(purchases)
      from movements
     where commerce_id = ${id} and movements.id <= (select through_id from seal_logs where commerce_id = ${id})
     group by member_id`.execute(tx);
  await sql`
    update seals n
       set points = s.points, points_earned = s.points_earned, amount = s.amount, purchases = s.purchases
      from (select sum(points) as points, sum(points_earned) as points_earned, sum(amount) as amount, sum(purchases) as purchases
              from seal_members where commerce_id = ${id}) s
     where n.commerce_id = ${id} and n.size = (select size from seal_logs where commerce_id = ${id})`.execute(
    tx,
  );
}

async function forgetSeals(tx: Tx, { id }: Shop): Promise<void> {
  for (const table of ['seal_notes', 'seal_members', 'seal_tiles', 'seals'])
    await sql`delete from ${sql.id(table)} where commerce_id = ${id}`.execute(tx);
  await sql`update seal_logs set size = 0, through_id = 0 where commerce_id = ${id}`.execute(tx);
}

const KEPT = [
  'members',
  'balances',
  'movements',
  'movement_notes',
  'seal_logs',
  'seals',
  'seal_tiles',
  'seal_members',
  'seal_notes',
];

async function save(db: Database, { id }: Shop): Promise<void> {
  for (const table of KEPT)
    await sql`create table ${sql.id(`kept_${table}_${id}`)} as select * from ${sql.id(table)} where commerce_id = ${sql.lit(id)}`.execute(
      db,
    );
}

async function restore(db: Database, { id }: Shop): Promise<void> {
  await asSuperuser(db, async (tx) => {
    for (const table of KEPT) {
      await sql`delete from ${sql.id(table)} where commerce_id = ${id}`.execute(tx);
      await sql`insert into ${sql.id(table)} select * from ${sql.id(`kept_${table}_${id}`)}`.execute(tx);
    }
  });
}

/** Without triggers and foreign keys. */
async function asSuperuser(db: Database, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  await transaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await work(tx);
  });
}
