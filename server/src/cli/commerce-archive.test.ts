import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { commandFolder, loyalty, startLoyalty } from '#test/command.ts';
import { anotherDatabase, databaseUrl, nameOf, testDatabase } from '#test/database.ts';
import { makeShop } from '#test/make.ts';

interface Report {
  readonly commerce_id: number | null;
  readonly slug: string;
  readonly rows: Record<string, number>;
  readonly sha256: string;
}

test('a commerce moves to another installation as a file that only its owner can read', async () => {
  const shop = await makeShop();
  await shop.sell(await shop.member(), 12);
  await shop.apply({ status: 'paused' });
  await shop.close();
  const file = join(commandFolder, 'shop.archive');
  const left = [`${file}.0123456789ab.partial`, `${file}.ba9876543210.partial`];
  for (const path of left) await writeFile(path, 'of an export that was killed');
  await utimes(left[0]!, 0, 0);
  const exported = await loyalty(['commerce', 'export', shop.slug, '--output', file, '--json']);
  assert.deepEqual([exported.code, exported.stderr], [0, '']);
  const { rows, sha256 } = exported.json<Report>();
  assert.equal(rows['movements'], 1);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(
    (await readdir(commandFolder)).filter((name) => name.endsWith('.partial')),
    ['shop.archive.ba9876543210.partial'],
    'one that was written to within a day may still be going on',
  );
  const again = await loyalty(['commerce', 'export', shop.slug, '--output', file]);
  assert.deepEqual([again.code, again.stderr], [1, `${file} already exists.\n`]);

  const there = await anotherDatabase();
  const env = { DATABASE_URL: databaseUrl(await nameOf(there)) };
  const tried = await loyalty(['commerce', 'import', file, '--dry-run', '--json'], { env });
  assert.deepEqual([tried.code, tried.json<Report>().commerce_id], [0, null], tried.stderr);
  const args = ['commerce', 'import', '-', '--reopen', '--sha256', sha256, '--json'];
  const imported = await loyalty(args, { env, input: await readFile(file) });
  assert.equal(imported.code, 0, imported.stderr);
  const { commerce_id: id } = imported.json<Report>();
  assert.match(imported.stderr, new RegExp(`X-Commerce-Id: ${id}\\.`));
  const { rows: found } = await sql<{ slug: string; status: string }>`
    select slug, status from commerces where id = ${id}`.execute(there);
  assert.deepEqual(found, [{ slug: shop.slug, status: 'paused' }], 'as its program says');
  const { rows: audited } = await sql<{ action: string }>`
    select action from audit where commerce_id = ${id} order by id desc limit 1`.execute(there);
  assert.deepEqual(audited, [{ action: 'commerce.import' }]);
});

test('an export writes into no file that is there already, and says which file it cannot write', async () => {
  const shop = await makeShop();
  const folder = join(commandFolder, 'shared');
  await mkdir(folder);
  const file = join(folder, 'shop.archive');
  await writeFile(`${file}.partial`, "somebody else's", { mode: 0o666 });
  const exported = await loyalty(['commerce', 'export', shop.slug, '--output', file]);
  assert.equal(exported.code, 0, exported.stderr);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal(await readFile(`${file}.partial`, 'utf8'), "somebody else's");
  assert.deepEqual((await readdir(folder)).toSorted(), ['shop.archive', 'shop.archive.partial']);

  const missing = join(folder, 'missing', 'shop.archive');
  const refused = await loyalty(['commerce', 'export', shop.slug, '--output', missing]);
  assert.equal(refused.code, 1);
  assert.ok(
    refused.stderr.startsWith(`${missing} cannot be written: its folder does not exist`),
    refused.stderr,
  );
});

test('an export whose reader is gone, or whose disk is full, fails and says so', async () => {
  const shop = await makeShop();
  const child = await startLoyalty(['commerce', 'export', shop.slug]);
  child.stdout.destroy();
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  assert.deepEqual([said, code], ['The archive is incomplete: write EPIPE.\n', 1]);

  const full = await open('/dev/full', 'w');
  const onFullDisk = spawn(process.execPath, child.spawnargs.slice(1), {
    cwd: commandFolder,
    env: { ...process.env, ENV_FILE: 'off', DATABASE_URL: databaseUrl(await nameOf(await testDatabase())) },
    stdio: ['ignore', full.fd, 'pipe'],
  });
  const [complaint, [status]] = await Promise.all([text(onFullDisk.stderr!), once(onFullDisk, 'close')]);
  await full.close();
  assert.match(complaint, /^The archive is incomplete: ENOSPC/);
  assert.equal(status, 1);
});
