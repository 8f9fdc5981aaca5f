import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from '#db/database.ts';
import { expirePoints } from '#jobs/expire-points.ts';
import { testDatabase } from '#test/database.ts';
import { loadMembers } from '../../../bench/load-members.ts';

test('who has points that expire is looked up in an index of those, among many whose points never do', async () => {
  const db = await testDatabase();
  await loadMembers(db, { members: 20_000, movements: 20_000, commerces: 50 });
  await expirePoints.due(db);
  // PostgreSQL counts the scans of a connection once it has been idle for a while.
  let scans = 0;
  for (let tries = 0; scans === 0 && tries < 300; tries++) {
    await setTimeout(100);
    const { rows } = await sql<{ scans: number }>`
      select idx_scan as scans from pg_stat_user_indexes where indexrelname = 'balances_due'`.execute(db);
    scans = rows[0]!.scans;
  }
  assert.ok(scans > 0);
});
