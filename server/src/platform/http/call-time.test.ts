import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { FastifyBaseLogger } from 'fastify';
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

test('what a call answers after its 503 is ignored without a word, and its stream is closed', async () => {
  const said: unknown[] = [];
  const note = (line: unknown) => void said.push(line);
  const log = {
    level: 'info',
    info: note,
    warn: note,
    error: note,
    fatal: note,
  } as unknown as FastifyBaseLogger;
  Object.assign(log, { debug: () => {}, trace: () => {}, child: () => log });
  const nobody = () => null;
  const app = await createServer({
    log,
    lookups: { key: nobody, user: nobody, commerce: nobody, staffSession: nobody, staffKey: nobody },
  });
  limitCallTime(app, 100);
  const open = { schema: { hide: true }, config: { credential: 'none' as const } };
  const late = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  app.get('/sends', open, async (_, reply) => {
    await late.promise;
    const sent = reply.code(200).send({ message: 'late' });
    answered.resolve();
    return sent;
  });
  const stream = Readable.from(['a line']);
  app.get('/streams', open, async () => {
    await late.promise;
    return stream;
  });
  try {
    const answers = await Promise.all([app.inject('/sends'), app.inject('/streams')]);
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [503, 503],
    );
    const closed = once(stream, 'close');
    late.resolve();
    await answered.promise;
    assert.deepEqual(said, []);
    await closed;
  } finally {
    await app.close();
  }
});
