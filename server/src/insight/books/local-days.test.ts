/** The books use the service's days, whatever time zones the database knows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql, transaction } from '#db/database.ts';
import { assertBooksAgree } from '#test/books.ts';
import { expectTampering } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type ProgramFields } from '#test/make.ts';
import { filesThatEnd, read } from '#test/repository.ts';
import { expirePoints } from '#jobs/expire-points.ts';
import { verifyLedger } from './verify-ledger.ts';

const { db } = await service();

// Since 2026c Morocco stays at UTC and Alberta at UTC-6. A database with older zones is an hour off in both.
test('points may be spent in the last hour of their day even if the database has already changed the day', async () => {
  const shop = await makeShop(expiring('Africa/Casablanca'));
  await setClock(db, shop.id, new Date('2027-04-15T10:00:00Z'));
  const member = await shop.member();
  await shop.sell(member, 30);
  await setClock(db, shop.id, new Date('2027-05-15T23:30:00Z'));
  await shop.voucher(member, 'coffee');
  await assertBooksAgree(db, shop.id);
});

test('points can be written off from the first minute after their day, even if the database is an hour behind', async () => {
  const shop = await makeShop(expiring('America/Edmonton'));
  await setClock(db, shop.id, new Date('2026-12-15T18:00:00Z'));
  await shop.sell(await shop.member(), 30);
  await setClock(db, shop.id, new Date('2027-01-16T05:59:00Z'));
  assert.equal(await expirePoints.run(db, shop.id), 0);
  await setClock(db, shop.id, new Date('2027-01-16T06:01:00Z'));
  assert.ok((await expirePoints.due(db)).includes(shop.id));
  assert.equal(await expirePoints.run(db, shop.id), 1);
});

for (const [day, why] of [
  ['2027-05-14', 'a day too early'],
  ['2027-05-16', 'a day too late'],
] as const) {
  test(`a purchase is named if its points are valid until ${why}`, async () => {
    const shop = await makeShop(expiring('Europe/Madrid'));
    await setClock(db, shop.id, new Date('2027-04-15T10:00:00Z'));
    const member = await shop.member();
    await shop.sell(member, 30);
    expectTampering(shop.id);
    await transaction(db, async (tx) => {
      await sql`alter table movements disable trigger movements_are_append_only`.execute(tx);
      await sql`
        update movements set split = jsonb_build_array(jsonb_build_array(${day}::text, false, 30))
         where commerce_id = ${shop.id}`.execute(tx);
      await sql`update balances set expires_on = ${day}::date where commerce_id = ${shop.id}`.execute(tx);
      await sql`alter table movements enable trigger movements_are_append_only`.execute(tx);
    });
    const { differences } = await verifyLedger(db, { commerceIds: [shop.id] });
    assert.deepEqual(
      differences.map(({ member: code, invariant }) => [code, invariant]),
      [[member.code, 'points of a purchase are good until the day that its program gives']],
    );
  });
}

/** Asks on purpose, to compare its answer with Node's. */
const DOCTOR = 'server/src/operations/doctor/examine-time.ts';

test('no statement asks the database for a local day', () => {
  const asking = filesThatEnd('.ts', 'server/src').filter(
    (path) => path !== DOCTOR && !path.endsWith('.test.ts') && /at time zone (?!'UTC')/i.test(read(path)),
  );
  assert.deepEqual(asking, []);
});

function expiring(timeZone: string): ProgramFields {
  return {
    sandbox: true,
    time_zone: timeZone,
    points_expiration: { mode: 'rolling', months: 1 },
    benefits: [benefit('coffee', { cost: 20 })],
  };
}
