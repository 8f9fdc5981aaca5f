import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { testDatabase } from '#test/database.ts';
import { canEarn, isActive, isActiveRow } from './eligibility.ts';
import type { Member } from './member.ts';

const BLOCKED = new Date();

/** The table of states: who earns, and who takes part. */
const STATES: readonly (readonly [
  Member['state'],
  Date | null,
  { readonly earns: boolean; readonly active: boolean },
])[] = [
  ['invited', null, { earns: true, active: false }],
  ['invited', BLOCKED, { earns: false, active: false }],
  ['member', null, { earns: true, active: true }],
  ['member', BLOCKED, { earns: false, active: false }],
  ['left', null, { earns: false, active: false }],
  ['left', BLOCKED, { earns: false, active: false }],
];

for (const [state, blockedAt, { earns, active }] of STATES) {
  const title = `${state}${blockedAt === null ? '' : ' and blocked'}`;
  test(`${title}: ${earns ? 'earns' : 'does not earn'}, ${active ? 'is' : 'is not'} active, in SQL too`, async () => {
    assert.equal(canEarn({ state, blockedAt }), earns);
    assert.equal(isActive({ state, blockedAt }), active);
    const { rows } = await sql<{ active: boolean }>`
      select ${isActiveRow} as active
        from (select ${state}::text as state, ${blockedAt}::timestamptz as blocked_at) as m`.execute(
      await testDatabase(),
    );
    assert.deepEqual(rows, [{ active }]);
  });
}
