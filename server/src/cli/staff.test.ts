import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { userInfo } from 'node:os';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { commandFolder, loyalty } from '#test/command.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { someone } from '#test/sign-in.ts';
import { backOffice } from '#test/staff.ts';

test('people are invited, listed, given another role and removed by their address', async () => {
  const { slug } = await makeShop();
  const staff = (name: string, ...rest: string[]) => loyalty(['staff', name, '--commerce', slug, ...rest]);
  const [marta, eva] = [someone('marta'), someone('eva')];
  assert.equal((await staff('invite', '--role', 'owner', '--name', 'Marta', marta)).code, 0);
  assert.equal((await staff('invite', '--role', 'cashier', eva.toUpperCase())).code, 0);
  const twice = await staff('invite', '--role', 'owner', eva);
  assert.deepEqual([twice.code, twice.stderr.includes('works here already')], [1, true]);

  const list = async () =>
    (await staff('list'))
      .json<{ email: string; name: string; role: string }[]>()
      .map((one) => [one.email, one.name, one.role]);
  const name = eva.split('@')[0]!;
  assert.deepEqual(await list(), [
    [marta, 'Marta', 'owner'],
    [eva, name, 'cashier'],
  ]);
  assert.equal((await staff('role', '--role', 'manager', eva)).code, 0);
  assert.equal((await list())[1]![2], 'manager');
  const last = await staff('remove', marta);
  assert.deepEqual([last.code, /only owner/.test(last.stderr)], [1, true]);
  assert.equal((await staff('remove', eva)).code, 0);
  assert.equal((await staff('remove', eva)).code, 1);
  assert.equal((await staff('invite', '--role', 'boss', eva)).code, 2);
  assert.equal((await staff('invite', '--role', 'owner', 'eva at example')).code, 2);
});

test('a key with a role is one of the back office, and works nowhere else', async () => {
  const shop = await makeShop();
  const created = await loyalty([
    'key',
    'create',
    '--commerce',
    shop.slug,
    '--name',
    'report',
    '--role',
    'owner',
  ]);
  const { key } = created.json<{ key: string }>();
  assert.match(key, /^lk_admin_/);
  assert.equal((await backOffice({ authorization: `Bearer ${key}` }).get('staff')).status, 200);
  const listed = (await loyalty(['key', 'list', shop.slug])).json<{ role: string | null }[]>();
  assert.deepEqual(listed.at(-1)?.role, 'owner');
});

test('the audit has what the command line does, and by which user of the system', async () => {
  const { db } = await service();
  const slug = `audited-${Date.now()}`;
  const file = join(commandFolder, 'audited.yaml');
  writeFileSync(
    file,
    `slug: ${slug}\nname: Audited\nsandbox: true\ncurrency: EUR\ntime_zone: Europe/Madrid\nearning: { money_per_point: 1 }\n`,
  );
  const run = async (...args: string[]) => {
    const { code, stderr } = await loyalty(args);
    assert.equal(code, 0, stderr);
  };
  await run('apply', file, '--dry-run').catch(() => {});
  await run('apply', file);
  await run('apply', file);
  await run('key', 'create', slug, '--name', 'till 1');
  await run('key', 'revoke', slug, '--all');
  await run('key', 'revoke', slug, '--all');
  writeFileSync(join(commandFolder, 'people.csv'), 'email\nana@example.com\n');
  await run('members', 'import', join(commandFolder, 'people.csv'), '--commerce', slug, '--dry-run');
  await run('members', 'import', join(commandFolder, 'people.csv'), '--commerce', slug);
  writeFileSync(
    join(commandFolder, 'purchases.csv'),
    'email,amount,at,external_id\nana@example.com,5,2026-01-02T10:00:00Z,a\n',
  );
  await loyalty(['purchases', 'import', join(commandFolder, 'purchases.csv'), '--commerce', slug]);
  await run('clock', 'advance', slug, '1d');
  await run('commerce', 'close', slug);
  await run('commerce', 'close', slug);

  const { rows } = await sql<{ action: string; source: string; subject: string | null }>`
    select a.action, a.source, a.subject
      from audit a join commerces c on c.id = a.commerce_id
     where c.slug = ${slug} and a.actor = 'command_line' order by a.id`.execute(db);
  assert.deepEqual(
    rows.map(({ action }) => action),
    [
      'program.create',
      'key.create',
      'key.revoke',
      'members.import',
      'purchases.import',
      'clock.advance',
      'commerce.close',
    ],
  );
  assert.deepEqual(new Set(rows.map(({ source }) => source)), new Set([userInfo().username]));
});
