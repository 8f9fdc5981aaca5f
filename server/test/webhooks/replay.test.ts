import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { expectTampering, testDatabaseUrl } from '#test/database.ts';
import { withExplainedDatabase } from '#test/explain-statements.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { onOneServer } from '#test/on-cluster.ts';
import { replayRange } from '#webhooks/replay.ts';
import { openReceiver } from './receiver.ts';
import { makeWebhook } from './sending.ts';

const { db } = await service();
const BATCHES = 6;
const BATCH = 500;

test(
  'a stretch of time is found without reading the events of all the time since then',
  { skip: onOneServer('a plan at the coordinator does not show the work of the others') },
  async () => {
    const shop = await makeShop();
    const { code } = await shop.member();
    const purchase = { commerceId: shop.id, buyer: { code }, ...NOWHERE, amount: 1 };
    for (let n = 0; n < BATCHES; n++)
      await transaction(db, (tx) =>
        recordPurchases(
          tx,
          Array.from({ length: BATCH }, () => purchase),
        ),
      );
    // An event a minute, of which two neighbours have changed places.
    const now = new Date('2026-06-01T00:00:00Z');
    const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
    expectTampering(shop.id);
    await transaction(db, async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx);
      await sql`
        update movements m
           set recorded_at = ${now}::timestamptz - (r.nth + case r.nth % 100 when 50 then 0.1 when 49 then 1.2 else 0.5 end) * interval '1 minute'
          from (select id, row_number() over (order by id desc) as nth from movements where commerce_id = ${shop.id}) r
         where m.commerce_id = ${shop.id} and m.id = r.id`.execute(tx);
    });
    await sql`update happenings set recorded_at = ${minutesAgo(1e5)} where commerce_id = ${shop.id}`.execute(
      db,
    );
    const id = await makeWebhook(shop, await openReceiver());
    const idBefore = async (at: Date) => {
      const { rows } = await sql<{ id: number }>`
        select coalesce(max(id), 0) as id
          from (select id, recorded_at from movements where commerce_id = ${shop.id}
                 union all
                select id, recorded_at from happenings where commerce_id = ${shop.id}) e
         where recorded_at < ${at}`.execute(db);
      return rows[0]!.id;
    };
    await sql`analyze movements, happenings`.execute(db);

    let looked = 0;
    const count = ({ rows }: { rows: number }) => void (looked += rows);
    await withExplainedDatabase(await testDatabaseUrl(), count, async (explained) => {
      for (const [from, to] of [
        [2_900, 2_800],
        [2_750.05, 1_049.7],
        [1e6, 2_999],
        [7, -10],
      ] as const) {
        looked = 0;
        const stretch = { since: minutesAgo(from), until: minutesAgo(to) };
        await transaction(explained, (tx) => replayRange(tx, shop.id, id, stretch));
        const { rows } = await sql<{ after: number; through: number }>`
          update webhooks w set replay_after = null, replay_through = null
            from webhooks before
           where w.commerce_id = ${shop.id} and before.commerce_id = ${shop.id} and before.id = w.id
          returning before.replay_after as after, before.replay_through as through`.execute(db);
        assert.deepEqual(rows, [
          { after: await idBefore(stretch.since), through: await idBefore(stretch.until) },
        ]);
        assert.ok(looked < 500, `${looked} rows are looked at`);
      }
    });
  },
);
