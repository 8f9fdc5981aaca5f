import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/database.ts';
import {
  onConnection,
  openDatabase,
  rolledBack,
  sql,
  sqlState,
  together,
  transaction,
  type Db,
  type Sql,
  type Tx,
} from './database.ts';

const db = await testDatabase();
await sql`create table steps (at bigint generated always as identity, name text unique)`.execute(db);

async function step(db: Db, name: string): Promise<void> {
  await sql`insert into steps (name) values (${name})`.execute(db);
}

async function steps(like: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from steps where name like ${`${like}%`} order by at`.execute(db);
  return rows.map(({ name }) => name);
}

test('statements that are sent together run in order, and each gets its own result', async () => {
  const names = Array.from({ length: 50 }, (_, i) => `order ${String(i).padStart(2, '0')}`);
  const answers = await transaction(db, (tx) =>
    Promise.all(
      names.map(async (name, i) => {
        await step(tx, name);
        return (await sql<{ i: number }>`select ${i}::int as i`.execute(tx)).rows[0]!.i;
      }),
    ),
  );
  assert.deepEqual(
    answers,
    names.map((_, i) => i),
  );
  assert.deepEqual(await steps('order'), names);
});

test('if one of them fails, its own error is thrown and all of them are rolled back', async () => {
  await step(db, 'taken');
  const together = transaction(db, (tx) =>
    Promise.all([step(tx, 'lost 1'), step(tx, 'taken'), step(tx, 'lost 2')]),
  );
  await assert.rejects(together, (error) => sqlState(error) === '23505');
  assert.deepEqual(await steps('lost'), []);
});

test('a transaction whose failed statement was ignored is an error, not a success', async () => {
  const unheard = transaction(db, async (tx) => {
    await step(tx, 'unheard');
    await sql`select 1 / 0`.execute(tx).catch(() => {});
  });
  // On a cluster, what looks before the commit whether a shard has moved says it first.
  await assert.rejects(unheard, /error was ignored|transaction is aborted/);
  assert.deepEqual(await steps('unheard'), []);
});

test('a statement that nobody awaits is rolled back with the rest, or never runs', async () => {
  await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      const refused = transaction(db, async (tx) => {
        void sql`select pg_sleep(0.01)`.execute(tx).catch(() => {});
        if (i % 2 === 0) await Promise.resolve();
        void step(tx, `late ${i}`).catch(() => {});
        if (i % 4 < 2) await sql`select 1`.execute(tx);
        throw new Error('refused');
      });
      await assert.rejects(refused, /refused/);
      await transaction(db, (tx) => step(tx, `next ${i}`));
    }),
  );
  assert.deepEqual(await steps('late'), []);
  assert.equal((await steps('next')).length, 40);
});

test('a statement after the end is refused, and does not run in the connection’s next transaction', async () => {
  const kept: Db[] = [];
  const refused = transaction(db, (tx) => {
    kept.push(tx);
    throw new Error('refused');
  });
  await assert.rejects(refused, /refused/);
  await transaction(db, async (tx) => {
    kept.push(tx);
    await step(tx, 'in time');
    // The pool reuses the connection that was released last.
    await assert.rejects(step(kept[0]!, 'in time, by another'), /is over/);
  });
  for (const over of kept) await assert.rejects(step(over, 'in time, too late'), /is over/);
  assert.deepEqual(await steps('in time'), ['in time']);
});

test('a statement behind one that has failed fails for the same reason', async () => {
  const codes: (string | undefined)[] = [];
  await assert.rejects(
    transaction(db, async (tx) => {
      const ended = await Promise.allSettled([
        sql`select 1 / 0`.execute(tx),
        sql`select 1`.execute(tx),
        sql`select 2`.execute(tx),
      ]);
      codes.push(...ended.map((end) => (end.status === 'rejected' ? sqlState(end.reason) : 'done')));
    }),
  );
  assert.deepEqual(codes, ['22012', '22012', '22012']);
});

test('the reason is the last failure, not one that was rolled back to a savepoint', async () => {
  const codes: (string | undefined)[] = [];
  await assert.rejects(
    transaction(db, async (tx) => {
      await sql`savepoint before`.execute(tx);
      await assert.rejects(sql`select 1 / 0`.execute(tx), { code: '22012' });
      await sql`rollback to savepoint before`.execute(tx);
      const ended = await Promise.allSettled([sql`select 'x'::int`.execute(tx), sql`select 1`.execute(tx)]);
      codes.push(...ended.map((end) => (end.status === 'rejected' ? sqlState(end.reason) : 'done')));
    }),
  );
  assert.deepEqual(codes, ['22P02', '22P02']);
});

test('of two parts that go out together, the one that failed by itself says why', async () => {
  const slow = async (tx: Tx, statement: Sql) => {
    const result = await statement.execute(tx).catch((error: unknown) => ({ error }));
    await new Promise((resolve) => setImmediate(resolve));
    if ('error' in result) throw result.error;
  };
  const [bad, good] = [sql`select 1 / 0`, sql`select 1`];
  const reasonOf = (parts: (tx: Tx) => [Promise<unknown>, Promise<unknown>]) =>
    transaction(db, (tx) => together(...parts(tx))).then(() => 'done', sqlState);
  assert.equal(await reasonOf((tx) => [slow(tx, bad), good.execute(tx)]), '22012');
  assert.equal(await reasonOf((tx) => [bad.execute(tx), slow(tx, good)]), '22012');
  assert.equal(await reasonOf((tx) => [slow(tx, good), bad.execute(tx)]), '22012');
  assert.equal(await reasonOf((tx) => [slow(tx, good), good.execute(tx)]), 'done');
});

test('a connection is given back when all that was sent on it is answered', async () => {
  const single = openDatabase({ ...db.address, poolSize: 1 });
  try {
    const ended: string[] = [];
    const note = (name: string) => () => ended.push(name);
    const reading = onConnection(single, async (connection) => {
      const slow = () => sql`select pg_sleep(0.2)`.execute(connection).then(note('slow'));
      await Promise.all([sql`select 1 / 0`.execute(connection), slow()]);
    });
    const next = sql`select 1`.execute(single).then(note('next'));
    await assert.rejects(reading, (error) => sqlState(error) === '22012');
    await next;
    assert.deepEqual(ended, ['slow', 'next']);

    let late: Db | undefined;
    await onConnection(single, async (connection) => void (late = connection));
    await assert.rejects(sql`select 1`.execute(late!), /given back/);
  } finally {
    await single.destroy();
  }
});

test('on a cluster, a connection whose statement was cancelled is sent nothing more and not used again', async () => {
  for (const [cluster, ...expected] of [
    ['citus', 3, 0],
    [null, 1, 2],
  ] as const) {
    let opened = 0;
    let rolledBackTimes = 0;
    const single = openDatabase({
      ...db.address,
      cluster,
      trustsMachines: true,
      poolSize: 1,
      onConnection: (client) => {
        opened += 1;
        const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
        client.query = ((...args: unknown[]) => {
          if (/\brollback$/.test(String(args[0]))) rolledBackTimes += 1;
          return query(...args);
        }) as typeof client.query;
      },
    });
    const takeTooLong = async (connection: Db) => {
      await sql`set local statement_timeout = 20`.execute(connection);
      await sql`select pg_sleep(60)`.execute(connection);
    };
    const isCancelled = (error: unknown) => sqlState(error) === '57014';
    try {
      await assert.rejects(transaction(single, takeTooLong), isCancelled);
      const onOne = (connection: Db) => rolledBack(connection, () => takeTooLong(connection));
      await assert.rejects(onConnection(single, onOne), isCancelled);
      await sql`select 1`.execute(single);
      assert.deepEqual([opened, rolledBackTimes], expected);
    } finally {
      await single.destroy();
    }
  }
});

test('if begin fails, its error is thrown, and no statement that was sent with it stores anything', async () => {
  let answered = 0;
  const failing = transaction(
    db,
    async (tx) => {
      await sql`select 1`.execute(tx);
      answered += 1;
      await step(tx, 'without begin');
    },
    { startsWithBegin: true, lockTimeoutMs: -5 },
  );
  await assert.rejects(failing, (error) => sqlState(error) === '22023');
  assert.deepEqual(await steps('without begin'), []);
  assert.equal(answered, 0);
  await transaction(db, (tx) => step(tx, 'with begin'), { startsWithBegin: true });
  assert.deepEqual(await steps('with begin'), ['with begin']);
});

test('a code that is taken and an account that is gone are worth another try, also as a machine of a cluster says so', async () => {
  for (const [state, says, runs] of [
    ['23505', 'duplicate key value violates unique constraint "vouchers_code_key_102008"', 2],
    ['23503', 'insert violates foreign key constraint "members_user_id_fkey_102008"', 2],
    ['23503', 'insert violates foreign key constraint "balances_commerce_id_member_id_fkey_102008"', 1],
  ] as const) {
    let run = 0;
    const done = await transaction(db, async (tx) => {
      run += 1;
      await sql`select 1`.execute(tx);
      if (run === 1) throw Object.assign(new Error(says), { code: state });
      return 'done';
    }).catch((error: unknown) => sqlState(error));
    assert.deepEqual([done, run], [runs === 2 ? 'done' : state, runs], says);
  }
});

test('the limit of a lock begins with its transaction, and on a cluster in a text of its own', async () => {
  for (const [cluster, beginning] of [
    ['citus', ['begin', 'set local lock_timeout = 50']],
    [null, ['begin; set local lock_timeout = 50']],
  ] as const) {
    const sent: string[] = [];
    const single = openDatabase({
      ...db.address,
      cluster,
      trustsMachines: true,
      poolSize: 1,
      onConnection: (client) => {
        const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
        client.query = ((...args: unknown[]) => {
          sent.push(String(args[0]));
          return query(...args);
        }) as typeof client.query;
      },
    });
    try {
      const { rows } = await transaction(
        single,
        (tx) => sql`select current_setting('lock_timeout') as limit`.execute(tx),
        { lockTimeoutMs: 50 },
      );
      assert.deepEqual(rows, [{ limit: '50ms' }]);
      assert.deepEqual(sent.slice(0, beginning.length), beginning);
    } finally {
      await single.destroy();
    }
  }
});
