import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { compareDatabases } from '#db/copy/compare-databases.ts';
import { fillDatabase } from '#db/copy/fill-database.ts';
import { inSnapshot } from '#db/copy/read-tables.ts';
import { openDatabase, sql } from '#db/database.ts';
import { borrowEmbedded, DatabaseMoved, startEmbedded } from '#db/embedded/embedded.ts';
import { findExistingPlace } from '#db/embedded/place.ts';
import { findPostmaster } from '#db/embedded/postmaster.ts';
import { loyalty, startLoyalty } from '#test/command.ts';
import { emptyDatabase, testDatabase } from '#test/database.ts';
import { earlier } from '#test/earlier.ts';
import { makeShop } from '#test/make.ts';
import { onOneServer } from '#test/on-cluster.ts';

interface Report {
  readonly tables: readonly { readonly isSame: boolean }[];
  readonly commerces: readonly { readonly slug: string; readonly before: object; readonly after: object }[];
}

test(
  'the embedded database moves to a server with every row, also if the first attempt was killed, and then refuses to start',
  {
    skip: onOneServer(
      'its tables are in shards, and a commerce moves as an archive (commerce-archive.test.ts)',
    ),
  },
  async (t) => {
    const shop = await makeShop();
    const member = await shop.member();
    await shop.sell(member, 12);
    const dataDir = await dataDirWithTestData(t);
    const target = await emptyDatabase(t, 2);
    // Its own pool stays closed until the move is done: a database that somebody uses is refused.
    const to = withPasswordAsParameter(target.address.url);
    const move = () => loyalty(['move', '--to', to, '--json'], { env: { DATA_DIR: dataDir } });

    const service = await startEmbedded({ dataDir, log });
    const refused = await move();
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^Another service .* already runs on /);
    await service.stop();

    const { folder } = (await findExistingPlace(dataDir))!;
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      const interrupted = await startLoyalty(['move', '--to', to], { DATA_DIR: dataDir });
      const ended = once(interrupted, 'exit');
      await untilCopying(to, interrupted);
      interrupted.kill(signal);
      const [code] = (await ended) as [number | null];
      if (signal === 'SIGINT') assert.deepEqual([code, await findPostmaster(folder)], [130, null]);
      await untilNobodyUses(to);
    }

    const moved = await move();
    assert.equal(moved.code, 0, moved.stderr);
    const { password } = new URL(target.address.url);
    assert.ok(!(moved.stdout + moved.stderr).includes(password), 'the password is not told');
    const { tables, commerces } = moved.json<Report>();
    assert.ok(tables.length > 40 && tables.every(({ isSame }) => isSame));
    const { before, after } = commerces.find(({ slug }) => slug === shop.slug)!;
    assert.deepEqual(after, before);
    const { rows } = await sql<{ code: number }>`
    select code from members where commerce_id = ${shop.id}`.execute(target);
    assert.deepEqual(rows, [{ code: member.code }]);
    await assert.rejects(startEmbedded({ dataDir, log }), DatabaseMoved);
    await assert.rejects(borrowEmbedded({ dataDir, log }), DatabaseMoved);
  },
);

test(
  'two databases are compared by every value of every row',
  {
    skip: onOneServer(
      'its tables are in shards, and a commerce moves as an archive (commerce-archive.test.ts)',
    ),
  },
  async (t) => {
    await (await makeShop()).member('eva');
    const original = await testDatabase();
    const copy = await emptyDatabase(t, 2);
    await inSnapshot(original.address, (snapshot) => fillDatabase(copy, snapshot));
    const differing = async () =>
      (await compareDatabases(original.address, copy.address)).tables
        .filter(({ isSame }) => !isSame)
        .map(({ table }) => table);
    assert.deepEqual(await differing(), []);
    await sql`update users set created_at = ${earlier('created_at', '-1 millisecond')}
             where id = (select min(id) from users)`.execute(copy);
    assert.deepEqual(await differing(), ['users']);
  },
);

const log = (): void => {};

/** A data folder whose database has all rows of the tests' database. Its server is stopped. */
async function dataDirWithTestData(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'loyalty-move-'));
  t.after(async () => {
    // The killed attempt may have left the server running.
    await rm(join((await findExistingPlace(dataDir))!.folder, 'moved.json'), { force: true });
    await (await borrowEmbedded({ dataDir, log })).release();
    const { base } = (await findExistingPlace(dataDir))!;
    await rm(base, { recursive: true, force: true });
    await rm(dataDir, { recursive: true, force: true });
  });
  const embedded = await startEmbedded({ dataDir, log });
  const database = openDatabase({
    url: embedded.url,
    poolSize: 2,
    preparedStatements: true,
    statementTimeoutMs: 0,
  });
  await inSnapshot((await testDatabase()).address, (snapshot) => fillDatabase(database, snapshot));
  await database.destroy();
  await embedded.stop();
  return dataDir;
}

/** Where one would forget to hide it. */
function withPasswordAsParameter(text: string): string {
  const url = new URL(text);
  url.searchParams.set('password', url.password);
  url.password = '';
  return url.href;
}

/** Waits until a move holds all tables of its target. */
async function untilCopying(url: string, move: ChildProcess): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  for (;;) {
    assert.equal(move.exitCode, null, 'the move ended before it began to copy');
    const { rows } = await sql<{ held: number }>`
      select count(*) as held
        from pg_locks l
        join pg_database d on d.oid = l.database
       where d.datname = ${name} and l.mode = 'AccessExclusiveLock' and l.granted`.execute(
      await testDatabase(),
    );
    if (rows[0]!.held > 40) return;
    await wait(5);
  }
}

/** Waits until PostgreSQL has noticed that the killed command is gone. */
async function untilNobodyUses(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  for (;;) {
    const { rows } = await sql`select from pg_stat_activity where datname = ${name}`.execute(
      await testDatabase(),
    );
    if (rows.length === 0) return;
    await wait(50);
  }
}
