/** A service whose process is killed again and again while a client buys there, and the client. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setImmediate as aTurn } from 'node:timers/promises';
import { readInstallationIds } from '#batching/wire-ids.ts';
import { createKey } from '#commerces/api-keys.ts';
import type { PurchaseCall } from '#purchases/record-purchases.ts';
import { sql, type Database } from '#db/database.ts';
import { testDatabaseUrl } from '#test/database.ts';
import { killService, startService } from '#test/service-process.ts';
import type { Answer, Buy } from './till.ts';

export interface KilledService {
  /** Sends the call with a key, and sends it again until it is answered. */
  readonly buy: Buy;
  readonly counts: { readonly kills: number; readonly unanswered: number };
  stop(): Promise<void>;
}

/**
 * Kills the service at most this many times, each time at a random moment of a call. The next process is ready by then
 * and takes over, so that repeated calls meet the statements that the killed process left running in PostgreSQL.
 */
export async function startKilledService(db: Database, most: number): Promise<KilledService> {
  await slowDownCommits(db);
  const url = await testDatabaseUrl();
  const keys = new Map<number, Promise<{ key: string }>>();
  const counts = { kills: 0, unanswered: 0 };
  let serving = startService(url);
  let next = startService(url);
  let killing: Promise<void> | null = null;
  let underWay = 0;
  let callMs = 10;
  return { buy, counts, stop };

  async function buy(call: PurchaseCall): Promise<Answer> {
    const { commerceId } = call;
    const idempotencyKey = call.order === undefined ? (call.request?.key ?? randomUUID()) : null;
    if (!keys.has(commerceId)) keys.set(commerceId, createKey(db, commerceId, 'till'));
    const { key } = await keys.get(commerceId)!;
    for (;;) {
      const asked = serving;
      const { base } = await asked;
      if (counts.kills < most && Math.random() < 1 / CALLS_A_KILL)
        killing ??= killSoon().finally(() => (killing = null));
      const start = performance.now();
      underWay++;
      const answer = await post(base, key, call, idempotencyKey);
      underWay--;
      if (answer !== null) {
        callMs = performance.now() - start;
        if (!answer.recorded) return answer;
        const ids = await readInstallationIds(db, 'purchase');
        return { ...answer, purchaseId: ids.fromWire(answer.purchaseId)! };
      }
      counts.unanswered++;
      assert.notEqual(asked, serving, 'a call was not answered, and nobody had killed the service');
    }
  }

  async function killSoon(): Promise<void> {
    const moment = performance.now() + Math.random() * callMs;
    while (performance.now() < moment) await aTurn();
    if (underWay === 0) return;
    const killed = killService(await serving);
    counts.kills++;
    serving = next;
    next = startService(url);
    await Promise.all([killed, serving]);
  }

  async function stop(): Promise<void> {
    await killing;
    for (const running of [serving, next]) await killService(await running);
  }
}

/** On average. */
const CALLS_A_KILL = 12;

/** The tests' PostgreSQL does not wait for the disk. Here commits are as slow as on a slow disk, so that kills hit them. */
async function slowDownCommits(db: Database): Promise<void> {
  await sql`
    create function take_a_while() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.01); return null; end $$`.execute(db);
  await sql`
    create constraint trigger commits_take_a_while after insert on movements
      deferrable initially deferred for each row when (new.type = 'purchase')
      execute function take_a_while()`.execute(db);
}

/** Returns null if there was no complete answer. */
async function post(
  base: string,
  key: string,
  { buyer, amount, registerId, branchId, channel, lines, order }: PurchaseCall,
  idempotencyKey: string | null,
): Promise<Answer | null> {
  const [path, who] =
    'code' in buyer
      ? ['client-code', { client_code: buyer.code, counter_id: registerId, id_suc: branchId }]
      : ['email', { client_email: 'email' in buyer ? buyer.email : assert.fail('no card and no address') }];
  const answer = await fetch(`${base}/v1/consumptions/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify({ ...who, amount, channel, lines, ...(order && { external_id: order.externalId }) }),
  })
    .then(async (response) => ({ response, text: await response.text() }))
    .catch(() => null);
  if (answer === null) return null;
  const { status, headers } = answer.response;
  if (status !== 201) {
    assert.ok([400, 403, 422].includes(status), `${status} ${answer.text}`);
    return { recorded: false, why: answer.text };
  }
  return {
    recorded: true,
    purchaseId: Number(headers.get('x-consumption-id')),
    pointsEarned: Number(headers.get('x-points-earned')),
    balance: Number(headers.get('x-points-balance')),
    replayed: headers.get('idempotency-replayed') === 'true',
  };
}
