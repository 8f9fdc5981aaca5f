import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loyalty } from '#test/command.ts';
import { databaseUrl, nameOf, testDatabase } from '#test/database.ts';
import { loadMembers } from '../../../bench/load-members.ts';
import { explainHotPaths } from '../../../bench/plans.ts';

test('no statement of a hot path touches more than one partition of the movements', async (t) => {
  const db = await testDatabase();
  const loaded = await loadMembers(db, { members: 5_000, movements: 25_000, commerces: 20 });
  const { code, stderr } = await loyalty(['partition', '--parts', '8']);
  assert.equal(code, 0, stderr);
  const plans = await explainHotPaths(databaseUrl(await nameOf(db)), loaded);
  const touched = plans.map(({ statement, tree }) => ({
    statement,
    // A partition that was left out at run time stands in the plan without a page.
    partitions: new Set(
      [...tree.matchAll(/ movements_8_(\d{3})\w*: \d+ rows, [1-9]/g)].map(([, partition]) => partition),
    ),
  }));
  const some = touched.filter(({ partitions }) => partitions.size > 0);
  t.diagnostic(`${some.length} of ${plans.length} statements read movements`);
  assert.ok(some.length > 5);
  assert.deepEqual(
    some.filter(({ partitions }) => partitions.size > 1),
    [],
  );
});
