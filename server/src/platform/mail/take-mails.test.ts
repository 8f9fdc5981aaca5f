import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashBigint } from '#db/cluster/hash-bigint.ts';
import { askSoon, isUnheard } from '#db/cluster/heartbeat.ts';
import { machineOf } from '#db/cluster/shards.ts';
import { sql, transaction } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { openCluster, type Answers } from '#test/scripted-cluster.ts';
import { enqueueMails, type Mail } from './outbox.ts';
import { takeMails } from './take-mails.ts';

const { db: calls } = await service();

const isOnB = (commerceId: number) => hashBigint(commerceId) >= 0;

async function shopWhere(isRight: (id: number) => boolean): Promise<number> {
  for (;;) {
    const { id } = await makeShop();
    if (isRight(id)) return id;
  }
}

/** Mails of a shop on either machine, and one of the service, in this order. The machine `b:1` answers nothing while `isLost`. */
async function openOutbox(t: Parameters<typeof openCluster>[0]) {
  const answers: Answers = { 'a:1': 41, 'b:1': 41 };
  const state = { isLost: true, asked: 0, answers };
  const { db } = await openCluster(t, answers, {
    shards: [
      { from: -(2 ** 31), machine: 'a:1' },
      { from: 0, machine: 'b:1' },
    ],
    refuses(name, values) {
      if (name !== 'read-leased-mails' || !isOnB(Number(values[0]))) return null;
      state.asked += 1;
      return state.isLost
        ? Object.assign(new Error('connection to the remote node failed'), { code: '08006' })
        : null;
    },
  });
  await sql`delete from outbox`.execute(calls);
  const [here, there, alsoThere] = [
    await shopWhere((id) => !isOnB(id)),
    await shopWhere(isOnB),
    await shopWhere(isOnB),
  ];
  const invitation = (commerceId: number, nth: number): Mail => ({
    commerceId,
    kind: 'invitation',
    recipient: `nobody-${nth}@example.com`,
    content: { points: null },
  });
  const setUp = {
    commerceId: null,
    kind: 'set-up-code',
    recipient: 'owner@example.com',
    content: { code: '123456', locale: 'es' },
  } as const;
  for (const mail of [
    ...Array.from({ length: 4 }, (_, i) => invitation(i % 2 === 0 ? there : alsoThere, i)),
    setUp,
    invitation(here, 9),
  ])
    await transaction(calls, (tx) => enqueueMails(tx, [mail]));
  const leaseEnds = () => sql`update outbox set leased_until = null`.execute(calls);
  return { db, state, leaseEnds, here, there, alsoThere };
}

const commercesOf = (mails: readonly { commerceId: number | null }[]) =>
  [...new Set(mails.map(({ commerceId }) => commerceId))].toSorted((a, b) => Number(a) - Number(b));

test('on a cluster, mails of a shop whose machine is lost wait, and those of others and of the service are taken', async (t) => {
  const { db, state, leaseEnds, here, there, alsoThere } = await openOutbox(t);
  assert.deepEqual(commercesOf(await takeMails(db, 2)), [null, here]);
  assert.ok(state.asked > 0);
  // Nothing is left but what nobody can send.
  await sql`delete from outbox where commerce_id is null or commerce_id = ${here}`.execute(calls);
  await leaseEnds();
  await assert.rejects(takeMails(db, 2), /remote node failed/);

  state.isLost = false;
  await leaseEnds();
  assert.deepEqual(
    commercesOf(await takeMails(db, 5)),
    [there, alsoThere].toSorted((a, b) => a - b),
  );
});

test('on a cluster, the mails of a machine that does not answer are not even taken, until it does', async (t) => {
  const { db, state, leaseEnds, here, there, alsoThere } = await openOutbox(t);
  state.answers['b:1'] = null;
  askSoon(db);
  while (!isUnheard(db, 'b:1') || machineOf(db, there) === null) {
    await sql`select 1`.execute(db);
    await sleep(20);
  }
  assert.deepEqual(commercesOf(await takeMails(db, 2)), [null, here]);
  assert.equal(state.asked, 0, 'nobody waited for the machine');
  await leaseEnds();
  assert.deepEqual(commercesOf(await takeMails(db, 2)), [null, here]);
  await leaseEnds();
  const { rows } = await sql<{ attempts: number }>`
    select max(attempts) as attempts from outbox where commerce_id = any(${[there, alsoThere]}::bigint[])`.execute(
    calls,
  );
  assert.deepEqual(rows, [{ attempts: 1 }], 'the second time they stood aside');

  state.isLost = false;
  state.answers['b:1'] = 41;
  while (isUnheard(db, 'b:1')) await sleep(20);
  assert.deepEqual(commercesOf(await takeMails(db, 9)), [
    null,
    ...[here, there, alsoThere].toSorted((a, b) => a - b),
  ]);
});
