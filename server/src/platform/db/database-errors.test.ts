import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constraintOf, isDatabaseAway, isDiskFull } from './database-errors.ts';

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

test('a constraint is known by its field, and by the words of another machine', () => {
  const words = 'duplicate key value violates unique constraint';
  assert.equal(constraintOf(Object.assign(new Error(words), { constraint: 'a_code_key' })), 'a_code_key');
  assert.equal(constraintOf(new Error(`${words} "a_code_key_102008"`)), 'a_code_key_102008');
  assert.equal(
    constraintOf(
      new Error(
        'insert or update on table "members_102008" violates foreign key constraint "members_user_id_fkey_102008"',
      ),
    ),
    'members_user_id_fkey_102008',
  );
  assert.equal(constraintOf(new Error('relation "members" does not exist')), '');
});
