import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { emptyDatabase } from '#test/database.ts';
import { inShortLock } from './short-lock.ts';

test('a deadlock with a call is let pass, and the work is done on the next try', async (t) => {
  const db = await emptyDatabase(t, 3);
  await sql.raw('create table one (); create table two ()').execute(db);
  let tries = 0;
  let call: Promise<unknown> = Promise.resolve();
  await inShortLock(
    db,
    async () => {
      tries += 1;
    },
    async (tx) => {
      await sql`lock table one in access exclusive mode`.execute(tx);
      if (tries > 1) return;
      // A call that has the other table wants this one.
      const hasOther = Promise.withResolvers<void>();
      call = transaction(db, async (other) => {
        await sql`lock table two in access exclusive mode`.execute(other);
        hasOther.resolve();
        await sql`lock table one in access exclusive mode`.execute(other);
      });
      await hasOther.promise;
      await wait(100);
      // The half second would be over before PostgreSQL looks for deadlocks.
      await sql`set local deadlock_timeout = '10ms'`.execute(tx);
      await sql`lock table two in access exclusive mode`.execute(tx);
    },
  );
  await call;
  assert.equal(tries, 2);
});
