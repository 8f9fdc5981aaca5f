import { sql, type Tx } from '#db/database.ts';
import { Type, type Static } from 'typebox';
import { StrEnum } from '#http/schema.ts';
import { STAFF_ROLES } from '#http/staff-roles.ts';
import { MESSAGE_KINDS, type MessageKind } from '#program/messages.ts';

const countOrNull = Type.Union([Type.Integer(), Type.Null()], { default: null });
const textOrNull = Type.Union([Type.String(), Type.Null()], { default: null });

/**
 * The kinds of mails, each with its content. Everything else comes from the commerce that sends it. A new field needs a
 * default, because mails that the release before wrote may still wait in the outbox.
 */
export const mailContents = {
  /**
   * `token` is the secret of the link; '' in a mail without a link. Codes of the staff are of this kind, too, so that the
   * release before can send them.
   */
  'sign-in-code': Type.Object({
    code: Type.String(),
    token: Type.String({ default: '' }),
    purpose: StrEnum(['member', 'staff', 'step-up'], { default: 'member' }),
  }),
  /** Proves the address of somebody who sets up a shop. `locale` is the language of the browser, because there is no shop yet. */
  'set-up-code': Type.Object({ code: Type.String(), locale: Type.String() }),
  /** `points` wait when the invitation is written; null in invitations of older releases. */
  invitation: Type.Object({ points: countOrNull }),
  'staff-invitation': Type.Object({ role: StrEnum(STAFF_ROLES) }),
  /** An endpoint of webhooks was switched off. `host` is its address without the path, which may be secret. */
  'webhook-disabled': Type.Object({ host: Type.String(), because: StrEnum(['failing', 'gone']) }),
  /** `expiresOn` is the last local day on which the points are valid. `daysLeft` counts from the day of writing. */
  'expiry-reminder': Type.Object({
    points: Type.Integer(),
    expiresOn: Type.String(),
    daysLeft: Type.Integer(),
  }),
  /** `points` and `benefit` are the reward, of which at most one is set. `balance` is all that the member has. */
  welcome: Type.Object({ points: countOrNull, benefit: textOrNull, balance: Type.Integer() }),
  birthday: Type.Object({ points: countOrNull, benefit: textOrNull }),
  /** `level` is the tier's name, `benefit` the title of the benefit that came with it. */
  level: Type.Object({ level: Type.String(), multiplierThousandths: Type.Integer(), benefit: textOrNull }),
  /** `month` is the one that is rewarded, such as `2026-10`. */
  reward: Type.Object({ month: Type.String(), points: countOrNull, benefit: textOrNull }),
  /** A mail that a person of the shop sends to themselves, as it was when they looked at it. */
  'test-message': Type.Object({
    from: Type.String(),
    subject: Type.String(),
    text: Type.String(),
    html: Type.String(),
  }),
};

export type MailKind = keyof typeof mailContents;
export type MailContents = { readonly [K in MailKind]: Readonly<Static<(typeof mailContents)[K]>> };

const mailKindsOfMessages: Readonly<Record<MessageKind, MailKind>> = {
  invitation: 'invitation',
  welcome: 'welcome',
  expiring: 'expiry-reminder',
  birthday: 'birthday',
  level: 'level',
  reward: 'reward',
};

/** Returns the kind of mail that carries a message. */
export function mailKindOf(message: MessageKind): MailKind {
  return mailKindsOfMessages[message];
}

/** Returns the message that a mail carries; null if it is no message to a member, such as a sign-in code. */
export function messageOf(kind: MailKind): MessageKind | null {
  return MESSAGE_KINDS.find((message) => mailKindsOfMessages[message] === kind) ?? null;
}

/** A mail to be sent after the current transaction commits. */
export type Mail = {
  [K in MailKind]: {
    /** Null for a mail that the service itself sends. */
    readonly commerceId: K extends 'set-up-code' ? null : number;
    readonly kind: K;
    /** A normalised address. */
    readonly recipient: string;
    readonly content: MailContents[K];
    /** True if somebody is waiting for the mail. It is sent before all others. */
    readonly urgent?: boolean;
    /** True if the mail is sent before the other mails of its commerce that wait. */
    readonly ahead?: boolean;
    /** The time after which the mail is not worth sending any more. Three days by default. */
    readonly expiresInSeconds?: number;
  };
}[MailKind];

/**
 * Puts mails into the outbox, in the transaction that causes them. The mail sender sends them from there, one mail of
 * each commerce in turn. A mail's turn is one after the last of its commerce, and not before the turn that is being sent
 * now. Mails that are written at the same time may get the same turn.
 */
export async function enqueueMails(tx: Tx, mails: readonly Mail[]): Promise<void> {
  if (mails.length === 0) return;
  await sql`-- enqueue-mails
    with mail as (
      select *, row_number() over (partition by commerce_id, urgent, ahead order by nth) as place
        from unnest(${mails.map((m) => m.commerceId)}::bigint[], ${mails.map((m) => m.kind)}::text[],
                    ${mails.map((m) => m.recipient)}::text[], ${mails.map((m) => JSON.stringify(m.content))}::text[],
                    ${mails.map((m) => m.urgent ?? false)}::boolean[], ${mails.map((m) => m.ahead ?? false)}::boolean[],
                    ${mails.map((m) => m.expiresInSeconds ?? THREE_DAYS)}::integer[])
               with ordinality as m(commerce_id, kind, recipient, content, urgent, ahead, seconds, nth)
    ), line as (
      select urgent,
             coalesce((select min(o.turn) from outbox o
                        where o.urgent = q.urgent and o.sent_at is null and o.failed_at is null), 0) as now
        from (select distinct urgent from mail) q
    ), commerce as (
      select commerce_id, urgent,
             (select max(o.turn) from outbox o
               where o.commerce_id = q.commerce_id and o.urgent = q.urgent
                 and o.sent_at is null and o.failed_at is null) as last
        from (select distinct commerce_id, urgent from mail where not ahead) q
    )
    insert into outbox (commerce_id, kind, recipient, content, urgent, expires_at, trace, turn)
    select m.commerce_id, m.kind, m.recipient, m.content::jsonb, m.urgent, now() + make_interval(secs => m.seconds),
           ${tx.tracing?.write() ?? null}::text,
           case when m.ahead then l.now else greatest(l.now + m.place - 1, c.last + m.place) end
      from mail m
      join line l on l.urgent = m.urgent
      left join commerce c on c.commerce_id = m.commerce_id and c.urgent = m.urgent
     order by m.nth`.execute(tx);
}

const THREE_DAYS = 3 * 24 * 3600;
