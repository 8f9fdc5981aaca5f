import type { Audited } from '#audit/audited.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { readLastId } from '#points/settled-id.ts';
import { Problem } from '#problems/problem.ts';
import { TEST_TYPE } from './payload.ts';
import { UnknownDelivery } from './read-deliveries.ts';
import { lockEnabled } from './webhook.ts';

/** One range at a time: the next one would begin in the middle of it. */
class ReplayRunning extends Problem {
  constructor() {
    super(409, 'replay_running', 'a replay of this webhook is under way: wait until it has ended');
  }
}

/** Sends a test at once, and once only. Returns its id. @throws UnknownWebhook, WebhookDisabled */
export async function sendTest(
  tx: Tx,
  commerceId: number,
  id: string,
): Promise<Audited<{ eventId: number }>> {
  await lockEnabled(tx, commerceId, id);
  const { rows } = await sql<{ eventId: number }>`-- send-test-webhook
    insert into webhook_deliveries (commerce_id, webhook_id, event_id, type, state, next_at)
    values (${commerceId}, ${id}, -nextval('movements_id_seq'), ${TEST_TYPE}, 'waiting', now())
    returning event_id as "eventId"`.execute(tx);
  await makeDue(tx, commerceId, id);
  const [test] = rows;
  return { answer: test!, entry: { action: 'webhook.test', subject: id } };
}

/**
 * Sends one delivery again, whatever became of it. It has the same id, and is signed anew.
 * @throws UnknownWebhook, WebhookDisabled, UnknownDelivery
 */
export async function replayOne(
  tx: Tx,
  commerceId: number,
  id: string,
  eventId: number,
): Promise<Audited<{ deliveries: number }>> {
  await lockEnabled(tx, commerceId, id);
  const { rows } = await sql`-- replay-delivery
    update webhook_deliveries set state = 'waiting', attempts = 0, next_at = now(), at = now()
     where commerce_id = ${commerceId} and webhook_id = ${id} and event_id = ${eventId}
    returning event_id`.execute(tx);
  if (rows.length === 0) throw new UnknownDelivery();
  await makeDue(tx, commerceId, id);
  return { answer: { deliveries: 1 }, entry: replayed(id, { deliveries: 1 }) };
}

/** Sends all deliveries again that were given up. @throws UnknownWebhook, WebhookDisabled */
export async function replayFailed(
  tx: Tx,
  commerceId: number,
  id: string,
): Promise<Audited<{ deliveries: number }>> {
  await lockEnabled(tx, commerceId, id);
  const { rows } = await sql<{ deliveries: number }>`-- replay-failed-deliveries
    with again as (
      update webhook_deliveries set state = 'waiting', attempts = 0, next_at = now()
       where commerce_id = ${commerceId} and webhook_id = ${id} and state = 'failed' and type <> ${TEST_TYPE}
      returning event_id
    )
    select count(*) as deliveries from again`.execute(tx);
  const { deliveries } = rows[0]!;
  if (deliveries === 0) return { answer: { deliveries }, entry: null };
  await makeDue(tx, commerceId, id);
  return { answer: { deliveries }, entry: replayed(id, { deliveries }) };
}

/** A stretch of real time. */
export interface Stretch {
  readonly since: Date;
  readonly until: Date;
}

/**
 * Sends all events again that were recorded in a stretch of time, those that were taken too. At its edges some more may come. Events that
 * were not sent yet are left to the webhook itself.
 * @throws UnknownWebhook, WebhookDisabled, ReplayRunning
 */
export async function replayRange(
  tx: Tx,
  commerceId: number,
  id: string,
  { since, until }: Stretch,
): Promise<Audited<{ isReplaying: boolean }>> {
  const after = await lastIdBefore(tx, commerceId, since);
  const through = await lastIdBefore(tx, commerceId, until);
  const { replayThrough } = await lockEnabled(tx, commerceId, id);
  if (replayThrough !== null) throw new ReplayRunning();
  if (through <= after) return { answer: { isReplaying: false }, entry: null };
  await sql`-- replay-range
    update webhooks
       set replay_after = least(${after}::bigint, through), replay_through = least(${through}::bigint, through)
     where commerce_id = ${commerceId} and id = ${id}`.execute(tx);
  return { answer: { isReplaying: true }, entry: replayed(id, { since, until }) };
}

/** Ids and `recorded_at` are given at the same moment, but to writers at once, by clocks that can be set. They differ by less than this. */
const MOST_APART_MS = 60_000;

/** Returns the id of the last event that was recorded before an instant. Goes back from where a later one is, of which it has the id. */
async function lastIdBefore(db: Db, commerceId: number, at: Date): Promise<number> {
  const most = await idNear(db, commerceId, new Date(at.getTime() + MOST_APART_MS));
  const { rows } = await sql<{ id: number }>`-- last-event-before
    select coalesce(greatest(
             (select id from movements
               where commerce_id = ${commerceId} and id <= ${most} and recorded_at < ${at} order by id desc limit 1),
             (select id from happenings
               where commerce_id = ${commerceId} and id <= ${most} and recorded_at < ${at} order by id desc limit 1)),
           0) as id`.execute(db);
  return rows[0]!.id;
}

/**
 * Returns an id at which the events of a commerce pass an instant. No index has when they were recorded, so it halves the ids between which
 * that is: 30 small statements where there are a billion.
 */
async function idNear(db: Db, commerceId: number, at: Date): Promise<number> {
  let [low, high] = [0, await readLastId(db)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const next = await readNext(db, commerceId, middle, high);
    if (next === undefined || next.recordedAt >= at) high = middle;
    else low = next.id;
  }
  return high;
}

async function readNext(
  db: Db,
  commerceId: number,
  after: number,
  through: number,
): Promise<{ id: number; recordedAt: Date } | undefined> {
  const next = sql`commerce_id = ${commerceId} and id > ${after} and id <= ${through} order by id limit 1`;
  const { rows } = await sql<{ id: number; recordedAt: Date }>`-- next-event-in-range
    select id, recorded_at as "recordedAt"
      from ((select id, recorded_at from movements where ${next})
             union all
            (select id, recorded_at from happenings where ${next})) e
     order by id
     limit 1`.execute(db);
  return rows[0];
}

/** The endpoint gets its next turn at once. */
async function makeDue(tx: Tx, commerceId: number, id: string): Promise<void> {
  await sql`-- make-webhook-due
    update webhooks set next_at = now(), retry_at = now() where commerce_id = ${commerceId} and id = ${id}`.execute(
    tx,
  );
}

function replayed(subject: string, after: Readonly<Record<string, unknown>>) {
  return { action: 'webhook.replay', subject, after };
}
