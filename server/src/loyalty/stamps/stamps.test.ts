/** Cards that purchases stamp, and the codes of full ones. Figures computed by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { sql, transaction, type Tx } from '#db/database.ts';
import { expectTampering } from '#test/database.ts';
import { runJob } from '#jobs/run-jobs.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { countingDatabase } from '#test/count-statements.ts';
import { assertBooksAgree } from '#test/books.ts';
import { createKey } from '#commerces/api-keys.ts';
import { earlier } from '#test/earlier.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { makeStaff } from '#test/staff.ts';
import { benefit, makeShop, stampCard, type ProgramFields } from '#test/make.ts';

const { db } = await service();

const COFFEE = stampCard('coffee', 'free-coffee', { title: 'Coffee card' });
const ROLLS = stampCard('rolls', 'free-coffee', { per: 'unit', need: 5, when: { products: ['roll'] } });

test('each purchase is a stamp, the third fills the card, and its code is free and takes no slot', async () => {
  const { shop, member, buy, cards, codes } = await make([COFFEE]);
  const told = [];
  for (let n = 0; n < 4; n++) told.push((await buy(5)).headers.get('x-stamps'));
  assert.deepEqual(told, [
    '"coffee";given=1;have=1;need=3',
    '"coffee";given=1;have=2;need=3',
    '"coffee";given=1;have=0;need=3;full=1',
    '"coffee";given=1;have=1;need=3',
  ]);
  assert.deepEqual(await cards(), [{ have: 1, need: 3, owes: 0 }]);
  const own = await shop.get(`/v1/clients/${member.code}/benefits`);
  assert.equal((own.body as unknown[]).length, 1);
  const { rows } =
    await sql`select sold from benefits where commerce_id = ${shop.id} and id = 'free-coffee'`.execute(db);
  assert.deepEqual(rows, [{ sold: 0 }]);
  assert.equal((await codes()).length, 1);
  await assertBooksAgree(db, shop.id);
});

test('units are stamps, one purchase fills three cards at most, and what is beyond is lost and said', async () => {
  const { shop, bought, cards, codes } = await make([ROLLS]);
  const one = await bought([
    { id: '1', product: 'roll', units: 12, amount: 24 },
    { id: '2', product: 'tea', units: 4, amount: 8 },
  ]);
  assert.equal(one.headers.get('x-stamps'), '"rolls";given=12;have=2;need=5;full=2');
  const other = await bought([{ id: '1', product: 'roll', units: 40, amount: 80 }]);
  assert.equal(other.headers.get('x-stamps'), '"rolls";given=13;have=0;need=5;full=3;lost=27');
  assert.deepEqual(await cards(), [{ have: 0, need: 5, owes: 0 }]);
  assert.equal((await codes()).length, 5);
  const none = await bought([{ id: '1', product: 'tea', units: 4, amount: 8 }]);
  assert.equal(none.headers.get('x-stamps'), null);
  await assertBooksAgree(db, shop.id);
});

test('a return takes stamps back, then the code that nobody has used', async () => {
  const { shop, buy, reverse, cards, codes } = await make([COFFEE]);
  const purchases = [];
  for (let n = 0; n < 4; n++) purchases.push(await buy(6));
  await reverse(purchases[3]!, 2);
  assert.deepEqual(await cards(), [{ have: 1, need: 3, owes: 0 }], 'a part of it is still a purchase');
  await reverse(purchases[3]!);
  assert.deepEqual(await cards(), [{ have: 0, need: 3, owes: 0 }]);
  assert.deepEqual(await codes(), ['usable']);
  await reverse(purchases[0]!);
  assert.deepEqual([await cards(), await codes()], [[{ have: 2, need: 3, owes: 0 }], ['void']]);
  await buy(6);
  assert.deepEqual([await cards(), await codes()], [[{ have: 0, need: 3, owes: 0 }], ['void', 'usable']]);
  await assertBooksAgree(db, shop.id);
});

test('a return after the code was used leaves the card in debt, which later purchases stamp off', async () => {
  const { shop, buy, reverse, cards, codes, redeem } = await make([COFFEE]);
  const purchases = [];
  for (let n = 0; n < 3; n++) purchases.push(await buy(6));
  await redeem();
  await reverse(purchases[0]!);
  await reverse(purchases[1]!);
  assert.deepEqual([await cards(), await codes()], [[{ have: 0, need: 3, owes: 2 }], ['used']]);
  const told = [];
  for (let n = 0; n < 5; n++) told.push((await buy(6)).headers.get('x-stamps'));
  assert.deepEqual(told, [
    '"coffee";given=1;have=-1;need=3',
    '"coffee";given=1;have=0;need=3',
    '"coffee";given=1;have=1;need=3',
    '"coffee";given=1;have=2;need=3',
    '"coffee";given=1;have=0;need=3;full=1',
  ]);
  await assertBooksAgree(db, shop.id);
});

test('a code whose use is undone while its card is in debt is void, and its stamps pay the debt', async () => {
  const { shop, buy, reverse, cards, codes, redeem } = await make([COFFEE], { codes: { undo_days: 30 } });
  const { key } = await createKey(db, shop.id, 'undo', { scopes: ['undo', 'redeem'] });
  const undo = async (externalId: string) => {
    const path = `/v1/benefits/redemptions/${externalId}/undo`;
    const answer = await call('POST', path, { headers: { authorization: `Bearer ${key}` }, body: {} });
    assert.equal(answer.status, 200, answer.text);
  };
  const purchases = [];
  for (let n = 0; n < 6; n++) purchases.push(await buy(6));
  await redeem('a');
  await undo('a');
  assert.deepEqual([await cards(), await codes()], [[{ have: 0, need: 3, owes: 0 }], ['usable', 'usable']]);
  await redeem('b');
  await redeem('c');
  await reverse(purchases[0]!);
  assert.deepEqual(await cards(), [{ have: 0, need: 3, owes: 1 }]);
  await undo('c');
  assert.deepEqual([await cards(), await codes()], [[{ have: 2, need: 3, owes: 0 }], ['used', 'void']]);
  await undo('b');
  assert.deepEqual([await cards(), await codes()], [[{ have: 2, need: 3, owes: 0 }], ['usable', 'void']]);
  await assertBooksAgree(db, shop.id);
});

test('a return by lines takes the units that came back, in pieces that add up to the whole', async () => {
  const { shop, bought, reverseLines, cards, codes } = await make([ROLLS]);
  const one = await bought([{ id: '1', product: 'roll', units: 12, amount: 24 }]);
  await reverseLines(one, [{ id: '1', units: 1, amount: 2 }]);
  assert.deepEqual([await cards(), await codes()], [[{ have: 1, need: 5, owes: 0 }], ['usable', 'usable']]);
  await reverseLines(one, [{ id: '1', units: 4, amount: 8 }]);
  assert.deepEqual([await cards(), await codes()], [[{ have: 2, need: 5, owes: 0 }], ['usable', 'void']]);
  await reverseLines(one, [{ id: '1', units: 7, amount: 14 }]);
  assert.deepEqual([await cards(), await codes()], [[{ have: 0, need: 5, owes: 0 }], ['void', 'void']]);
  await assertBooksAgree(db, shop.id);
});

test('a card that changes its number while somebody holds stamps keeps them', async () => {
  const { shop, buy, cards, codes, apply } = await make([{ ...COFFEE, need: 10 }]);
  for (let n = 0; n < 5; n++) await buy(5);
  await apply([{ ...COFFEE, need: 20 }]);
  assert.deepEqual(await cards(), [{ have: 5, need: 20, owes: 0 }]);
  await apply([{ ...COFFEE, need: 4 }]);
  assert.deepEqual([await cards(), await codes()], [[{ have: 5, need: 4, owes: 0 }], []]);
  const full = await buy(5);
  assert.equal(full.headers.get('x-stamps'), '"coffee";given=1;have=2;need=4;full=1');
  await apply([]);
  assert.deepEqual(await cards(), []);
  assert.equal((await buy(5)).headers.get('x-stamps'), null);
  await apply([COFFEE]);
  assert.deepEqual(await cards(), [{ have: 2, need: 3, owes: 0 }]);
  await assertBooksAgree(db, shop.id);
});

test('a paused card is stamped by nothing, keeps its stamps, gives them back to returns, and goes on', async () => {
  const { shop, buy, reverse, cards, codes, apply } = await make([COFFEE]);
  const [first] = [await buy(5), await buy(5)];
  await apply([{ ...COFFEE, paused: true }]);
  assert.equal((await buy(5)).headers.get('x-stamps'), null);
  assert.deepEqual(await cards(), [{ have: 2, need: 3, owes: 0 }]);
  await reverse(first);
  assert.deepEqual(await cards(), [{ have: 1, need: 3, owes: 0 }]);
  await apply([COFFEE]);
  await buy(5);
  assert.deepEqual([await cards(), await codes()], [[{ have: 2, need: 3, owes: 0 }], []]);
  await assertBooksAgree(db, shop.id);
});

test('a card ends so many months after its first stamp, and a return of an old stamp takes none of a new card', async () => {
  const { shop, buy, reverse, cards, at, apply } = await make([{ ...COFFEE, within_months: 1 }]);
  await at('2027-01-31T10:00:00Z');
  const old = await buy(5);
  const { rows } = await sql<{ endsOn: string }>`
    select ends_on as "endsOn" from stamp_cards where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows[0]!.endsOn, '2027-02-28');
  // What was promised with the first stamp stays.
  await apply([{ ...COFFEE, within_months: 2 }]);
  await at('2027-02-28T23:30:00Z');
  await buy(5);
  assert.deepEqual(await cards(), [{ have: 2, need: 3, owes: 0 }]);
  await at('2027-03-01T00:00:00Z');
  assert.deepEqual(await cards(), [{ have: 0, need: 3, owes: 0 }]);
  await buy(5);
  assert.deepEqual(await cards(), [{ have: 1, need: 3, owes: 0 }]);
  await reverse(old);
  assert.deepEqual(await cards(), [{ have: 1, need: 3, owes: 0 }]);
  await assertBooksAgree(db, shop.id);
});

test('a pause between stamps, a least amount and what is excluded keep a cashier from stamping twice', async () => {
  const card = { ...COFFEE, min_minutes_between: 60, when: { min_amount: 4 } };
  const { shop, buy, bought, reverse, cards, at } = await make([card], {
    earning: { money_per_point: 1, exclude: { categories: ['tobacco'] } },
  });
  await at('2027-03-01T10:00:00Z');
  const first = await buy(5);
  assert.equal((await buy(3)).headers.get('x-stamps'), null);
  await at('2027-03-01T10:59:00Z');
  assert.equal((await buy(5)).headers.get('x-stamps'), null);
  await at('2027-03-01T11:00:00Z');
  const tobacco = await bought([{ id: '1', categories: ['tobacco'], amount: 9 }]);
  assert.equal(tobacco.headers.get('x-stamps'), null);
  const second = await buy(5);
  assert.equal(second.headers.get('x-stamps'), '"coffee";given=1;have=2;need=3');
  await reverse(second);
  assert.equal((await buy(5)).headers.get('x-stamps'), '"coffee";given=1;have=2;need=3', 'it was a mistake');
  await reverse(first, 2);
  assert.deepEqual(await cards(), [{ have: 1, need: 3, owes: 0 }], 'less than the least amount is kept');
  await assertBooksAgree(db, shop.id);
});

test('with points that wait, the code comes when the purchases behind it have stopped waiting', async () => {
  const { shop, buy, codes, at, cards } = await make([COFFEE], {
    earning: { money_per_point: 1, pending: { days: 14 } },
  });
  await at('2027-03-01T10:00:00Z');
  for (let n = 0; n < 3; n++) await buy(5);
  assert.deepEqual([await cards(), await codes()], [[{ have: 0, need: 3, owes: 0 }], []]);
  await at('2027-03-16T00:00:00Z');
  await runJob(db, 'pending-points', shop.id);
  assert.deepEqual(await codes(), ['usable']);
  await runJob(db, 'pending-points', shop.id);
  assert.deepEqual(await codes(), ['usable']);
  await assertBooksAgree(db, shop.id);
});

test('a code that has not come yet is taken with the return of its stamps', async () => {
  const { shop, buy, reverse, codes, at, cards } = await make([COFFEE], {
    earning: { money_per_point: 1, pending: { days: 14 } },
  });
  await at('2027-03-01T10:00:00Z');
  const purchases = [];
  for (let n = 0; n < 3; n++) purchases.push(await buy(5));
  await reverse(purchases[1]!);
  await at('2027-03-16T00:00:00Z');
  await runJob(db, 'pending-points', shop.id);
  assert.deepEqual([await cards(), await codes()], [[{ have: 2, need: 3, owes: 0 }], []]);
  await assertBooksAgree(db, shop.id);
});

test('who is invited collects stamps, and gets the code on joining', async () => {
  const { shop } = await make([COFFEE]);
  const email = `stamps-${Math.random().toString(36).slice(2)}@example.com`;
  for (let n = 0; n < 3; n++) await shop.post('/v1/consumptions/email', { client_email: email, amount: 5 });
  const { rows: before } = await sql`select from vouchers where commerce_id = ${shop.id}`.execute(db);
  assert.equal(before.length, 0);
  await shop.member(email.split('@')[0]);
  const { rows } = await sql`select from vouchers where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 1);
  await assertBooksAgree(db, shop.id);
});

test('purchases and returns at once stamp one after the other', async () => {
  const { shop, buy, reverse, cards, codes } = await make([COFFEE]);
  const purchases = await Promise.all(Array.from({ length: 8 }, () => buy(5)));
  assert.deepEqual([await cards(), await codes()], [[{ have: 2, need: 3, owes: 0 }], ['usable', 'usable']]);
  await Promise.all([
    ...purchases.slice(0, 4).map((one) => reverse(one)),
    ...Array.from({ length: 3 }, () => buy(5)),
  ]);
  const usable = (await codes()).filter((state) => state === 'usable').length;
  const [card] = await cards();
  assert.equal(card!.have + 3 * usable, 7);
  await assertBooksAgree(db, shop.id);
});

test('a code that is redeemed while its stamps are taken back is used or void, never both', async () => {
  for (let n = 0; n < 8; n++) {
    const { shop, buy, reverse, cards, codes, unusedCode } = await make([COFFEE]);
    const purchases = [];
    for (let i = 0; i < 3; i++) purchases.push(await buy(5));
    const code = { client_benefit_code: await unusedCode() };
    await Promise.all([shop.post('/v1/benefits/redeem', code), reverse(purchases[0]!)]);
    const [state] = await codes();
    const [card] = await cards();
    assert.deepEqual(
      state === 'used' ? [card!.have, card!.owes] : [state, card!.have, card!.owes],
      state === 'used' ? [0, 1] : ['void', 2, 0],
    );
    await assertBooksAgree(db, shop.id);
  }
});

test('the preview and the till say what a purchase would stamp, and nothing is stored', async () => {
  const { shop, member, buy, cards } = await make([COFFEE]);
  await buy(5);
  const { body } = await shop.post('/v1/consumptions/preview', { client_code: member.code, amount: 5 });
  assert.deepEqual((body as { stamps: unknown }).stamps, [
    { id: 'coffee', title: 'Coffee card', have: 2, need: 3, given: 1, full: 0, lost: 0 },
  ]);
  const till = await makeStaff(shop, 'cashier');
  const found = (await till.post('find', { text: String(member.code) })).body as {
    members: { member_id: number }[];
  };
  const id = found.members[0]!.member_id;
  const stampsOf = (answer: Answer) => (answer.body as { stamps: unknown }).stamps;
  const seen = await till.get(`till/members/${id}`);
  assert.deepEqual(stampsOf(seen), [
    { id: 'coffee', title: 'Coffee card', have: 1, need: 3, gives: 'free-coffee' },
  ]);
  const previewed = await till.post('till/preview', { member_id: id, amount: 5 });
  assert.deepEqual(stampsOf(previewed), (body as { stamps: unknown }).stamps);
  assert.deepEqual(await cards(), [{ have: 1, need: 3, owes: 0 }]);
});

test('an erased person has no cards, and a return of their purchase changes none', async () => {
  const { shop, member, buy, reverse } = await make([COFFEE]);
  const purchases = [];
  for (let n = 0; n < 4; n++) purchases.push(await buy(5));
  await shop.erase(member);
  for (const table of ['stamp_cards', 'full_cards']) {
    const { rows } = await sql`select from ${sql.raw(table)} where commerce_id = ${shop.id}`.execute(db);
    assert.equal(rows.length, 0, table);
  }
  await reverse(purchases[0]!);
  await assertBooksAgree(db, shop.id);
});

test('a purchase that stamps takes three statements more, and one that fills a card six besides', async () => {
  const { db: counted, count } = await countingDatabase();
  const namesOf = async (stamps: readonly ProgramFields[], before: number) => {
    const { shop, member, buy } = await make(stamps);
    for (let n = 0; n < before; n++) await buy(5);
    const purchase = { commerceId: shop.id, buyer: { code: member.code }, amount: 5, ...NOWHERE };
    const { names } = await count(() => transaction(counted, (tx) => recordPurchases(tx, [purchase])));
    return names.filter((name) => name !== 'read-program');
  };
  const usual = await namesOf([], 0);
  const more = (names: readonly string[]) => names.filter((name) => !usual.includes(name));
  assert.deepEqual(more(await namesOf([COFFEE], 0)), ['read-open-cards', 'store-cards', 'store-happenings']);
  assert.deepEqual(more(await namesOf([COFFEE], 2)), [
    'read-open-cards',
    'store-cards',
    'store-full-cards',
    'store-happenings',
    'read-waiting-cards',
    'read-benefits',
    'issue-vouchers',
    'give-full-cards',
    'store-happenings',
  ]);
});

test('the books find stamps and full cards that nobody gave, took or filled', async () => {
  const { shop, buy, reverse, member } = await make([{ ...COFFEE, within_months: 6 }]);
  expectTampering(shop.id);
  const purchases = [];
  for (let n = 0; n < 8; n++) purchases.push(await buy(6));
  await reverse(purchases[0]!);
  await assertBooksAgree(db, shop.id);
  const card = (set: ReturnType<typeof sql>) =>
    sql`update stamp_cards set ${set} where commerce_id = ${shop.id} and member_id = ${member.memberId}`;
  const full = (set: ReturnType<typeof sql>) =>
    sql`update full_cards set ${set} where commerce_id = ${shop.id} and member_id = ${member.memberId} and ordinal = 1`;
  const code = (set: ReturnType<typeof sql>) => sql`
    update vouchers set ${set} where commerce_id = ${shop.id} and code =
      (select code from full_cards where commerce_id = ${shop.id} and ordinal = 1)`;
  const movement = (type: string, path: string, value: string) => sql`
    update movements set snapshot = jsonb_set(snapshot, ${path}::text[], ${value}::jsonb)
     where commerce_id = ${shop.id} and id = (select max(id) from movements where commerce_id = ${shop.id} and type = ${type})`;
  const GIVEN = 'a purchase stamped as its program says';
  const TAKEN = 'a return took the stamps of its purchase';
  const CARDS = 'the stamps on a card are those that the movements leave';
  const FULL = 'a full card was filled by stamps';
  const CODE = 'a full card has its code, which is void where the card was taken back';
  const tampered: readonly (readonly [ReturnType<typeof sql>, string])[] = [
    [card(sql`have = have + 1`), CARDS],
    [card(sql`filled = filled + 1`), CARDS],
    [card(sql`ends_on = ends_on + 1`), CARDS],
    [card(sql`stamped_at = ${earlier('stamped_at', '1 hour')}`), CARDS],
    [card(sql`ended = true`), CARDS],
    [sql`delete from stamp_cards where commerce_id = ${shop.id}`, CARDS],
    [full(sql`need = need + 1`), FULL],
    [full(sql`taken_at = '2027-01-01'`), FULL],
    [full(sql`benefit_id = 'another'`), FULL],
    [full(sql`code = null`), CODE],
    [sql`delete from full_cards where commerce_id = ${shop.id} and ordinal = 1`, FULL],
    [code(sql`given_back_at = '2027-01-01'`), CODE],
    [code(sql`benefit_id = 'another'`), CODE],
    [movement('purchase', '{stamps,0,given}', '2'), GIVEN],
    [movement('purchase', '{stamps,0,have}', '5'), GIVEN],
    [movement('purchase', '{stamps,0,need}', '2'), GIVEN],
    [movement('purchase', '{stamps,0,lines}', '[1]'), GIVEN],
    [movement('purchase', '{stamps}', '[]'), GIVEN],
    [movement('reversal', '{stamps,0,stamps}', '-2'), TAKEN],
    [movement('reversal', '{stamps}', '[]'), TAKEN],
  ];
  for (const [tamper, invariant] of tampered) {
    const found = await differencesAfter(shop.id, tamper);
    assert.ok(found.includes(invariant), `${invariant}, and found are ${found.join('; ')}`);
  }
  await assertBooksAgree(db, shop.id);
});

const TAMPERED = ['movements', 'vouchers', 'stamp_cards', 'full_cards'];

/** Movements are only added to, for anybody else, and rows refer to each other. */
function asSuperuser(work: (tx: Tx) => Promise<unknown>) {
  return transaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await work(tx);
  });
}

