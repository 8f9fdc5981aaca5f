import { sql, type Database } from '#db/database.ts';
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

/** Why a mail is not sent, or null. Comes from the tables of `joinCommerceOfMail` and `joinReasonsToHoldBack`. */
export const heldBack = sql`
  case when o.kind in ('sign-in-code', 'set-up-code') then null
       when s.mailbox_hash is not null then 'suppressed'
       when k.kind is null then null
       when m.blocked_at is not null or m.state <> case o.kind when 'invitation' then 'invited' else 'member' end then 'unwanted'
       when k.can_stop and exists (select from mail_stops t
                                    where t.commerce_id = m.commerce_id and t.member_id = m.id
                                      and t.kind in (k.message, ${ALL})) then 'unwanted'
  end`;

export const joinReasonsToHoldBack = sql`
  left join unnest(${messages.map(({ mail }) => mail)}::text[], ${messages.map(({ message }) => message)}::text[],
                   ${messages.map((one) => one.canStop)}::boolean[]) as k(kind, message, can_stop) on k.kind = o.kind
  left join mail_suppressions s on s.mailbox_hash = mailbox_hash_of(o.recipient)`;

/** Takes due mails that no other process has taken: urgent ones first, and one commerce after the other. The lease is 20 s. */
export async function takeMails(database: Database, count: number): Promise<TakenMail[]> {
  const { rows } = await sql<TakenMail>`-- take-mails
    with due as (
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
    )
    select ${queuedMailColumns},
           ${heldBack} as "heldBack"
      from o ${joinCommerceOfMail} ${joinReasonsToHoldBack}`.execute(database);
  return rows;
}
