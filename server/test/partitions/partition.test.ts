/** One story on one database: its movements are put into partitions and back, while calls go on. Each test goes on where the one before ended. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase, sql, transaction, type Database } from '#db/database.ts';
import { MOVEMENTS_COPY, PARTITIONS_LOCK } from '#db/partitions.ts';
import { readRole } from '#db/roles.ts';
import { examineSchema } from '#doctor/examine-schema.ts';
import { planDistribution } from '#distribute/distribute.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { readCatalog } from '#doctor/read-catalog.ts';
import { commandFolder, startLoyalty, loyalty } from '#test/command.ts';
import { databaseUrl, emptyDatabase, nameOf, testDatabase, testDatabaseUrl } from '#test/database.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';

const db = await testDatabase();
const shops = [await makeShop(), await makeShop(), await makeShop()];
const people: [Shop, MadeMember][] = [];
for (const shop of shops) for (let i = 0; i < 3; i++) people.push([shop, await shop.member()]);

interface Told {
  readonly parts_before: number;
  readonly parts: number;
  readonly steps: string[];
  readonly writes_waited_seconds: number;
}

/** Buys at all shops until `stop` is called, which returns the purchases. Every call must succeed. */
function startCalls(): { stop(): Promise<Bought[]> } {
  const over = new AbortController();
  const made: Bought[] = [];
  const tills = people.map(async ([shop, member]) => {
    while (!over.signal.aborted) {
      const { status, headers, body } = await shop.post('/v1/consumptions/client-code', {
        client_code: member.code,
        amount: 10,
      });
      assert.equal(status, 201, JSON.stringify(body));
      made.push({ shop, id: String(headers.get('x-consumption-id')) });
    }
  });
  return {
    async stop() {
      over.abort();
      await Promise.all(tills);
      return made;
    },
  };
}

async function countPartitions(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_inherits where inhparent = 'movements'::regclass`.execute(db);
  return rows[0]!.count;
}

/** Nothing is lost, nothing differs from a table that was never changed, and the ledger is guarded as before. */
async function assertSound(): Promise<void> {
  assert.deepEqual((await verifyLedger(db)).differences, []);
  assert.deepEqual((await examineSchema(db)).findings, []);
  const { rows: invalid } = await sql`
    select conrelid::regclass, conname from pg_constraint where not convalidated and conparentid = 0`.execute(
    db,
  );
  assert.deepEqual(invalid, []);
  const [shop, member] = people[0]!;
  await assert.rejects(
    sql`update movements set note = 'x' where commerce_id = ${shop.id}`.execute(db),
    /movements are append-only/,
  );
  await assert.rejects(
    sql`delete from movements where commerce_id = ${shop.id}`.execute(db),
    /movements are append-only/,
  );
  await assert.rejects(
    sql`insert into movements (commerce_id, member_id, type, at, points) values (${shop.id}, 999999999, 'purchase', now(), 0)`.execute(
      db,
    ),
    /violates foreign key constraint "movements_commerce_id_member_id_fkey"/,
  );
  await assert.rejects(
    sql`insert into movements (commerce_id, member_id, type, at, points, reverses_id)
        values (${shop.id}, ${member.memberId}, 'reversal', now(), 0, 1)`.execute(db),
    /violates foreign key constraint "movements_commerce_id_reverses_id_fkey"/,
  );
  await assert.rejects(
    sql`insert into purchase_lines (commerce_id, purchase_id, member_id, lines) values (${shop.id}, 1, ${member.memberId}, '[]')`.execute(
      db,
    ),
    /violates foreign key constraint "purchase_lines_/,
  );
}

/** A purchase that was acknowledged. */
interface Bought {
  readonly shop: Shop;
  readonly id: string;
}
const bought: Bought[] = [];

/** Each purchase that was acknowledged is there, and no other. The newest of each test are read again. */
async function assertFound(): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from movements where type = 'purchase'`.execute(db);
  assert.equal(rows[0]!.count, bought.length);
  for (const { shop, id } of bought.slice(-20))
    assert.equal((await shop.get(`/v1/consumptions/${id}`)).status, 200, id);
}

async function buying<T>(work: () => Promise<T>): Promise<T> {
  const calls = startCalls();
  try {
    await wait(300);
    return await work();
  } finally {
    bought.push(...(await calls.stop()));
  }
}

