import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCommerce } from '#commerces/commerce.ts';
import { sql, transaction, type Database } from '#db/database.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { importPurchases } from '#purchases/import-purchases.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { assertBooksAgree } from '#test/books.ts';
import { loyalty } from '#test/command.ts';
import { testDatabase } from '#test/database.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { assertReportsAgree } from '#test/recount-reports.ts';
import { servedSession, waitingSessions } from '#test/until-one-waits.ts';
import { findUncounted, followLedger } from './follow-ledger.ts';
import { readPurchasesReport } from './purchases-report.ts';
import { resolveRange } from './report-range.ts';

let db: Database;
before(async () => {
  db = await testDatabase();
});

test('the job waits for a purchase that is not committed yet, and nothing is left out when it is', async () => {
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
  const following = followLedger(db, shop.id).finally(() => (isDone = true));
  await sleep(300);
  assert.equal(isDone, false, 'the later purchase has a higher id, but the earlier one may still come');
  assert.equal(await amountOfToday(shop), 5, 'a report tells what is committed');
  mayCommit.resolve();
  await purchase;
  assert.equal(await following, 2);
  assert.equal(await amountOfToday(shop), 12);
  assert.ok(!(await findUncounted(db)).includes(shop.id));
  await assertBooksAgree(db, shop.id);
});

test('a job that breaks off in the middle, then two at once while people buy: each movement is counted once', async () => {
  const shop = await makeShop();
  const members = await Promise.all(Array.from({ length: 6 }, () => shop.member()));
  await sellMany(shop, members[0]!, 1);
  await followLedger(db, shop.id);
  for (let round = 1; round <= 3; round++) {
    await sellMany(shop, members[1]!, 3);
    await breakOff(shop);
    const buying = Promise.all(members.map((member) => sellMany(shop, member, 3)));
    await Promise.all([followLedger(db, shop.id, { batch: 2 }), followLedger(db, shop.id, { batch: 3 })]);
    await buying;
    await assertReportsAgree(db, shop.id, {});
    await assertBooksAgree(db, shop.id);
  }
  await followLedger(db, shop.id, { batch: 50 });
  await assertBooksAgree(db, shop.id);
  assert.equal(await amountOfToday(shop), 1 + 3 * (3 + 6 * 3));
});

test('a day of 23 hours and one of 25 hours have all that happened on them', async () => {
  const shop = await makeShop({ sandbox: true, clock: '2027-11-15T12:00:00Z', time_zone: 'Europe/Madrid' });
  const halfHours = (from: string, to: string) => {
    const instants: string[] = [];
    for (let at = Date.parse(from); at < Date.parse(to); at += 1_800_000)
      instants.push(new Date(at).toISOString());
    return instants;
  };
  // In Madrid from 27 to 29 March and from 30 October to 1 November.
  const dates = [
    ...halfHours('2027-03-26T23:00:00Z', '2027-03-29T22:00:00Z'),
    ...halfHours('2027-10-29T22:00:00Z', '2027-11-01T23:00:00Z'),
  ];
  async function* lines() {
    for (const [i, date] of dates.entries())
      yield { line: i + 2, fields: { client_email: 'eva@example.com', amount: '1', date } };
  }
  await importPurchases(db, shop.id, lines());
  const expected = [
    ['2027-03-27', 48],
    ['2027-03-28', 46],
    ['2027-03-29', 48],
    ['2027-10-30', 48],
    ['2027-10-31', 50],
    ['2027-11-01', 48],
  ];
  for (const isCounted of [false, true]) {
    if (isCounted) await followLedger(db, shop.id, { batch: 31 });
    const commerce = (await readCommerce(db, shop.id))!;
    const range = resolveRange({ from: '2027-03-01', to: '2027-11-15' }, commerce.today);
    const { periods } = await readPurchasesReport(db, commerce, range);
    const days = periods.filter(({ figures }) => figures.purchases > 0);
    assert.deepEqual(
      days.map(({ from, figures }) => [from, figures.purchases]),
      expected,
    );
  }
});

test('ledger verify finds a figure that was altered, and loyalty reports rebuild mends it', async () => {
  const shop = await makeShop();
  await shop.sell(await shop.member(), 40);
  await followLedger(db, shop.id);
  await sql`update report_days set amount = amount + 1 where commerce_id = ${shop.id}`.execute(db);
  await sql`update report_active set people = 2 where commerce_id = ${shop.id}`.execute(db);
  const { differences } = await verifyLedger(db, { commerceIds: [shop.id] });
  assert.deepEqual(
    differences.map(({ invariant }) => invariant),
    ['the figures of a day are the sum of its movements', 'the people of a day are those of its movements'],
  );
  assert.match(differences[0]!.says, /40 points and an amount of 41 are stored.*loyalty reports rebuild/);
  const rebuilt = await loyalty(['reports', 'rebuild', shop.slug, '--json']);
  assert.equal(rebuilt.code, 0, rebuilt.stderr);
  assert.deepEqual(rebuilt.json(), { commerce: shop.slug, movements: 1 });
  await assertBooksAgree(db, shop.id);
});

async function sellMany(shop: Shop, member: MadeMember, times: number) {
  for (let i = 0; i < times; i++) await shop.sell(member, 1);
}

/** Starts the job, and ends its connection while it stores figures. */
async function breakOff({ id }: Shop) {
  const isLocked = Promise.withResolvers<void>();
  const mayGoOn = Promise.withResolvers<void>();
  const holding = transaction(db, async (tx) => {
    await sql`select from report_days where commerce_id = ${id} for update`.execute(tx);
    isLocked.resolve();
    await mayGoOn.promise;
  });
  await isLocked.promise;
  const broken = assert.rejects(followLedger(db, id, { batch: 2 }));
  for (let ended = 0; ended === 0; await sleep(10)) {
    const { rows } = await waitingSessions(
      sql`pg_terminate_backend(${servedSession})`,
      sql`query ~* 'counting as materialized|report_days'`,
    ).execute(db);
    ended = rows.length;
  }
  await broken;
  mayGoOn.resolve();
  await holding;
}

async function amountOfToday(shop: Shop): Promise<number> {
  const commerce = (await readCommerce(db, shop.id))!;
  const { today } = commerce;
  const report = await readPurchasesReport(db, commerce, resolveRange({ from: today, to: today }, today));
  return report.total.amount;
}
