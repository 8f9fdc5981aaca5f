/** Rates are divided by those of servers that only say hello, which share the rules of the service for routes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHello } from '../../../bench/child.ts';

for (const kind of ['node', 'fastify'] as const)
  test(`the server that says hello with ${kind} starts and answers`, async (t) => {
    const hello = await startHello(kind);
    t.after(() => hello.stop());
    const response = await fetch(`http://127.0.0.1:${hello.port}/`, {
      headers: { authorization: 'Bearer hello' },
    });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { message: 'hello' });
  });
