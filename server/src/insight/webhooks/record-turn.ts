import { sql, together, transaction, type Database, type Tx } from '#db/database.ts';
import { noteDisabled } from './note-disabled.ts';
import { DAYS_OF_FAILING } from './schedule.ts';
import type { TakenWebhook } from './take-webhooks.ts';

/** What became of one delivery. */
export interface RecordedDelivery {
  readonly eventId: number;
  readonly type: string;
  readonly memberId: number | null;
  readonly state: 'waiting' | 'delivered' | 'failed';
  readonly attempts: number;
  /** When it is due again; null unless it waits. */
  readonly waitMs: number | null;
  readonly at: Date;
  /** Null if there was no answer. */
  readonly status: number | null;
  readonly answerMs: number | null;
  readonly answer: string | null;
  readonly body: string;
}

/** What became of a turn, or of a part of it. */
export interface TurnResult {
  readonly deliveries: readonly RecordedDelivery[];
  /** The new place in the feed. */
  readonly through: number;
  /** Where a replay is now; null if it has ended. */
  readonly replayAfter: number | null;
  readonly hasSuccess: boolean;
  /** Whether an event was offered and not taken. */
  readonly hasFailure: boolean;
  readonly failures: number;
  /** For so long nothing is sent to the endpoint. */
  readonly pauseMs: number;
  /** Null if nothing was answered or tried. */
  readonly answerMs: number | null;
  readonly isGone: boolean;
  /** True if the turn is over. */
  readonly isLast: boolean;
}

/**
 * Records what became of a turn, in one transaction. Returns false if nothing more may be sent in it, because the shop has switched the
 * endpoint off or changed what it gets. So it does, and stores nothing, if the lease was lost: then somebody else sends the same again, or the
 * shop has named another address. An endpoint that has failed for days is switched off, and its owners get a mail.
 */
export async function recordTurn(
  database: Database,
  webhook: TakenWebhook,
  result: TurnResult,
): Promise<boolean> {
  return transaction(database, async (tx) => {
    // An erasure locks the endpoints of the shop, then deletes deliveries. Behind this lock, whoever it erased is known.
    const [, stored] = await together(lockWebhook(tx, webhook), storeTurn(tx, webhook, result));
    if (stored === undefined) return false;
    if (stored.disabledBecause !== null) await noteDisabled(tx, webhook, stored.disabledBecause);
    if (result.isLast && webhook.lease % TRIM_EVERY === 0) await trimDeliveries(tx, webhook);
    return !stored.isChanged;
  });
}

/** Deliveries that were taken are kept for the shop to see, the last ones of each endpoint. They are counted now and then. */
const KEPT_DELIVERED = 100;
const TRIM_EVERY = 20;

async function trimDeliveries(tx: Tx, { commerceId, id }: TakenWebhook): Promise<void> {
  await sql`-- trim-deliveries
    delete from webhook_deliveries
     where commerce_id = ${commerceId} and webhook_id = ${id} and state = 'delivered'
       and (at, event_id) < (select at, event_id
                               from webhook_deliveries
                              where commerce_id = ${commerceId} and webhook_id = ${id} and state = 'delivered'
                              order by at desc, event_id desc
                             offset ${KEPT_DELIVERED}
                              limit 1)`.execute(tx);
}

async function lockWebhook(tx: Tx, { commerceId, id }: TakenWebhook): Promise<void> {
  await sql`-- lock-webhook-of-turn
    select from webhooks where commerce_id = ${commerceId} and id = ${id} for no key update`.execute(tx);
}

interface StoredTurn {
  readonly disabledBecause: 'failing' | 'gone' | null;
  /** True if the turn was begun for what the shop no longer wants. */
  readonly isChanged: boolean;
}

/**
 * The times are computed in `before`, whose row is the one before the turn: a cluster refuses `now()` and sums of times in the
 * conditions of what is written.
 */
