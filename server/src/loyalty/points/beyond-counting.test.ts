/** Figures past 2^53 − 1 from the first release. They affect no other member, and the ledger check reports them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInstallationIds } from '#batching/wire-ids.ts';
import { sql } from '#db/database.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { expectTampering } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { onOneServer } from '#test/on-cluster.ts';
import { read } from '#test/repository.ts';
import { signIn } from '#test/sign-in.ts';
import { expirePoints } from '#jobs/expire-points.ts';

const { db } = await service();

const MIGRATIONS = [
  'server/src/platform/db/migrations/0006_figures_that_count.sql',
  'server/src/platform/db/migrations/0008_figures_that_count_validated.sql',
];
const HALF = 6_000_000_000_000_000;

test(
  'such a member can sign in and appears in lists and accounts, and so does everybody else',
  { skip: onOneServer('no release with such figures has run there') },
  async (t) => {
    const { shop, full, other } = await shopOfOld();
    t.after(() => clear(shop));
    const list = await shop.get('/v1/clients/list');
    assert.deepEqual(
      (list.body as { items: { code: number; points: number }[] }).items.map(({ code, points }) => [
        code,
        points,
      ]),
      [
        [full.code, 2 * HALF],
        [other.code, 10],
      ],
    );
    assert.equal((await shop.get(`/v1/clients/${full.code}`)).status, 200);
    const session = await signIn(shop.id, full.email);
    const browser = await shop.browser({ userId: session.user_id });
    for (const path of ['/v1/me', '/v1/me/activity', '/v1/me/points/expirations', '/v1/me/benefits'])
      assert.equal((await browser.get(path)).status, 200, path);
    assert.equal((await browser.delete('/v1/me/subscription')).status, 200);
    assert.equal((await browser.post('/v1/me/subscription')).status, 200);
  },
);

test(
  'nothing more is recorded for such a member, and jobs skip them',
  { skip: onOneServer('no release with such figures has run there') },
  async (t) => {
    const { shop, full, other } = await shopOfOld();
    t.after(() => clear(shop));
    const { rows } = await sql<{ id: number }>`
    select id from movements where commerce_id = ${shop.id} and member_id = ${full.memberId} order by id`.execute(
      db,
    );
    const [bought, reversed] = [
      await shop.post('/v1/consumptions/client-code', { client_code: full.code, amount: 1 }),
      await shop.post(
        `/v1/consumptions/${(await readInstallationIds(db, 'purchase')).toWire(rows[0]!.id)}/reversal`,
        {},
      ),
    ];
    for (const { status, body } of [bought, reversed]) {
      assert.equal(status, 400);
      assert.match((body as { message: string }).message, /could not be created/);
    }
    await shop.sell(other, 5);
    await shop.apply({ sandbox: true, points_expiration: { mode: 'rolling', months: 2 } });
    await shop.moveClock('100 days');
    assert.equal(await expirePoints.run(db, shop.id), 1);
  },
);

test(
  'the ledger check names such a member, and the missing constraints',
  { skip: onOneServer('no release with such figures has run there') },
  async (t) => {
    const { shop, full } = await shopOfOld();
    t.after(() => clear(shop));
    const { differences } = await verifyLedger(db, { commerceIds: [shop.id] });
    const told = differences.filter(({ invariant }) => invariant.includes('counted'));
    assert.deepEqual(
      told.map(({ member, says }) => [member, says.split(':')[0]]),
      [
        [
          full.code,
          '12000000000000001 points earned, 12000000000000000 spent in 2 purchases, a balance of 12000000000000001',
        ],
      ],
    );
    assert.deepEqual(
      differences
        .filter(({ commerce }) => commerce === null)
        .map(({ says }) => says)
        .toSorted(),
      [
        'the constraint figures_are_exact of members is missing',
        'the constraint points_are_exact of balances is missing',
      ],
    );
  },
);

/** Makes a shop as an earlier release left it, with two purchases whose sum exceeds the limit. */
async function shopOfOld(): Promise<{ shop: Shop; full: MadeMember; other: MadeMember }> {
  const shop = await makeShop({ sandbox: true, points_expiration: { mode: 'rolling', months: 1 } });
  const [full, other] = [await shop.member(), await shop.member()];
  expectTampering(shop.id);
  await shop.sell(full, 10);
  await shop.sell(full, 10);
  await shop.sell(other, 10);
  await sql`alter table members drop constraint if exists figures_are_exact`.execute(db);
  await sql`alter table balances drop constraint if exists points_are_exact`.execute(db);
  await sql`
    update members set points_earned = ${2 * HALF}::bigint + 1, amount_spent = ${2 * HALF}
     where commerce_id = ${shop.id} and id = ${full.memberId}`.execute(db);
  await sql`
    update balances set points = ${2 * HALF}::bigint + 1
     where commerce_id = ${shop.id} and member_id = ${full.memberId}`.execute(db);
  await migrateAgain(); // leaves the constraints out
  return { shop, full, other };
}

async function clear(shop: Shop): Promise<void> {
  await sql`update members set points_earned = 0, amount_spent = 0 where commerce_id = ${shop.id}`.execute(
    db,
  );
  await sql`delete from balances where commerce_id = ${shop.id}`.execute(db);
  await migrateAgain(); // adds them, since no figure exceeds the limit any more
}

async function migrateAgain(): Promise<void> {
  for (const path of MIGRATIONS) await sql.raw(read(path)).execute(db);
}
