import { isOnCluster } from '#db/cluster/is-on-cluster.ts';
import { sql, type Database, type Sql } from '#db/database.ts';
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
  case when o.kind in ('sign-in-code', 'set-up-code') then null
       when ${isSuppressed} then 'suppressed'
       when k.kind is null then null
       when m.blocked_at is not null or m.state <> case o.kind when 'invitation' then 'invited' else 'member' end then 'unwanted'
       when k.can_stop and exists (select from mail_stops t
                                    where t.commerce_id = ${commerceId} and t.member_id = m.id
                                      and t.kind in (k.message, ${ALL})) then 'unwanted'
  end`;

/** Why a mail is not sent, or null. Comes from the tables of `joinCommerceOfMail` and `joinReasonsToHoldBack`. */
export const heldBack = heldBackIf(sql`s.mailbox_hash is not null`, sql`m.commerce_id`);

const joinMessages = sql`
  left join unnest(${messages.map(({ mail }) => mail)}::text[], ${messages.map(({ message }) => message)}::text[],
                   ${messages.map((one) => one.canStop)}::boolean[]) as k(kind, message, can_stop) on k.kind = o.kind`;

export const joinReasonsToHoldBack = sql`${joinMessages}
  left join mail_suppressions s on s.mailbox_hash = mailbox_hash_of(o.recipient)`;

/** Takes due mails that no other process has taken: urgent ones first, and one commerce after the other. The lease is 20 s. */
export async function takeMails(database: Database, count: number): Promise<TakenMail[]> {
  if (isOnCluster(database)) return takeOnCluster(database, count);
  const { rows } = await sql<TakenMail>`-- take-mails
    with ${lease(count)}
    select ${queuedMailColumns},
           ${heldBack} as "heldBack"
      from o ${joinCommerceOfMail} ${joinReasonsToHoldBack}`.execute(database);
  return rows;
}

/** Leases mails, as `o`. */
const lease = (count: number) => sql`due as (
      select id
        from outbox
       where sent_at is null and failed_at is null
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

interface Leased {
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

/**
 * The same on a cluster, whose coordinator has the mails and whose machines have the shops: leases the mails, and then reads what is known of
 * their recipients, shop by shop.
 */
async function takeOnCluster(database: Database, count: number): Promise<TakenMail[]> {
  const { rows: leased } = await sql<Leased>`-- lease-mails
    with ${lease(count)}
    select id, commerce_id as "commerceId", kind, recipient, content, created_at as "createdAt", expires_at as "expiresAt",
           attempts, trace
      from o`.execute(database);
  if (leased.length === 0) return [];
  const { rows: suppressed } = await sql<{ id: number }>`-- find-suppressed
    select r.id
      from unnest(${leased.map(({ id }) => id)}::bigint[], ${leased.map(({ recipient }) => recipient)}::text[]) as r(id, recipient)
      join mail_suppressions s on s.mailbox_hash = mailbox_hash_of(r.recipient)`.execute(database);
  const isSuppressed = new Set(suppressed.map(({ id }) => id));
  const taken: TakenMail[] = [];
  for (const [commerceId, its] of Map.groupBy(leased, (mail) => mail.commerceId))
    taken.push(...(await readTaken(database, commerceId, its, isSuppressed)));
  return taken;
}

async function readTaken(
  database: Database,
  commerceId: number | null,
  mails: readonly Leased[],
  isSuppressed: ReadonlySet<number>,
): Promise<TakenMail[]> {
  // The ids of commerces begin at 1, so a mail of the service finds none.
  const here = commerceId ?? 0;
  const { rows } = await sql<TakenMail>`-- read-leased-mails
    select ${queuedMailColumns},
           ${heldBackIf(sql`o.is_suppressed`, sql`${here}::bigint`)} as "heldBack"
      from unnest(${mails.map(({ id }) => id)}::bigint[], ${mails.map((mail) => mail.commerceId)}::bigint[],
                  ${mails.map(({ kind }) => kind)}::text[], ${mails.map(({ recipient }) => recipient)}::text[],
                  ${mails.map(({ content }) => JSON.stringify(content))}::jsonb[], ${mails.map(({ createdAt }) => createdAt)}::timestamptz[],
                  ${mails.map(({ expiresAt }) => expiresAt)}::timestamptz[], ${mails.map(({ attempts }) => attempts)}::integer[],
                  ${mails.map(({ trace }) => trace)}::text[], ${mails.map(({ id }) => isSuppressed.has(id))}::boolean[])
             as o(id, commerce_id, kind, recipient, content, created_at, expires_at, attempts, trace, is_suppressed)
      left join commerces c on c.id = o.commerce_id
      left join programs p on p.commerce_id = ${here} and p.version = c.program_version
      left join members m on m.commerce_id = ${here} and m.email = o.recipient
      ${joinMessages}`.execute(database);
  return rows;
}
