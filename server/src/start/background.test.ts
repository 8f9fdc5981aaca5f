import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { openDatabase, sql } from '#db/database.ts';
import { readConfig } from '#settings/config.ts';
import { serviceSettings, testDatabaseUrl } from '#test/database.ts';
import { SECRET, service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { isOnNodes } from '#test/on-cluster.ts';
import { startBackground } from './background.ts';

test('a statement of a job may take longer than one of a call, and a stop does not wait for it', async (t) => {
  const { db } = await service();
  const config = readConfig({ ...serviceSettings(await testDatabaseUrl()), SECRET_KEY: SECRET[0] });
  const start = async () => {
    await sql`delete from jobs`.execute(db);
    const calls = openDatabase({ ...db.address, poolSize: 3, statementTimeoutMs: 500 });
    t.after(() => calls.destroy());
    return startBackground(config, calls, pino({ level: 'silent' }), 'https://luna.example');
  };

  const patient = await makeSlowShop(1);
  let background = await start();
  let round = await readRound();
  for (; round === undefined || round.isRunning; round = await readRound()) await sleep(20);
  await background.stop();
  assert.equal(round.error, null);
  const { rows } = await sql`
    select from movements where commerce_id = ${patient.id} and type = 'expiry'`.execute(db);
  assert.equal(rows.length, 1);

  await makeSlowShop(1_000);
  background = await start();
  while ((await countAsleep()) === 0) await sleep(20);
  await background.stop();
  assert.deepEqual(await readRound(), { isRunning: false, finished: null, error: null, failing: null });
  await sql`drop function sleep_before_expiry cascade`.execute(db);
});

/** A shop where something has expired, and the statement that writes it takes so long. */
async function makeSlowShop(seconds: number): Promise<Shop> {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true, points_expiration: { mode: 'rolling', months: 1 } });
  await shop.sell(await shop.member(), 10);
  await sql`update commerces set clock_offset = '3 months' where id = ${shop.id}`.execute(db);
  await sql`
    create or replace function sleep_before_expiry() returns trigger language plpgsql as
      $$ begin perform pg_sleep(tg_argv[0]::float); return new; end $$`.execute(db);
  await sql`
    create trigger ${sql.id(`slow_${shop.id}`)} before insert on movements
      for each row when (new.commerce_id = ${sql.lit(shop.id)} and new.type = 'expiry')
      execute function sleep_before_expiry(${sql.lit(seconds)})`.execute(db);
  return shop;
}

/** How many sessions of the database sleep, on any machine. */
async function countAsleep(): Promise<number> {
  const { db } = await service();
  const asleep =
    "select count(*) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'";
  const { rows } = await (
    isOnNodes
      ? sql<{
          count: number;
        }>`select sum(result::integer)::integer as count from run_command_on_all_nodes(${asleep})`
      : sql<{ count: number }>`${sql.raw(asleep)}`
  ).execute(db);
  return rows[0]!.count;
}

async function readRound() {
  const { db } = await service();
  const { rows } = await sql<{
    isRunning: boolean;
    finished: string | null;
    error: string | null;
    failing: string | null;
  }>`
    select leased_until is not null as "isRunning", finished_at::text as finished, last_error as error,
           failing_since::text as failing
      from jobs where name = 'expire-points'`.execute(db);
  return rows[0];
}
