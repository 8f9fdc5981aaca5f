import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { databaseUrl, testDatabase } from '#test/database.ts';
import { loadMembers } from '../../bench/load-members.ts';
import { explainHotPaths, tableOfPlans } from '../../bench/plans.ts';

// A purchase of one reads 2 rows; a batch of 64, 128. The largest commerce loaded here has over 4,000 members.
const MOST_ROWS = 500;

test('no statement of a hot path reads a table, or a commerce of it, from end to end', async (t) => {
  const db = await testDatabase();
  const loaded = await loadMembers(db, { members: 20_000, movements: 100_000, commerces: 50 });
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  const plans = await explainHotPaths(databaseUrl(rows[0]!.name), loaded);
  t.diagnostic(`\n${tableOfPlans(plans)}`);

  const whole = plans.filter((plan) => plan.readWhole.length > 0 || plan.rows > MOST_ROWS);
  assert.deepEqual(whole, []);
});
