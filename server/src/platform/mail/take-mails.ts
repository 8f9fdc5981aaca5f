import { isUnheard } from '#db/cluster/heartbeat.ts';
import { isOnCluster } from '#db/cluster/is-on-cluster.ts';
import { machineOf } from '#db/cluster/shards.ts';
import { isDatabaseAway } from '#db/database-errors.ts';
import { sql, type Database, type Db, type Sql } from '#db/database.ts';
import { remembered } from '#db/memory.ts';
import { canStop, MESSAGE_KINDS } from '#program/messages.ts';
import { ALL } from './mail-stops.ts';
import { mailKindOf } from './outbox.ts';
import { joinCommerceOfMail, queuedMailColumns, type QueuedMail } from './queued-mail.ts';

/** A mail that was taken. */
export interface TakenMail extends QueuedMail {
  /**
   * `suppressed`: the address bounced or complained. `unwanted`: the member has stopped such mails, has left, or was blocked
   * or erased since the mail was written. Null for a mail to send.
   */
  readonly heldBack: 'suppressed' | 'unwanted' | null;
}

// The kinds of messages with the kinds of mails that carry them.
const messages = MESSAGE_KINDS.map((message) => ({
  message,
  mail: mailKindOf(message),
  canStop: canStop(message),
}));

const heldBackIf = (isSuppressed: Sql, commerceId: Sql) => sql`
  case when ${isWaitedFor} then null
       when ${isSuppressed} then 'suppressed'
       when k.kind is null then null
       when m.blocked_at is not null or m.state <> case o.kind when 'invitation' then 'invited' else 'member' end then 'unwanted'
       when k.can_stop and exists (select from mail_stops t
                                    where t.commerce_id = ${commerceId} and t.member_id = m.id
                                      and t.kind in (k.message, ${ALL})) then 'unwanted'
  end`;

/** Of a mail that somebody waits for. */
const isWaitedFor = sql`o.kind in ('sign-in-code', 'set-up-code')`;

const joinMessages = sql`
  left join unnest(${messages.map(({ mail }) => mail)}::text[], ${messages.map(({ message }) => message)}::text[],
                   ${messages.map((one) => one.canStop)}::boolean[]) as k(kind, message, can_stop) on k.kind = o.kind`;

/** Takes due mails that no other process has taken: urgent ones first, and one commerce after the other. The lease is 20 s. */
export async function takeMails(database: Database, count: number): Promise<TakenMail[]> {
  if (isOnCluster(database)) return takeOnCluster(database, count);
  const { rows } = await sql<TakenMail>`-- take-mails
    with ${lease(count)}
    select ${queuedMailColumns},
           ${heldBackIf(sql`s.mailbox_hash is not null`, sql`m.commerce_id`)} as "heldBack"
      from o ${joinCommerceOfMail} ${joinMessages}
      left join mail_suppressions s on s.mailbox_hash = mailbox_hash_of(o.recipient)`.execute(database);
  return rows;
}

/** Leases mails, as `o`. */
const lease = (count: number, which: Sql = sql`true`) => sql`due as (
      select id
        from outbox
       where sent_at is null and failed_at is null and ${which}
         and due_at <= now() and (leased_until is null or leased_until < now())
       order by urgent desc, turn, due_at
       limit ${count}
         for update skip locked
    ), o as (
      update outbox
         set leased_until = now() + interval '20 seconds', attempts = attempts + 1
       where id in (select id from due)
      returning *
    )`;

/** A row of the outbox alone. */
export interface OutboxRow {
  readonly id: number;
  readonly commerceId: number | null;
  readonly kind: string;
  readonly recipient: string;
  readonly content: object;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly attempts: number;
  readonly trace: string | null;
}

/** The columns of an `OutboxRow`. */
export const outboxColumns = sql.raw(`
  id, commerce_id as "commerceId", kind, recipient, content, created_at as "createdAt", expires_at as "expiresAt", attempts, trace`);

/** The commerces whose mails are left alone, because their machine of the cluster has not answered. */
const leftAlone = remembered(() => new Set<number>());

/**
 * The same on a cluster, whose coordinator has the mails and whose machines have the shops. Mails of a shop whose machine does not answer wait
 * for the end of their lease. Others are taken instead, or mails that nobody can write would come first again and again.
 * @throws if nothing could be taken, because a machine did not answer
 */
