/** What tests have to know about the three nodes that they may run on (`CITUS_BIN`, see `global-setup.ts`). */
import assert from 'node:assert/strict';

/** Whether the database is divided over several servers. */
export const isOnNodes = process.env['TEST_CLUSTER'] !== undefined;

/**
 * The value of `skip` for what only one server can do.
 * @param instead what happens on a cluster, and where that is tested
 */
export function onOneServer(instead: string): string | false {
  return isOnNodes && `one server only; on a cluster, ${instead}`;
}

/** Fails if a job would still visit a commerce. On a cluster it visits all of them by design, and finds nothing to do there. */
export function assertNotDue(due: readonly number[], commerceId: number): void {
  assert.equal(due.includes(commerceId), isOnNodes);
}
