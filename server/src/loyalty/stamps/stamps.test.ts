/** Cards that purchases stamp, and the codes of full ones. Figures computed by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql } from '#db/database.ts';
import { runJob } from '#jobs/run-jobs.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type ProgramFields } from '#test/make.ts';

const { db } = await service();

const COFFEE = {
  id: 'coffee',
  title: 'Coffee card',
  per: 'purchase',
  need: 3,
  then: { benefit: 'free-coffee' },
};
const ROLLS = {
  id: 'rolls',
  title: 'Rolls',
  per: 'unit',
  need: 5,
  when: { products: ['roll'] },
  then: { benefit: 'free-coffee' },
};

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
    const { shop, buy, reverse, cards, codes, redeem } = await make([COFFEE]);
    const purchases = [];
    for (let i = 0; i < 3; i++) purchases.push(await buy(5));
    await Promise.all([redeem(true), reverse(purchases[0]!)]);
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
    redeem: async (mayFail = false) => {
      const { rows } = await sql<{ code: number }>`
        select code from vouchers where commerce_id = ${shop.id} and used_at is null and given_back_at is null`.execute(
        db,
      );
      const answer = await shop.post('/v1/benefits/redeem', { client_benefit_code: rows[0]!.code });
      if (!mayFail) assert.equal(answer.status, 200, answer.text);
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
