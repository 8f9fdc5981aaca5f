import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineOf, shardsOf } from '#db/cluster/shards.ts';
import { openDatabase } from '#db/database.ts';
import { createShelfReader } from '#benefits/shelf-reader.ts';
import { createClientReader } from '#accounts/client-reader.ts';
import { createHistoryReader } from '#history/history-reader.ts';
import { listPurchases } from '#purchases/list-purchases.ts';
import { createBenefitExchanger } from '#vouchers/benefit-exchanger.ts';
import { createVoucherRedeemer } from '#vouchers/voucher-redeemer.ts';
import { createPurchaseRecorder } from '#purchases/purchase-recorder.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { PATIENT, testDatabaseUrl } from '#test/database.ts';
import { benefit, makeShop } from '#test/make.ts';
import { isOnNodes } from '#test/on-cluster.ts';

const NEEDS_NODES = { skip: isOnNodes ? false : 'needs several servers: CITUS_BIN starts them' };

test('calls need the machine of their shop, and no other', NEEDS_NODES, async (t) => {
  const reached = new Set<string>();
  const db = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 4,
    preparedStatements: true,
    cluster: 'citus',
    // Whoever asks whether all machines are of one state reaches all of them.
    trustsMachines: true,
    statementTimeoutMs: 60_000,
    patience: PATIENT,
    onConnection: (client) => {
      client.on('notice', ({ message, detail }) => {
        const [, machine] = /^on server \S+@(\S+:\d+)/.exec(detail ?? '') ?? [];
        if (message?.startsWith('issuing') === true && machine !== undefined) reached.add(machine);
      });
      void client.query('set citus.log_remote_commands = on; set client_min_messages = log');
    },
  });
  t.after(() => db.destroy());
  shardsOf(db);

  // On either machine.
  for (let n = 0; n < 6; n++) {
    const shop = await makeShop({ benefits: [benefit('coffee', { cost: 1 })] });
    while (machineOf(db, shop.id) === null) await sleep(20);
    const { code, userId } = await shop.member();
    const request = { key: `key-${n}`, path: {}, body: {} };
    const buy = (buyer: { code: number } | { email: string }, key: string) =>
      createPurchaseRecorder(db).record({
        commerceId: shop.id,
        buyer,
        ...NOWHERE,
        amount: 900,
        request: { ...request, key: `${key}-${n}` },
      });
    const calls = {
      'a purchase': () => buy({ code }, 'bought'),
      'the same again': () => buy({ code }, 'bought'),
      'a purchase of somebody unknown': () => buy({ email: `nobody-${n}@example.com` }, 'invited'),
      'an exchange and the use of its code': async () => {
        const { voucher } = await createBenefitExchanger(db).exchange({
          commerceId: shop.id,
          userId,
          benefitId: 'coffee',
          request,
        });
        await createVoucherRedeemer(db).redeem({ commerceId: shop.id, code: voucher.code, request });
      },
    };
    const reads = {
      'the account of a member': () => createClientReader(db).byCode({ commerceId: shop.id, code }),
      'a page of the clients': () =>
        createClientReader(db).page({ commerceId: shop.id, limit: 10, offset: 0 }),
      'the history of a member': () =>
        createHistoryReader(db)({
          commerceId: shop.id,
          id: userId,
          whose: 'user',
          position: null,
          withFactors: true,
        }),
      'the catalog': () => createShelfReader(db)(shop.id),
      'the list of purchases': () => listPurchases(db, shop.id, {}, null),
      'the purchases of a member': () => listPurchases(db, shop.id, { code }, null),
    };
    for (const [name, call] of Object.entries({ ...calls, ...reads })) {
      reached.clear();
      await call();
      assert.deepEqual([...reached], [machineOf(db, shop.id)], name);
    }
  }
});
