import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from './turns.ts';

test('a request that never ends gives the place of its turn back when the turn is ended', async () => {
  const turns = createTurns();
  const before = turns.free(1_000);
  const ending = new AbortController();
  const hung = turns.run(true, ending.signal, ({ waitFor }) => waitFor(new Promise<never>(() => {})));
  assert.equal(turns.free(1_000).slow, before.slow - 1);
  ending.abort(new Error('it took too long'));
  await assert.rejects(hung, /it took too long/);
  assert.deepEqual(turns.free(1_000), before);
});
