import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoConnection } from './database-errors.ts';
import { createTrouble } from './trouble.ts';

test('an outage is logged when it begins and when it ends, with what it cost and without a stack', async () => {
  const lines: { fields: object; message: string }[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const well = { now: false };
  const trouble = createTrouble({
    log: {
      warn: (fields, message) => {
        lines.push({ fields, message });
        if (lines.length === 2) end();
      },
    },
    check: () => (well.now ? Promise.resolve() : Promise.reject(new Error('away'))),
    checkEveryMs: 5,
  });
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  for (let call = 0; call < 300; call++) assert.equal(trouble.note(new NoConnection(refused), 1), true);
  assert.deepEqual(trouble.counts(), { unavailable: true, outages: 1, refusedCalls: 300 });
  well.now = true;
  await ended;
  trouble.stop();
  assert.deepEqual(lines[0], {
    fields: { reason: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
    message: 'the database is not available',
  });
  assert.equal(lines[1]!.message, 'the database is available again');
  assert.equal((lines[1]!.fields as { refusedCalls: number }).refusedCalls, 300);
  assert.equal(trouble.counts().unavailable, false);
});

test('an error that is not the database’s is left to the caller', () => {
  const trouble = createTrouble({ check: () => Promise.resolve() });
  assert.equal(trouble.note(new Error('a bug')), false);
  assert.equal(trouble.counts().outages, 0);
});

test('no connection is a failure of the database, whatever the reason', () => {
  const trouble = createTrouble({ check: () => Promise.resolve() });
  for (const code of ['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL', '28P01', '3D000', '53300', 'EAI_FAIL'])
    assert.equal(trouble.note(new NoConnection(Object.assign(new Error(code), { code }))), true, code);
  trouble.stop();
});
