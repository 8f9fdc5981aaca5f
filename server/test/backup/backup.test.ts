import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { before, test, type TestContext } from 'node:test';
import { makeBackupKey } from '#backup/encryption.ts';
import { openPlace } from '#backup/place.ts';
import { checkBackup, restoreBackup } from '#backup/restore-backup.ts';
import { takeBackup, type TakeOptions } from '#backup/take-backup.ts';
import { writeBackup } from '#backup/write-backup.ts';
import { sql, type Database } from '#db/database.ts';
import { migrate } from '#db/migrate.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { readStatus } from '#monitoring/read-status.ts';
import { loyalty } from '../command.ts';
import { databaseUrl, emptyDatabase, nameOf, testDatabase } from '../database.ts';
import { createRandom } from '#test/create-random.ts';
import { onOneServer } from '#test/on-cluster.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '../make.ts';
import { SEED } from '../random.ts';

const CUTS = Number(process.env['BACKUP_CUTS'] ?? 60);

let shop: Shop;
let member: MadeMember;

before(async () => {
  shop = await makeShop({ benefits: [benefit('coffee')], rewards: { welcome: { points: 5 } } });
  member = await shop.member('canary-of-a-backup');
  for (let i = 0; i < 20; i++) await shop.sell(member, 100);
  await shop.voucher(member, 'coffee');
});

test(
  'a backup that is taken while purchases go on is one moment of the books',
  { skip: onOneServer('each machine is backed up (trials/cluster/restore-point.ts)') },
  async (t) => {
    const folder = await temporaryFolder(t);
    const db = await testDatabase();
    const ended = new AbortController();
    const selling = (async () => {
      while (!ended.signal.aborted) await shop.sell(member, 7);
    })();
    const first = await countMovements(db);
    const taken = await take(folder, {});
    const last = await countMovements(db);
    ended.abort();
    await selling;

    const restored = await emptyDatabase(t, 2);
    const held = await restoreBackup(restored, await contentOf(taken.address), {
      identities: [],
      onProgress() {},
    });
    assert.equal(held.rows, taken.rows);
    assert.deepEqual((await verifyLedger(restored)).differences, []);
    const movements = await countMovements(restored);
    assert.ok(movements >= first && movements <= last, `${first} ≤ ${movements} ≤ ${last}`);
  },
);

test(`a backup that is cut or changed at any byte is refused (TEST_SEED=${SEED})`, async (t) => {
  const folder = await temporaryFolder(t);
  const { identity, recipient } = await makeBackupKey();
  const random = createRandom(SEED);
  for (const recipients of [[], [recipient]]) {
    const { address } = await take(folder, { recipients });
    const whole = await readFile(address);
    await check(whole, [identity]);
    const ends = [
      0,
      1,
      511,
      512,
      1024,
      whole.length - 1025,
      whole.length - 1024,
      whole.length - 512,
      whole.length - 1,
    ];
    for (let i = 0; i < CUTS; i++) ends.push(random.below(whole.length));
    for (const end of ends)
      await assert.rejects(
        check(whole.subarray(0, end), [identity]),
        /cut off or damaged|not a backup/,
        `cut at ${end}`,
      );
    for (let i = 0; i < CUTS; i++) {
      const changed = Buffer.from(whole);
      const at = random.below(whole.length);
      changed[at]! ^= 1 << random.below(8);
      // A changed name of the encryption makes it another file altogether.
      await assert.rejects(check(changed, [identity]), { name: 'Error' }, `changed at ${at}`);
    }
    await assert.rejects(check(Buffer.concat([whole, Buffer.alloc(512)]), [identity]), /damaged/);
  }
});

test('a damaged backup leaves an empty database, which takes a whole one', async (t) => {
  const folder = await temporaryFolder(t);
  const { address } = await take(folder, {});
  const whole = await readFile(address);
  const restored = await emptyDatabase(t, 2);
  const options = { identities: [], onProgress() {} };
  const cut = asContent(whole.subarray(0, whole.length - 1024));
  await assert.rejects(restoreBackup(restored, cut, options), /cut off or damaged/);
  assert.equal((await sql`select from users`.execute(restored)).rows.length, 0);
  await restoreBackup(restored, asContent(whole), options);
  assert.notEqual((await sql`select from users`.execute(restored)).rows.length, 0);
  await assert.rejects(restoreBackup(restored, asContent(whole), options), /not empty/);
});

test('a restore that ends as soon as the rows are in has ended the feeds, too', async (t) => {
  assert.equal((await shop.get('/v1/events')).status, 200);
  const feeds = async (db: Database) => (await sql`select from event_feeds`.execute(db)).rows.length;
  assert.notEqual(await feeds(await testDatabase()), 0);
  const { address } = await take(await temporaryFolder(t), {});
  const restored = await emptyDatabase(t, 2);
  const onProgress = (_: number | null, words: string) => {
    if (words === 'statistics') throw new Error('interrupted');
  };
  await assert.rejects(
    restoreBackup(restored, await contentOf(address), { identities: [], onProgress }),
    /interrupted/,
  );
  assert.notEqual((await sql`select from users`.execute(restored)).rows.length, 0);
  assert.equal(await feeds(restored), 0);
});