async function run(...args: string[]): Promise<Told> {
  const { code, stdout, stderr } = await loyalty(['partition', '--json', ...args]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Told;
}

test('a dry run says what would be done, and changes nothing', async (t) => {
  await buying(async () => {});
  const told = await run('--dry-run', '--parts', '4');
  assert.deepEqual([told.parts_before, told.parts, told.steps.length], [1, 4, 4]);
  assert.equal(await countPartitions(), 0);
  t.diagnostic(told.steps.join('; '));
  const { stdout } = await loyalty(['partition', '--dry-run', '--parts', '1', '--json']);
  assert.deepEqual((JSON.parse(stdout) as Told).steps, []);
  assert.equal((await loyalty(['partition', '--parts', '3'])).code, 2);
});

test('movements are put into partitions while calls go on: none fails, and nothing is lost', async (t) => {
  const before = await readCatalog(db);
  const told = await buying(() => run('--parts', '4'));
  t.diagnostic(`writes waited for ${told.writes_waited_seconds} s, ${bought.length} purchases`);
  assert.equal(await countPartitions(), 4);
  await assertSound();
  await assertFound();
  const known = new Set(before.map(({ name, is }) => `${name}: ${is}`));
  const after = (await readCatalog(db)).map(({ name, is }) => `${name}: ${is}`);
  assert.deepEqual([after.filter((part) => !known.has(part)), after.length], [[], known.size]);
  assert.deepEqual((await run('--parts', '4')).steps, []);
});

test('the role of the service has rights on the movements and none on a partition', async (t) => {
  const role = `service_${randomUUID()}`;
  await sql`create role ${sql.id(role)} login password 'of-service'`.execute(db);
  const url = new URL(await testDatabaseUrl());
  url.username = role;
  url.password = 'of-service';
  const env = { DATABASE_OWNER_URL: await testDatabaseUrl(), DATABASE_URL: url.href };
  const asService = openDatabase({ url: url.href, poolSize: 1, preparedStatements: false });
  t.after(async () => {
    await asService.destroy();
    await sql`drop owned by ${sql.id(role)}`.execute(db);
    await sql`drop role ${sql.id(role)}`.execute(db);
  });
  for (const parts of ['1', '4']) {
    assert.equal((await loyalty(['migrate'], { env })).code, 0);
    const { code, stderr } = await loyalty(['partition', '--parts', parts], { env });
    assert.equal(code, 0, stderr);
    assert.deepEqual((await readRole(asService)).missing, []);
    const [shop, member] = people[0]!;
    await sql`
      insert into movements (commerce_id, member_id, type, at, points, split, note)
      values (${shop.id}, ${member.memberId}, 'redate', now(), 0, '[]', 'by the service')`.execute(asService);
    await assert.rejects(
      sql`update movements set note = null where commerce_id = ${shop.id}`.execute(asService),
      /permission denied/,
    );
  }
  await assert.rejects(sql`delete from movements_4_000`.execute(asService), /permission denied/);
  await assert.rejects(sql`select from movements_4_000`.execute(asService), /permission denied/);
});

test('a backup has the movements of all partitions, and its restore has them in one table', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-partitions-'));
  t.after(() => rm(folder, { recursive: true }));
  const backup = await loyalty(['backup', folder, '--json']);
  assert.equal(backup.code, 0, backup.stderr);
  const restored = await emptyDatabase(t, 2);
  const env = { DATABASE_URL: databaseUrl(await nameOf(restored)) };
  const { code, stderr } = await loyalty(['restore', folder], { env });
  assert.equal(code, 0, stderr);
  const count = async (of: Database) =>
    (await sql<{ count: number }>`select count(*) from movements`.execute(of)).rows[0]!.count;
  assert.equal(await count(restored), await count(db));
  assert.deepEqual((await examineSchema(restored)).findings, []);
});