/** Returns the invariants that a change breaks, and takes it back. */
async function differencesAfter(commerceId: number, change: ReturnType<typeof sql>): Promise<string[]> {
  const kept = (table: string) => sql.id(`kept_${table}_${commerceId}`);
  for (const table of TAMPERED)
    await sql`create table ${kept(table)} as select * from ${sql.id(table)} where commerce_id = ${sql.lit(commerceId)}`.execute(
      db,
    );
  await asSuperuser((tx) => change.execute(tx));
  const { differences } = await verifyLedger(db, { commerceIds: [commerceId] });
  await asSuperuser(async (tx) => {
    for (const table of TAMPERED) {
      await sql`delete from ${sql.id(table)} where commerce_id = ${commerceId}`.execute(tx);
      await sql`insert into ${sql.id(table)} select * from ${kept(table)}`.execute(tx);
      await sql`drop table ${kept(table)}`.execute(tx);
    }
  });
  return differences.map(({ invariant }) => invariant);
}

async function make(stamps: readonly ProgramFields[], fields: ProgramFields = {}) {
  const program = {
    sandbox: true,
    time_zone: 'UTC',
    benefits: [benefit('free-coffee', { on_sale: false })],
    ...fields,
  };
  const shop = await makeShop({ ...program, stamps });
  const member = await shop.member();
  const browser = await shop.browser(member);
  const bought = async (lines: readonly Sold[]) => {
    const amount = lines.reduce((sum, line) => sum + line.amount, 0);
    const answer = await shop.post('/v1/consumptions/client-code', {
      client_code: member.code,
      amount,
      lines,
    });
    assert.equal(answer.status, 201, answer.text);
    return answer;
  };
  const unusedCode = async () => {
    const { rows } = await sql<{ code: number }>`
      select code from vouchers where commerce_id = ${shop.id} and used_at is null and given_back_at is null
       order by issued_at, code`.execute(db);
    return rows[0]!.code;
  };
  return {
    shop,
    member,
    bought,
    apply: (next: readonly ProgramFields[]) => shop.apply({ ...program, stamps: next }),
    at: (instant: string) => setClock(db, shop.id, new Date(instant)),
    buy: async (amount: number) => {
      const answer = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount });
      assert.equal(answer.status, 201, answer.text);
      return answer;
    },
    reverse: async (purchase: Answer, amount?: number) => {
      const answer = await shop.post(
        `${purchase.headers.get('location')}/reversal`,
        amount === undefined ? {} : { amount },
      );
      assert.equal(answer.status, 201, answer.text);
    },
    reverseLines: async (purchase: Answer, lines: readonly Sold[]) => {
      const amount = lines.reduce((sum, line) => sum + line.amount, 0);
      const answer = await shop.post(`${purchase.headers.get('location')}/reversal`, { amount, lines });
      assert.equal(answer.status, 201, answer.text);
    },
    cards: async () => {
      const { body } = await browser.get('/v1/me/stamps');
      return (body as { have: number; need: number; owes: number }[]).map(({ have, need, owes }) => ({
        have,
        need,
        owes,
      }));
    },
    codes: async () => {
      const { rows } = await sql<{ state: string }>`
        select case when v.used_at is not null then 'used' when v.given_back_at is not null then 'void' else 'usable' end as state
          from full_cards f
          join vouchers v on v.commerce_id = f.commerce_id and v.code = f.code
         where f.commerce_id = ${shop.id}
         order by f.ordinal`.execute(db);
      return rows.map(({ state }) => state);
    },
    unusedCode,
    redeem: async (externalId?: string) => {
      const answer = await shop.post('/v1/benefits/redeem', {
        client_benefit_code: await unusedCode(),
        ...(externalId !== undefined && { external_id: externalId }),
      });
      assert.equal(answer.status, 200, answer.text);
    },
  };
}

interface Sold {
  readonly id: string;
  readonly product?: string;
  readonly categories?: readonly string[];
  readonly units?: number;
  readonly amount: number;
}