async function takeOnCluster(database: Database, count: number): Promise<TakenMail[]> {
  const left = leftAlone(database);
  for (const commerceId of left) if (!isAway(database, commerceId)) left.delete(commerceId);
  const lost = new Set<string>();
  let failure: unknown = null;
  for (;;) {
    const { rows } = await sql<OutboxRow>`-- lease-mails
      with ${lease(count, sql`(commerce_id is null or commerce_id <> all (${[...left]}::bigint[]))`)}
      select ${outboxColumns}
        from o`.execute(database);
    const isSuppressed = await findSuppressed(database, rows);
    const taken: TakenMail[] = [];
    for (const [commerceId, its] of Map.groupBy(rows, (mail) => mail.commerceId)) {
      try {
        if (commerceId === null || !isAway(database, commerceId, lost))
          taken.push(...(await readOfShop(database, commerceId, its, isSuppressed)));
        else left.add(commerceId);
      } catch (error) {
        if (commerceId === null || !isDatabaseAway(error)) throw error;
        failure = error;
        left.add(commerceId);
        lost.add(machineOf(database, commerceId) ?? 'unknown');
      }
    }
    if (taken.length > 0) return taken;
    if (rows.length > 0) continue;
    if (failure !== null) throw failure;
    return [];
  }
}

/** Whether a commerce is on a machine of the cluster that is known not to answer, so that nobody has to wait to find out. */
function isAway(database: Database, commerceId: number, lost: ReadonlySet<string> = new Set()): boolean {
  const machine = machineOf(database, commerceId);
  return machine !== null && (lost.has(machine) || isUnheard(database, machine));
}

/** Adds what is known of the recipients and their shops, shop by shop, so that it works on a cluster, too. */
export async function readByShop(db: Db, mails: readonly OutboxRow[]): Promise<TakenMail[]> {
  const isSuppressed = await findSuppressed(db, mails);
  const taken: TakenMail[] = [];
  for (const [commerceId, its] of Map.groupBy(mails, (mail) => mail.commerceId))
    taken.push(...(await readOfShop(db, commerceId, its, isSuppressed)));
  return taken;
}

/** Returns the ids of the mails to addresses that are suppressed. */
async function findSuppressed(db: Db, mails: readonly OutboxRow[]): Promise<ReadonlySet<number>> {
  if (mails.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`-- find-suppressed
    select r.id
      from unnest(${mails.map(({ id }) => id)}::bigint[], ${mails.map(({ recipient }) => recipient)}::text[]) as r(id, recipient)
      join mail_suppressions s on s.mailbox_hash = mailbox_hash_of(r.recipient)`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

async function readOfShop(
  db: Db,
  commerceId: number | null,
  mails: readonly OutboxRow[],
  isSuppressed: ReadonlySet<number>,
): Promise<TakenMail[]> {
  const leased = sql`
      from unnest(${mails.map(({ id }) => id)}::bigint[], ${mails.map((mail) => mail.commerceId)}::bigint[],
                  ${mails.map(({ kind }) => kind)}::text[], ${mails.map(({ recipient }) => recipient)}::text[],
                  ${mails.map(({ content }) => JSON.stringify(content))}::jsonb[], ${mails.map(({ createdAt }) => createdAt)}::timestamptz[],
                  ${mails.map(({ expiresAt }) => expiresAt)}::timestamptz[], ${mails.map(({ attempts }) => attempts)}::integer[],
                  ${mails.map(({ trace }) => trace)}::text[], ${mails.map(({ id }) => isSuppressed.has(id))}::boolean[])
             as o(id, commerce_id, kind, recipient, content, created_at, expires_at, attempts, trace, is_suppressed)`;
  const { rows } = await (
    commerceId === null
      ? // A shard would be asked even for a commerce that there is not.
        sql<TakenMail>`-- read-leased-mails-of-service
    select ${queuedMailColumns},
           case when ${isWaitedFor} then null when o.is_suppressed then 'suppressed' end as "heldBack"
      ${leased}
     cross join (values (null::text)) as c(slug)
     cross join (values (null::jsonb)) as p(program)
     cross join (values (null::bigint)) as m(id)`
      : sql<TakenMail>`-- read-leased-mails
    select ${queuedMailColumns},
           ${heldBackIf(sql`o.is_suppressed`, sql`${commerceId}::bigint`)} as "heldBack"
      ${leased}
      left join commerces c on c.id = o.commerce_id
      left join programs p on p.commerce_id = ${commerceId} and p.version = c.program_version
      left join members m on m.commerce_id = ${commerceId} and m.email = o.recipient
      ${joinMessages}`
  ).execute(db);
  return rows;
}