test('a commerce is not imported meanwhile', async () => {
  await transaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${PARTITIONS_LOCK}::bigint)`.execute(tx);
    const [{ slug }] = shops as [Shop, ...Shop[]];
    const archive = join(commandFolder, 'archive.gz');
    assert.equal((await loyalty(['commerce', 'export', slug, '--output', archive])).code, 0);
    const { code, stderr } = await loyalty(['commerce', 'import', archive]);
    assert.equal(code, 1);
    assert.match(stderr, /`loyalty partition` is running\. Nothing was imported/);
  });
});

test('a cluster is refused until they are one table again', async () => {
  await assert.rejects(planDistribution(db, 8), /run `loyalty partition --parts 1` first/);
});

test('killed at any time, it has changed nothing or everything, and the next run goes on', async (t) => {
  const ended: number[] = [];
  await buying(async () => {
    for (const delay of [0, 20, 60, 150, 300, 500]) {
      const child = await startLoyalty(['partition', '--parts', '8']);
      const exit = once(child, 'close');
      for (;;) {
        const { rows } = await sql`select where to_regclass(${MOVEMENTS_COPY}) is not null`.execute(db);
        if (rows.length > 0 || child.exitCode !== null) break;
        await wait(5);
      }
      await wait(delay);
      child.kill('SIGKILL');
      await exit;
      ended.push(await countPartitions());
      assert.ok([4, 8].includes(ended.at(-1)!));
      if (ended.at(-1) === 8) await run('--parts', '4');
    }
  });
  t.diagnostic(`partitions after each kill: ${ended.join(', ')}`);
  await buying(() => run('--parts', '8'));
  assert.equal(await countPartitions(), 8);
  const { rows } = await sql`select where to_regclass(${MOVEMENTS_COPY}) is not null`.execute(db);
  assert.deepEqual(rows, []);
  await assertSound();
  await assertFound();
});

test('if it was killed before it had checked the foreign keys, the doctor says so, and the next run checks them', async () => {
  const [whole, incoming] = [
    'movements_commerce_id_member_id_fkey',
    'purchase_lines_commerce_id_purchase_id_fkey',
  ];
  await transaction(db, async (tx) => {
    await sql`alter table movements drop constraint ${sql.id(whole)}`.execute(tx);
    for (let i = 0; i < 8; i++)
      await sql`
        alter table ${sql.id(`movements_8_00${i}`)} add constraint ${sql.id(whole)}
          foreign key (commerce_id, member_id) references members not valid`.execute(tx);
    await sql`
      alter table purchase_lines drop constraint ${sql.id(incoming)}, add constraint ${sql.id(incoming)}
        foreign key (commerce_id, purchase_id) references movements (commerce_id, id) not valid`.execute(tx);
  });
  const told = (await examineSchema(db)).findings.map(({ says, fix }) => `${says} ${fix}`).join('\n');
  assert.match(
    told,
    /Foreign keys of the movements are not checked.* `loyalty partition --parts 8`, which checks them/,
  );
  assert.equal((await run('--dry-run', '--parts', '8')).steps.length, 1);
  // As while a run checks them, and once nobody does any more.
  const findMissing = async () => (await verifyLedger(db)).differences.map(({ says }) => says);
  await transaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${PARTITIONS_LOCK}::bigint)`.execute(tx);
    assert.deepEqual(await findMissing(), []);
    const rename = (from: string, to: string) =>
      sql`alter table balances rename constraint ${sql.id(from)} to ${sql.id(to)}`.execute(db);
    await rename('points_are_exact', 'of_another_name');
    assert.deepEqual(await findMissing(), ['the constraint points_are_exact of balances is missing']);
    await rename('of_another_name', 'points_are_exact');
  });
  const missing = await findMissing();
  for (const says of [
    `the constraint ${whole} of movements is missing`,
    `${whole} of movements_8_000 is not validated`,
    `${incoming} of purchase_lines is not validated`,
  ])
    assert.ok(missing.includes(says), says);
  await run('--parts', '8');
  await assertSound();
  await sql`create table ${sql.id(MOVEMENTS_COPY)} (like movements)`.execute(db);
  assert.match(
    (await examineSchema(db)).findings.map(({ says }) => says).join(),
    /There is a copy of the movements/,
  );
  await run('--parts', '8');
  await assertSound();
});

test('they become one table again in the same way', async () => {
  await buying(() => run('--parts', '1'));
  assert.equal(await countPartitions(), 0);
  await assertSound();
  await assertFound();
});

test('of two at once one is refused', async () => {
  const [one, other] = await Promise.all([
    loyalty(['partition', '--parts', '2']),
    loyalty(['partition', '--parts', '2']),
  ]);
  assert.ok(one.code === 0 || other.code === 0, one.stderr + other.stderr);
  for (const { code, stderr } of [one, other]) if (code !== 0) assert.match(stderr, /is running/);
  assert.equal(await countPartitions(), 2);
  await assertSound();
});
