/** Points that wait, while others buy with them, return them, confirm them and cancel them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql } from '#db/database.ts';
import { runJob } from '#jobs/run-jobs.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service, type Answer } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';

const { db } = await service();

const BOUGHT = new Date('2027-03-01T12:00:00Z');
const DUE = new Date('2027-03-11T00:00:00Z');
const TIMES = 12;

async function make(pending: object) {
  const shop = await makeShop({
    sandbox: true,
    time_zone: 'UTC',
    earning: { money_per_point: 1, pending },
    benefits: [benefit('coffee')],
  });
  await setClock(db, shop.id, BOUGHT);
  const member = await shop.member();
  const buy = () => shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 10 });
  const pathOf = (bought: Answer) => bought.headers.get('location')!;
  return {
    shop,
    member,
    buy,
    confirm: (bought: Answer) => shop.post(`${pathOf(bought)}/confirmation`, undefined),
    reverse: (bought: Answer) => shop.post(`${pathOf(bought)}/reversal`, {}),
    balance: async () => ((await shop.get(`/v1/clients/${member.code}`)).body as { points: number }).points,
  };
}

function times(answers: readonly Answer[], status: number) {
  return answers.filter((answer) => answer.status === status).length;
}

async function movements(shopId: number, type: string): Promise<number> {
  const { rows } = await sql`select from movements where commerce_id = ${shopId} and type = ${type}`.execute(
    db,
  );
  return rows.length;
}

test('exchanges, purchases, reads and the job at the instant make points available once', async () => {
  const { shop, member, buy, balance } = await make({ days: 10 });
  await Promise.all(Array.from({ length: TIMES }, buy));
  await setClock(db, shop.id, DUE);
  const browser = await shop.browser(member);
  const exchange = (i: number) =>
    browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' }, { 'idempotency-key': `race-${i}` });
  const [sold] = await Promise.all([
    Promise.all(Array.from({ length: TIMES + 6 }, (_, i) => exchange(i))),
    Promise.all(Array.from({ length: TIMES }, buy)),
    Promise.all(Array.from({ length: TIMES }, balance)),
    runJob(db, 'pending-points', shop.id),
  ]);
  assert.equal(times(sold, 200), TIMES, 'each point was sold once');
  assert.equal(times(sold, 400), 6);
  assert.equal(await movements(shop.id, 'available'), TIMES);
  assert.equal(await balance(), 0);
  await assertBooksAgree(db, shop.id);
});

test('a confirmation and a return of one purchase at once leave no point that nobody earned', async () => {
  const { shop, buy, confirm, reverse, balance } = await make({ until: 'confirmed', cancel_after_days: 10 });
  for (let round = 0; round < TIMES; round += 1) {
    const bought = await buy();
    const answers = await Promise.all([confirm(bought), reverse(bought), confirm(bought), reverse(bought)]);
    assert.equal(times(answers, 200), 2, 'what is returned can be confirmed: nothing waits of it');
    assert.equal(times(answers, 201), 1);
    assert.equal(times(answers, 400), 1);
    assert.equal(await balance(), 0);
  }
  await assertBooksAgree(db, shop.id);
});

test('a purchase is confirmed or cancelled, never both', async () => {
  const { shop, buy, confirm, balance } = await make({ until: 'confirmed', cancel_after_days: 10 });
  const bought = await Promise.all(Array.from({ length: TIMES }, buy));
  const [answers] = await Promise.all([
    Promise.all(bought.map(confirm)),
    setClock(db, shop.id, DUE).then(() =>
      Promise.all([runJob(db, 'pending-points', shop.id), runJob(db, 'pending-points', shop.id)]),
    ),
  ]);
  await runJob(db, 'pending-points', shop.id);
  const confirmed = times(answers, 200);
  assert.equal(times(answers, 400), TIMES - confirmed);
  assert.equal(await movements(shop.id, 'available'), confirmed);
  assert.equal(await movements(shop.id, 'reversal'), TIMES - confirmed);
  assert.equal(await balance(), 10 * confirmed);
  await assertBooksAgree(db, shop.id);
});

test('returns at the instant take what was earned once, whether it waits or not', async () => {
  const { shop, buy, reverse, balance } = await make({ days: 10 });
  const bought = await Promise.all(Array.from({ length: TIMES }, buy));
  const moved = setClock(db, shop.id, DUE);
  const answers = await Promise.all([...bought, ...bought].map(reverse));
  await moved;
  await runJob(db, 'pending-points', shop.id);
  assert.equal(times(answers, 201), TIMES);
  assert.equal(times(answers, 400), TIMES);
  assert.equal(await balance(), 0);
  await assertBooksAgree(db, shop.id);
});
