import { byShard } from '#db/cluster/shards.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Database, type Sql } from '#db/database.ts';
import type { KeyScope } from '#http/key-scopes.ts';
import type { EventTypeName } from '#events/event-types.ts';

/** An endpoint that answers later than this, or not at all, is slow. It gets a place among the slow ones. */
const SLOW_MS = 1_000;

/** Longer than a turn may take. */
const LEASE_SECONDS = 60;

/** An endpoint that this process sends to for a turn. */
export interface TakenWebhook {
  readonly commerceId: number;
  readonly id: string;
  readonly address: string;
  readonly types: readonly EventTypeName[];
  readonly scopes: readonly KeyScope[];
  readonly secret: Buffer;
  /** The secret before, while it signs too. */
  readonly oldSecret: Buffer | null;
  readonly through: number;
  readonly replayAfter: number | null;
  readonly replayThrough: number | null;
  /** Turns without a success since the last one. */
  readonly failures: number;
  readonly retryAt: Date | null;
  readonly isSlow: boolean;
  /** Hides the ids in its events; null if nobody has read the feed yet. */
  readonly feedKey: Buffer | null;
  /** The number of the turn. Only who has it may record what became of it. */
  readonly lease: number;
}

/** Places for endpoints that have answered quickly, and for the others. */
export interface Places {
  readonly quick: number;
  readonly slow: number;
}

/** Those that take nothing, or take long for it. */
const isSlow: Sql = sql`(w.failures > 0 or coalesce(w.answer_ms, 0) > ${SLOW_MS}::integer)`;
const isFree: Sql = sql`w.disabled_at is null and (w.leased_until is null or w.leased_until < now())`;

/**
 * Takes endpoints that have something to send and that no other process has taken: events up to `settled`, deliveries that are due, or a
 * replay. Those whose last turn is the longest ago come first.
 */
export async function takeWebhooks(
  database: Database,
  settled: number,
  places: Places,
): Promise<TakenWebhook[]> {
  const due = await findDue(database, settled, places);
  if (due.length === 0) return [];
  const taken: TakenWebhook[] = [];
  for (const among of byShard(database, commercesOf(due))) {
    const here = new Set(among);
    const those = due.filter(({ commerceId }) => here.has(commerceId));
    taken.push(...(await lease(database, those, among)));
  }
  return taken;
}

async function lease(
  database: Database,
  due: readonly Due[],
  among: readonly number[],
): Promise<readonly TakenWebhook[]> {
  const { rows } = await sql<TakenWebhook>`-- lease-webhooks
    with due as (
      select w.commerce_id, w.id, f.key
        from unnest(${due.map((one) => one.commerceId)}::bigint[], ${due.map((one) => one.id)}::text[]) as d(commerce_id, id)
        join webhooks w on w.commerce_id = d.commerce_id and w.id = d.id
        left join event_feeds f on f.commerce_id = w.commerce_id and f.commerce_id = any(${among}::bigint[])
       where w.commerce_id = any(${among}::bigint[]) and ${isFree}
         for no key update of w skip locked
    )
    update webhooks w
       set lease = w.lease + 1, leased_until = now() + make_interval(secs => ${LEASE_SECONDS}), turn_at = now()
      from due d
     where w.commerce_id = any(${among}::bigint[]) and w.commerce_id = d.commerce_id and w.id = d.id
    returning w.commerce_id as "commerceId", w.id, w.address, w.types, w.scopes, w.secret,
              case when w.old_secret_until > w.turn_at then w.old_secret end as "oldSecret",
              w.through, w.replay_after as "replayAfter", w.replay_through as "replayThrough", w.failures,
              w.retry_at as "retryAt", ${isSlow} as "isSlow", w.lease, d.key as "feedKey"`.execute(database);
  return rows;
}

interface Due {
  readonly commerceId: number;
  readonly id: string;
}

/** Locks nothing. For each endpoint it looks whether one of two indexes has an id above its place. */
async function findDue(database: Database, settled: number, { quick, slow }: Places): Promise<Due[]> {
  const { rows } = await sql<Due>`-- find-due-webhooks
    select commerce_id as "commerceId", id
      from (select w.commerce_id, w.id, w.turn_at, ${isSlow} as is_slow,
                   row_number() over (partition by ${isSlow} order by w.turn_at) as place
              from webhooks w
              join commerces c on c.id = w.commerce_id and c.status <> 'closed'
             where ${isFree} and w.next_at <= now()
               and (w.retry_at <= now() or w.replay_through is not null
                    or exists (select from movements m
                                where m.commerce_id = w.commerce_id and m.id > w.through and m.id <= ${settled})
                    or exists (select from happenings h
                                where h.commerce_id = w.commerce_id and h.id > w.through and h.id <= ${settled}))) due
     where place <= case when is_slow then ${slow}::integer else ${quick}::integer end
     order by turn_at`.execute(database);
  return rows;
}

/** Returns true if there is anybody to send to, so that an installation without webhooks follows no feed. */
export async function areThereWebhooks(database: Database): Promise<boolean> {
  const { rows } = await sql`-- are-there-webhooks
    select from webhooks where disabled_at is null limit 1`.execute(database);
  return rows.length > 0;
}
