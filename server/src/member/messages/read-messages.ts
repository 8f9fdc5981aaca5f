import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { mailKindOf } from '#mail/outbox.ts';
import {
  canStop,
  isMessageOn,
  MESSAGE_KINDS,
  whyNoMessage,
  type MessageKind,
  type NoMessage,
} from '#program/messages.ts';

/** A kind of mail: whether it is sent, and what became of those of the last 30 days. */
export interface MessageFacts {
  readonly kind: MessageKind;
  readonly isOn: boolean;
  readonly idle: NoMessage | null;
  readonly canStop: boolean;
  readonly sent: number;
  readonly failed: number;
  readonly lastSentAt: Date | null;
}

/** Reads what a commerce sends to its members. The outbox keeps mails for 30 days. */
export async function readMessages(db: Db, { id, program }: Commerce): Promise<MessageFacts[]> {
  const { rows } = await sql<
    Pick<MessageFacts, 'sent' | 'failed' | 'lastSentAt'> & { mail: string }
  >`-- read-messages
    select o.kind as mail, count(*) filter (where o.sent_at > now() - interval '30 days') as sent,
           count(*) filter (where o.failed_at > now() - interval '30 days') as failed, max(o.sent_at) as "lastSentAt"
      from outbox o
     where o.commerce_id = ${id} and o.kind = any(${MESSAGE_KINDS.map(mailKindOf)}::text[])
     group by o.kind`.execute(db);
  return MESSAGE_KINDS.map((kind) => {
    const {
      sent = 0,
      failed = 0,
      lastSentAt = null,
    } = rows.find(({ mail }) => mail === mailKindOf(kind)) ?? {};
    return {
      kind,
      isOn: isMessageOn(program, kind),
      idle: whyNoMessage(program, kind),
      canStop: canStop(kind),
      sent,
      failed,
      lastSentAt,
    };
  });
}
