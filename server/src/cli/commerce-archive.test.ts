import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { commandFolder, loyalty } from '#test/command.ts';
import { anotherDatabase, databaseUrl, nameOf } from '#test/database.ts';
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
  await shop.close();
  const file = join(commandFolder, 'shop.archive');
  const exported = await loyalty(['commerce', 'export', shop.slug, '--output', file, '--json']);
  assert.deepEqual([exported.code, exported.stderr], [0, '']);
  const { rows, sha256 } = exported.json<Report>();
  assert.equal(rows['movements'], 1);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const again = await loyalty(['commerce', 'export', shop.slug, '--output', file]);
  assert.deepEqual([again.code, again.stderr], [1, `${file} exists already.\n`]);

  const there = await anotherDatabase();
  const env = { DATABASE_URL: databaseUrl(await nameOf(there)) };
  const tried = await loyalty(['commerce', 'import', file, '--dry-run', '--json'], { env });
  assert.deepEqual([tried.code, tried.json<Report>().commerce_id], [0, null], tried.stderr);
  const args = ['commerce', 'import', '-', '--reopen', '--sha256', sha256, '--json'];
  const imported = await loyalty(args, { env, input: await readFile(file) });
  assert.equal(imported.code, 0, imported.stderr);
  const { commerce_id: id } = imported.json<Report>();
  assert.match(imported.stderr, new RegExp(`X-Commerce-Id: ${id}\\.`));
  const { rows: found } = await sql<{ slug: string; status: string; action: string }>`
    select c.slug, c.status, (select a.action from audit a where a.commerce_id = c.id order by a.id desc limit 1) as action
      from commerces c
     where c.id = ${id}`.execute(there);
  assert.deepEqual(found, [{ slug: shop.slug, status: 'active', action: 'commerce.import' }]);
});
