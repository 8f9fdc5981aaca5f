import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDatabaseAway, isDiskFull } from './database-errors.ts';

/** Citus calls what another machine reports an internal error. `file` is the place in its source. */
const internal = (message: string, file: string) =>
  Object.assign(new Error(message), { code: 'XX000', file });

test('a machine of a cluster that is lost or full is an outage, and an internal error is none', () => {
  for (const error of [
    internal('connection to the remote node loyalty@10.0.0.2:5432 failed', 'connection_management.c'),
    internal('server closed the connection unexpectedly', 'remote_commands.c'),
    internal('could not write to file: No space left on device', 'remote_commands.c'),
    internal('could not find valid entry for shard 102009', 'metadata_cache.c'),
  ])
    assert.equal(isDatabaseAway(error), true, error.message);
  for (const error of [
    internal('duplicate key value violates unique constraint', 'remote_commands.c'),
    internal('unrecognized node type: 11', 'multi_planner.c'),
  ])
    assert.equal(isDatabaseAway(error), false, error.message);
});

test('a disk is full by the state of PostgreSQL, and by the words of another machine', () => {
  const full = Object.assign(new Error('could not extend file'), { code: '53100' });
  assert.equal(isDiskFull(new Error('wrapped', { cause: full })), true);
  assert.equal(
    isDiskFull(internal('could not write to file: No space left on device', 'remote_commands.c')),
    true,
  );
  assert.equal(isDiskFull(internal('could not open file', 'fd.c')), false);
});