async function storeTurn(tx: Tx, webhook: TakenWebhook, result: TurnResult): Promise<StoredTurn | undefined> {
  const { commerceId, id, lease, replayAfter, types, scopes } = webhook;
  const { deliveries: made } = result;
  const { rows } = await sql<StoredTurn>`-- store-webhook-turn
    with before as (
      select disabled_at, now() as now, now() at time zone 'UTC' as utc, now() + interval '60 seconds' as leased_until,
             now() - make_interval(days => ${DAYS_OF_FAILING}::integer) as days_ago,
             now() + ${result.pauseMs}::bigint * interval '1 millisecond' as paused_until,
             disabled_at is not null or types <> ${[...types]}::text[] or scopes <> ${[...scopes]}::text[] as is_changed
        from webhooks
       where commerce_id = ${commerceId} and id = ${id} and lease = ${lease}
    ), made as (
      select d.event_id, d.type, d.member_id, d.state, d.attempts,
             (before.utc + d.wait_ms * interval '1 millisecond') at time zone 'UTC' as next_at,
             d.at, d.status, d.answer_ms, m.erased_at is not null as is_erased,
             case when m.erased_at is null then d.answer end as answer, case when m.erased_at is null then d.body end as body
        from unnest(${made.map((d) => d.eventId)}::bigint[], ${made.map((d) => d.type)}::text[],
                    ${made.map((d) => d.memberId)}::bigint[], ${made.map((d) => d.state)}::text[],
                    ${made.map((d) => d.attempts)}::integer[], ${made.map((d) => d.waitMs)}::bigint[],
                    ${made.map((d) => d.at)}::timestamptz[], ${made.map((d) => d.status)}::integer[],
                    ${made.map((d) => d.answerMs)}::integer[], ${made.map((d) => d.answer)}::text[],
                    ${made.map((d) => d.body)}::text[])
               as d(event_id, type, member_id, state, attempts, wait_ms, at, status, answer_ms, answer, body)
       cross join before
        left join members m on m.commerce_id = ${commerceId} and m.id = d.member_id
    ), stored as (
      insert into webhook_deliveries as w (commerce_id, webhook_id, event_id, type, member_id, state, attempts, next_at, at,
                                           status, answer_ms, answer, body)
      select ${commerceId}, ${id}, event_id, type, member_id, state, attempts, next_at, at, status, answer_ms, answer, body
        from made
       where state = 'waiting' or not is_erased
          on conflict (commerce_id, webhook_id, event_id) do update
         set state = excluded.state, attempts = excluded.attempts, next_at = excluded.next_at, at = excluded.at,
             status = excluded.status, answer_ms = excluded.answer_ms, answer = excluded.answer, body = excluded.body
      returning next_at
    ), dropped as (
      delete from webhook_deliveries
       where commerce_id = ${commerceId} and webhook_id = ${id}
         and event_id in (select event_id from made where is_erased and state <> 'waiting')
    )
    update webhooks w
       set through = greatest(w.through, ${result.through}),
           replay_after = case when ${isSameReplay(replayAfter)} then ${result.replayAfter}::bigint else w.replay_after end,
           replay_through = case when ${isSameReplay(replayAfter)} and ${result.replayAfter}::bigint is null then null
                                 else w.replay_through end,
           failures = ${result.failures}::integer,
           last_success_at = case when ${result.hasSuccess} then before.now else w.last_success_at end,
           failing_since = case when ${result.failures}::integer = 0 then null
                                when ${result.hasSuccess} then before.now
                                else coalesce(w.failing_since, before.now) end,
           answer_ms = coalesce(${result.answerMs}::integer, w.answer_ms),
           next_at = greatest(w.next_at, before.paused_until),
           retry_at = least((select min(next_at) from stored),
                            (select min(d.next_at)
                               from webhook_deliveries d
                              where d.commerce_id = ${commerceId} and d.webhook_id = ${id} and d.state = 'waiting'
                                and d.event_id <> all(${made.map((d) => d.eventId)}::bigint[]))),
           leased_until = case when ${result.isLast} or before.is_changed then null else before.leased_until end,
           disabled_at = coalesce(w.disabled_at, case when ${isToEnd(result)} then before.now end),
           disabled_because = coalesce(w.disabled_because, case when ${isToEnd(result)}
                                                                then ${result.isGone ? 'gone' : 'failing'} end)
      from before
     where w.commerce_id = ${commerceId} and w.id = ${id} and w.lease = ${lease}
    returning case when before.disabled_at is null then w.disabled_because end as "disabledBecause",
              before.is_changed as "isChanged"`.execute(tx);
  return rows[0];
}

/** Somebody may have asked for another replay meanwhile. */
function isSameReplay(replayAfter: number | null) {
  return sql`w.replay_after is not distinct from ${replayAfter}::bigint`;
}

/** Whether the endpoint is to be switched off. Expressions of `set` see the row before. */
function isToEnd({ isGone, hasFailure, hasSuccess }: TurnResult) {
  return sql`(${isGone} or (${hasFailure && !hasSuccess} and w.failing_since < before.days_ago))`;
}
