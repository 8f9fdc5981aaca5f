import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { testDatabaseUrl } from '#test/database.ts';
import { openDatabase } from '#db/database.ts';
import { findSettledId } from './settled-id.ts';

interface Moment {
  /** The sessions at the coordinator that may insert movements. */
  readonly sessions?: string[];
  /** The names of what is prepared on each machine; null if it does not answer. */
  readonly prepared: (string | null)[];
}

/** A cluster that goes through these moments: the next one begins when the same is asked again. Returns the number of the present one, too. */
async function openCluster(t: TestContext, moments: readonly Moment[]) {
  let at = 0;
  const asked = new Set<string>();
  const moment = (question: string) => {
    if (asked.has(question)) {
      at = Math.min(at + 1, moments.length - 1);
      asked.clear();
    }
    asked.add(question);
    return moments[at]!;
  };
  const db = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 2,
    preparedStatements: true,
    cluster: 'citus',
    trustsMachines: true,
    onConnection: (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = ((...args: unknown[]) => {
        const name = /^-- ([\w-]+)/.exec(String(args[0]))?.[1];
        if (name === 'has-citus') return Promise.resolve({ rows: [{ has: true }] });
        if (name === 'read-writers-of-movements') {
          const { sessions = [] } = moment('sessions');
          return Promise.resolve({ rows: sessions.map((writer) => ({ writer })) });
        }
        if (name === 'ask-machines')
          return Promise.resolve({ rows: moment('prepared').prepared.map((said) => ({ said })) });
        return query(...args);
      }) as typeof client.query;
    },
  });
  t.after(() => db.destroy());
  return { db, now: () => at };
}

test('a transaction that is still prepared when its session has ended is waited for', async (t) => {
  const { db, now } = await openCluster(t, [
    { sessions: ['3/14/159'], prepared: ['', ''] },
    { prepared: ['', 'citus_0_159_2_6'] },
    { prepared: ['', 'citus_0_159_2_6'] },
    { prepared: ['', ''] },
  ]);
  assert.notEqual(await findSettledId(db), null);
  assert.equal(now(), 3);
});

test('a machine that falls silent is waited for, and then for what is prepared there', async (t) => {
  const { db, now } = await openCluster(t, [
    { sessions: ['3/14/159'], prepared: ['', ''] },
    { prepared: ['', null] },
    { prepared: ['', 'citus_0_159_2_6'] },
    { prepared: ['', ''] },
  ]);
  assert.notEqual(await findSettledId(db), null);
  assert.equal(now(), 3);
});

test('a transaction is not over because its machine no longer answers', async (t) => {
  const { db, now } = await openCluster(t, [
    { prepared: ['', 'citus_0_159_2_6'] },
    { prepared: ['', null] },
    { prepared: ['', 'citus_0_159_2_6'] },
    { prepared: ['', ''] },
  ]);
  assert.notEqual(await findSettledId(db), null);
  assert.equal(now(), 3);
});

test('transactions that begin later are not waited for', async (t) => {
  const { db, now } = await openCluster(t, [
    { sessions: ['3/14/159'], prepared: ['', ''] },
    { sessions: ['3/15/159'], prepared: ['', 'citus_0_159_2_6'] },
    { sessions: ['3/16/159'], prepared: ['', 'citus_0_159_3_7'] },
    { sessions: ['3/17/159'], prepared: ['', 'citus_0_159_4_8'] },
  ]);
  assert.notEqual(await findSettledId(db), null);
  assert.equal(now(), 2);
});
