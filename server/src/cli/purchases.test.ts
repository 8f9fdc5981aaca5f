import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { loyalty } from '#test/command.ts';
import { expectTampering } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';

const FILE = new URL('../../test/purchases.csv', import.meta.url).pathname;

interface Imported {
  readonly rows: number;
  readonly imported: number;
  readonly repeated: number;
  readonly refused: { line: number }[];
  readonly waiting: { buyers: number; points: number };
  readonly tiers: object[];
  readonly tier_codes: number;
  readonly seconds: number;
}

test('a file of purchases is imported once, its bad lines are reported by number, and the ledger verifies', async () => {
  const shop = await makeShop();
  const first = await loyalty(['purchases', 'import', FILE, '--commerce', shop.slug, '--json']);
  assert.equal(first.code, 3, first.stderr);
  const { rows, imported, repeated, refused } = first.json<Imported>();
  assert.deepEqual([rows, imported, repeated, refused.map(({ line }) => line)], [6, 4, 0, [5, 6]]);
  assert.match(first.stderr, /line 5: .*above zero\nline 6: amount must be a whole number/);

  const { waiting, tiers, tier_codes: tierCodes } = first.json<Imported>();
  assert.deepEqual([waiting.buyers, tiers, tierCodes], [3, [], 0]);
  const { rows: members } = await sql<{ points: number }>`
    select sum(points)::int as points from movements where commerce_id = ${shop.id}`.execute(
    (await service()).db,
  );
  assert.equal(waiting.points, members[0]!.points);

  const again = (await loyalty(['purchases', 'import', FILE, '--commerce', shop.slug])).json<Imported>();
  assert.deepEqual([again.imported, again.repeated], [0, 4]);

  const verified = await loyalty(['ledger', 'verify', shop.slug, '--json']);
  assert.equal(verified.code, 0, verified.stderr);
  assert.deepEqual(verified.json(), { commerces: 1, members: 3, movements: 4, unsealed: 4, differences: [] });
});

test('the file with lines of the documentation is imported, and earns by them', async () => {
  const page = await readFile(new URL('../../../docs/import.md', import.meta.url), 'utf8');
  const [, csv = ''] = /```\n(client_email,[^`]*lines\n[^`]*)```/.exec(page) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'import-'));
  const file = join(folder, 'purchases.csv');
  await writeFile(file, csv);
  const shop = await makeShop({
    earning: {
      money_per_point: 1,
      rules: [{ id: 'coffee', title: 'Coffee', when: { categories: ['coffee'] }, give: { multiply: 2 } }],
    },
  });
  const { imported, waiting } = (
    await loyalty(['purchases', 'import', file, '--commerce', shop.slug])
  ).json<Imported>();
  assert.deepEqual([imported, waiting.points], [1, 24]);
  await rm(folder, { recursive: true });
});

test('verify lists the differences by member and exits with 1', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const member = await shop.member();
  expectTampering(shop.id);
  await sql`update members set purchases = 3 where commerce_id = ${shop.id}`.execute(db);
  const { code, stderr, json } = await loyalty(['ledger', 'verify', shop.slug]);
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`${shop.slug}, member ${member.code}: .* in 3 purchases are stored`));
  assert.deepEqual(
    json<{ differences: object[] }>().differences.map((difference) => ({ ...difference, says: '' })),
    [
      {
        commerce: shop.slug,
        invariant: 'lifetime figures are the sum of the movements',
        member: member.code,
        movement: null,
        says: '',
        member_id: member.memberId,
      },
    ],
  );
});
