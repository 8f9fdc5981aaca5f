import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitCallTime } from './call-time.ts';
import { createServer } from './server.ts';

test('a call that waits for ever is a 503, and the age of the oldest call is known meanwhile', async () => {
  const app = await createServer({
    log: false,
    lookups: {
      key: () => null,
      user: () => Promise.resolve(null),
      commerce: () => null,
      staffSession: () => null,
      staffKey: () => null,
    },
  });
  const callTime = limitCallTime(app, 300);
  const open = { schema: { hide: true }, config: { credential: 'none' as const } };
  app.get('/never', open, () => new Promise(() => {}));
  app.get('/soon', open, () => Promise.resolve({ message: 'soon' }));
  try {
    assert.equal(callTime.oldestMs(), 0);
    const never = app.inject('/never');
    assert.equal((await app.inject('/soon')).statusCode, 200);
    assert.ok(callTime.oldestMs() > 0);
    const { statusCode, headers } = await never;
    assert.deepEqual([statusCode, headers['retry-after']], [503, '1']);
    assert.equal(callTime.oldestMs(), 0);
  } finally {
    await app.close();
  }
});

test('a call whose route takes long is waited for', async () => {
  const nobody = () => null;
  const app = await createServer({
    log: false,
    lookups: {
      key: nobody,
      user: nobody,
      commerce: nobody,
      staffSession: nobody,
      staffKey: nobody,
      hasExpired: () => false,
    },
  });
  const callTime = limitCallTime(app, 100);
  app.get('/long', {
    schema: { hide: true },
    config: { credential: 'none' as const, takesLong: true },
    handler: () => new Promise((resolve) => setTimeout(resolve, 600, { message: 'done' })),
  });
  try {
    const answer = app.inject('/long');
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(callTime.oldestMs(), 0);
    assert.equal((await answer).statusCode, 200);
  } finally {
    await app.close();
  }
});