test(
  'an id that was given out after the backup is never given to anything else',
  { skip: onOneServer('each machine is backed up (trials/cluster/restore-point.ts)') },
  async (t) => {
    const folder = await temporaryFolder(t);
    const db = await testDatabase();
    const { address } = await take(folder, {});
    const taken = await readCountersOf(db);
    const restored = await emptyDatabase(t, 2);
    await restoreBackup(restored, await contentOf(address), { identities: [], onProgress() {} });
    const expected = (by: number) => taken.map((counter) => ({ ...counter, last: (counter.last ?? 0) + by }));
    assert.ok(taken.length > 10);
    assert.deepEqual(await readCountersOf(restored), expected(1_000_000));

    const guide = await readFile(new URL('../../../docs/backup.md', import.meta.url), 'utf8');
    const statements = [...guide.matchAll(/```sql\n([^`]*)```/g)].map(([, statement]) => statement!);
    assert.equal(statements.length, 2);
    for (const statement of statements) await sql.raw(statement).execute(restored);
    assert.deepEqual(await readCountersOf(restored), expected(2_000_000), 'the statement for pgBackRest');
  },
);

test('an encrypted backup tells nothing and opens with each of its keys, and with no other', async (t) => {
  const folder = await temporaryFolder(t);
  const [one, two, other] = await Promise.all([makeBackupKey(), makeBackupKey(), makeBackupKey()]);
  const { address } = await take(folder, { recipients: [one.recipient, two.recipient] });
  const whole = await readFile(address);
  for (const word of ['backup.json', 'movements', 'canary']) assert.equal(whole.includes(word), false, word);
  for (const { identity } of [one, two]) await check(whole, [other.identity, identity]);
  await assert.rejects(check(whole, [other.identity]), /encrypted for another key/);
  await assert.rejects(check(whole, []), /is encrypted/);
  await assert.rejects(take(folder, { recipients: ['age1nothing'] }), /not the public key/);
});

test('the newest backups are kept, and only after a new one is complete', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'accounts.tar'), 'not ours');
  for (let i = 0; i < 2; i++) await take(folder, {});
  const failing = { describe: (name: string) => name, list: () => [], remove: () => {}, read: () => {} };
  await assert.rejects(
    take(folder, { keep: 1, place: { ...failing, write: () => Promise.reject(new Error('full')) } as never }),
    /full/,
  );
  assert.equal((await readdir(folder)).length, 3);
  const { name, removed } = await take(folder, { keep: 2 });
  assert.equal(removed.length, 1);
  const left = (await readdir(folder)).toSorted();
  assert.deepEqual([left.length, left[0], left[2]], [3, 'accounts.tar', name]);
});

test('a backup with a time in the future is neither counted nor taken for the newest, and the new one stays', async (t) => {
  const folder = await temporaryFolder(t);
  const ahead = 'loyalty-2099-01-01T03-00-00-000Z.tar';
  await writeFile(join(folder, ahead), 'the clock was wrong');
  const first = await take(folder, { keep: 1 });
  const second = await take(folder, { keep: 1 });
  assert.deepEqual([second.removed, second.ahead], [[first.name], [ahead]]);
  assert.deepEqual((await readdir(folder)).toSorted(), [second.name, ahead]);
  const said = await loyalty(['backup', 'check', folder]);
  assert.deepEqual(
    [said.code, said.stderr],
    [1, `${join(folder, ahead)} has a time in the future. Name the backup that you mean.\n`],
  );
});

test('a backup is complete although the old ones cannot be removed', async (t) => {
  const folder = await temporaryFolder(t);
  await take(folder, {});
  const place = await openPlace(folder);
  const remove = () => Promise.reject(new Error('not allowed'));
  const taken = await take(folder, { keep: 1, place: { ...place, remove } });
  assert.deepEqual([taken.removed, taken.notRemoved?.message], [[], 'not allowed']);
  const { length } = await place.read(taken.name);
  assert.equal(length, taken.bytes);
});

test('monitoring hears of each backup: when the last one was complete, and since when they fail', async (t) => {
  const folder = await temporaryFolder(t);
  const db = await emptyDatabase(t, 2);
  await migrate(db);
  const env = { DATABASE_URL: databaseUrl(await nameOf(db)) };
  await sql`alter table watched_work rename to not_there_yet`.execute(db);
  const early = await loyalty(['backup', folder], { env });
  assert.deepEqual([early.code, early.stderr.includes('Monitoring')], [0, false], 'no table to note it in');
  await sql`alter table not_there_yet rename to watched_work`.execute(db);
  const stateOf = async () => (await readStatus(db)).work[0];

  assert.notEqual((await loyalty(['backup', '/proc/backups'], { env })).code, 0);
  const failed = (await stateOf())!;
  assert.deepEqual([failed.name, failed.succeededAt], ['backup', null]);
  assert.notEqual((await loyalty(['backup', '/proc/backups'], { env })).code, 0);
  assert.deepEqual(await stateOf(), failed, 'since the first one that failed');
  assert.equal((await loyalty(['backup', folder], { env })).code, 0);
  const { succeededAt, failingSince } = (await stateOf())!;
  assert.ok(succeededAt !== null && succeededAt >= failed.failingSince!);
  assert.equal(failingSince, null);

  const said = await loyalty(['doctor', '--json'], { env });
  assert.doesNotMatch(said.stdout, /"about":"backup"/);
  await sql`update watched_work set succeeded_at = now() - interval '40 hours'`.execute(db);
  assert.match((await loyalty(['doctor'], { env })).stdout, /The last backup is 40 hours old\./);

  await sql`alter table watched_work add constraint nothing check (succeeded_at is null) not valid`.execute(
    db,
  );
  const unheard = await loyalty(['backup', folder], { env });
  assert.equal(unheard.code, 0, 'a backup that is complete is one');
  assert.match(unheard.stderr, /The outcome of this backup could not be recorded for monitoring: /);
});

test('only the backup with the named checksum is restored or checked', async (t) => {
  const folder = await temporaryFolder(t);
  const { address, sha256 } = await take(folder, {});
  const whole = await readFile(address);
  const options = { identities: [], onProgress() {} };
  await checkBackup(asContent(whole), { ...options, sha256 });
  const other = { ...options, sha256: '00'.repeat(32) };
  await assert.rejects(checkBackup(asContent(whole), other), /This is another backup: its checksum is/);
  const restored = await emptyDatabase(t, 2);
  await assert.rejects(restoreBackup(restored, asContent(whole), other), /This is another backup/);
  assert.equal((await sql`select from users`.execute(restored)).rows.length, 0);
});

test('a file in the clear is not taken for a backup whose name says that it is encrypted', async (t) => {
  const folder = await temporaryFolder(t);
  const { address } = await take(folder, {});
  await copyFile(address, `${address}.age`);
  const checked = await loyalty(['backup', 'check', `${address}.age`]);
  assert.equal(checked.code, 1);
  assert.match(checked.stderr, /is not encrypted, although its name says so/);
});

test('a small part that would fill the memory is refused', async () => {
  const table = { name: 'users', columns: ['email'], aboutRows: 1 };
  const long = async function* () {
    yield Buffer.alloc(65 * 1024 * 1024, 'x\n');
  };
  const bytes = writeBackup(
    {
      migrations: [],
      guards: [],
      tables: [table],
      foreignTables: [],
      takenAt: new Date(),
      read: long,
      readCounters: () => Promise.resolve([]),
    },
    { program: 'test', onProgress() {} },
  );
  await assert.rejects(check(await buffer(bytes), []), /cut off or damaged: .*Cannot create a Buffer larger/);
});

test(
  'neither a secret key nor a password in the wrong place is printed',
  { skip: onOneServer('a backup is refused before') },
  async () => {
    const { identity } = await makeBackupKey();
    const password = 'hunter2';
    const ran = await Promise.all([
      loyalty(['backup', '/tmp', '--encrypt-to', identity]),
      loyalty(['backup', '/tmp'], { env: { BACKUP_RECIPIENTS: identity } }),
      loyalty(['backup', `sftp://me:${password}@host/x`]),
      loyalty(['backup', `s3://KEY:${password}@bucket/x`]),
    ]);
    for (const { code, stdout, stderr } of ran) {
      assert.equal(code, 1, stdout);
      assert.ok(!(stdout + stderr).includes(identity) && !stderr.includes(password), stderr);
    }
    assert.match(ran[0].stderr, /^A secret key stands where a public one belongs\. .*make a new pair/);
    assert.match(ran[2].stderr, /not at sftp:\/\/…@host\/x\./);
  },
);

async function take(folder: string, options: Partial<TakeOptions>) {
  const { address } = await testDatabase();
  const place = await openPlace(folder);
  return takeBackup(address, {
    place,
    recipients: [],
    keep: null,
    program: 'test',
    onProgress() {},
    ...options,
  });
}

async function check(bytes: Uint8Array, identities: readonly string[]) {
  return checkBackup(asContent(bytes), { identities, onProgress() {} });
}

function asContent(bytes: Uint8Array) {
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += 60_000) yield bytes.subarray(at, at + 60_000);
  };
  return { bytes: chunks(), length: bytes.length };
}

async function contentOf(path: string) {
  return asContent(await readFile(path));
}

/** Returns the last number of each sequence, null if it has not given out any. */
async function readCountersOf(db: Database): Promise<{ name: string; last: number | null }[]> {
  const { rows } = await sql<{ name: string; last: number | null }>`
    select sequencename::text as name, last_value as last from pg_sequences order by 1`.execute(db);
  return rows;
}

async function countMovements(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from movements`.execute(db);
  return rows[0]!.count;
}

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-backups-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}
