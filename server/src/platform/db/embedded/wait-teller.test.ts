import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWaitTeller } from './wait-teller.ts';

test('a start that takes seconds says what it waits for, and not in every moment', async () => {
  const said: string[] = [];
  let asked = 0;
  let at = 0;
  const tell = createWaitTeller(
    (sentence) => said.push(sentence),
    () => at,
  );
  for (; at <= 40_000; at += 10)
    tell(() => {
      asked += 1;
      return `redo in progress, ${at} ms`;
    });
  await Promise.resolve();
  assert.deepEqual(said, [
    'PostgreSQL is not ready after 3 s: redo in progress, 3000 ms.',
    'PostgreSQL is not ready after 33 s: redo in progress, 33000 ms.',
  ]);
  assert.equal(asked, 2);
});
