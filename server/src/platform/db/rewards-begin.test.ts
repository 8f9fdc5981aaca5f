import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { announcedAt } from '#rewards/announced-at.ts';
import { databaseUrl, onEnd, open } from '#test/database.ts';
import { dropDatabase } from '#test/drop-database.ts';
import { openDatabase, sql, type Database } from './database.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
const OURS = '0007_rewards_begin.sql';

test('to programs of the release before, a reward began with the first version that has had it since', async () => {
  const db = await before();
  const shop = await addCommerce(db, { sandbox: false });
  await addVersion(db, shop, 1, '2026-01-01T10:00:00Z', {}); // from before there were rewards
  await addVersion(db, shop, 2, '2026-02-01T10:00:00Z', { birthday: { points: 5 }, monthly_top: null });
  await addVersion(db, shop, 3, '2026-03-01T10:00:00Z', { birthday: null, monthly_top: { points: 5 } });
  await addVersion(db, shop, 4, '2026-04-01T10:00:00Z', {
    birthday: { points: 5 },
    monthly_top: { points: 9 },
  });
  await addVersion(db, shop, 5, '2026-05-01T10:00:00Z', {
    birthday: { points: 6 },
    monthly_top: { points: 9 },
  });
  await addReward(db, shop, 'monthly_top', '2026-03');
  await addReward(db, shop, 'monthly_top', '2026-05');

  // In a sandbox, that is as good as when something happened there.
  const sandbox = await addCommerce(db, { sandbox: true });
  await addVersion(db, sandbox, 1, '2026-01-01T10:00:00Z', { birthday: { points: 5 } });
  await addMovement(db, sandbox, { at: '2027-01-10T10:00:00Z', recordedAt: '2026-01-01T11:00:00Z' });
  await addVersion(db, sandbox, 2, '2026-01-01T12:00:00Z', { monthly_top: { points: 5 } });
  await addMovement(db, sandbox, { at: '2027-03-10T10:00:00Z', recordedAt: '2026-01-01T13:00:00Z' });

  await apply(db, [OURS]);

  const begins = async (id: number, event: 'birthday' | 'monthly_top') =>
    (await announcedAt(db, id, event))?.toISOString().slice(0, 10) ?? null;
  assert.deepEqual(
    [await begins(shop, 'birthday'), await begins(shop, 'monthly_top')],
    ['2026-04-01', '2026-03-01'],
  );
  assert.deepEqual(
    [await begins(sandbox, 'birthday'), await begins(sandbox, 'monthly_top')],
    [null, '2027-01-10'],
  );
  const { rows } = await sql<{ month: string }>`
    select settled_month as month from commerce_jobs where commerce_id = ${shop} and job = 'monthly-top'`.execute(
    db,
  );
  assert.deepEqual(
    rows.map(({ month }) => month),
    ['2026-05'],
  );

  // The release before writes this meanwhile.
  await addVersion(db, shop, 6, '2026-06-01T10:00:00Z', { birthday: null, monthly_top: { points: 9 } });
  assert.deepEqual([await begins(shop, 'birthday'), await begins(shop, 'monthly_top')], [null, '2026-03-01']);
});

/** A database of the release before. */
async function before(): Promise<Database> {
  const name = `before_${process.pid}`;
  const admin = open('postgres', 1);
  await sql`create database ${sql.id(name)}`.execute(admin);
  const db = openDatabase({ url: databaseUrl(name), poolSize: 1, preparedStatements: false });
  onEnd(async () => {
    await db.destroy();
    await dropDatabase(admin, name);
    await admin.destroy();
  });
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'));
  await apply(db, files.sort().slice(0, files.indexOf(OURS)));
  return db;
}

async function apply(db: Database, files: readonly string[]): Promise<void> {
  for (const file of files) await sql.raw(readFileSync(new URL(file, FOLDER), 'utf8')).execute(db);
}

async function addCommerce(db: Database, { sandbox }: { sandbox: boolean }): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into commerces (slug, status, sandbox, time_zone, program_version)
    values (${sandbox ? 'sandbox' : 'shop'}, 'active', ${sandbox}, 'UTC', 1)
    returning id`.execute(db);
  const id = rows[0]!.id;
  await sql`insert into members (commerce_id, state, email) values (${id}, 'invited', 'a@example.com')`.execute(
    db,
  );
  return id;
}

async function addVersion(
  db: Database,
  id: number,
  version: number,
  at: string,
  rewards: object,
): Promise<void> {
  const program = version === 1 && Object.keys(rewards).length === 0 ? {} : { rewards };
  await sql`
    insert into programs (commerce_id, version, program, applied_at)
    values (${id}, ${version}, ${JSON.stringify(program)}::jsonb, ${at})`.execute(db);
}

async function addReward(db: Database, id: number, event: string, period: string): Promise<void> {
  await sql`
    insert into rewards (commerce_id, member_id, event, period, given_at)
    select commerce_id, id, ${event}, ${period}, now() from members where commerce_id = ${id}`.execute(db);
}

async function addMovement(
  db: Database,
  id: number,
  { at, recordedAt }: { at: string; recordedAt: string },
): Promise<void> {
  await sql`
    insert into movements (commerce_id, member_id, type, at, recorded_at, points)
    select commerce_id, id, 'reward', ${at}::timestamptz, ${recordedAt}::timestamptz, 0
      from members where commerce_id = ${id}`.execute(db);
}
