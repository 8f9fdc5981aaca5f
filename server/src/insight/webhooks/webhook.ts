import { sql, type Db, type Tx } from '#db/database.ts';
import type { EventTypeName } from '#events/event-types.ts';
import type { KeyScope } from '#http/key-scopes.ts';
import { NotFound, Problem } from '#problems/problem.ts';

/** The scopes that an endpoint can have: those that add to its events. Without them, events have ids and numbers only. */
export const WEBHOOK_SCOPES = ['members', 'redeem'] as const satisfies readonly KeyScope[];

export type WebhookScope = (typeof WEBHOOK_SCOPES)[number];

export const NAME_CHARACTERS = 100;

/** An address to which a shop has its events sent. */
export interface Webhook extends WebhookTerms {
  readonly id: string;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  readonly disabledBecause: 'owner' | 'failing' | 'gone' | null;
  readonly lastSuccessAt: Date | null;
  /** Null unless the last turn failed. */
  readonly failingSince: Date | null;
  /** Until then, requests are signed with the secret before too; null if there is none. */
  readonly oldSecretUntil: Date | null;
  readonly isReplaying: boolean;
  /** Deliveries that are tried again, and that were given up. */
  readonly waiting: number;
  readonly failed: number;
  /** Events of any type that it has not been sent yet, at most `MOST_BEHIND`. */
  readonly behind: number;
}

/** What the shop chooses. */
export interface WebhookTerms {
  readonly name: string;
  readonly address: string;
  /** None means all types, also those of later releases. */
  readonly types: readonly EventTypeName[];
  readonly scopes: readonly WebhookScope[];
}

export const MOST_BEHIND = 1_000;

/** The commerce has no webhook with this id. */
export class UnknownWebhook extends NotFound {
  constructor() {
    super('the commerce has no webhook with this id');
  }
}

/** Nothing is sent to a webhook that is switched off. */
export class WebhookDisabled extends Problem {
  constructor() {
    super(409, 'webhook_disabled', 'the webhook is switched off: switch it on first');
  }
}

/** Returns the webhooks of a commerce, oldest first. */
export async function listWebhooks(db: Db, commerceId: number): Promise<Webhook[]> {
  const { rows } = await sql<Webhook>`-- list-webhooks
    select w.id, w.name, w.address, w.types, w.scopes, w.created_at as "createdAt", w.disabled_at as "disabledAt",
           w.disabled_because as "disabledBecause", w.last_success_at as "lastSuccessAt", w.failing_since as "failingSince",
           case when w.old_secret_until > now() then w.old_secret_until end as "oldSecretUntil",
           w.replay_through is not null as "isReplaying",
           (select count(*) from webhook_deliveries d
             where d.commerce_id = ${commerceId} and d.webhook_id = w.id and d.state = 'waiting') as waiting,
           (select count(*) from webhook_deliveries d
             where d.commerce_id = ${commerceId} and d.webhook_id = w.id and d.state = 'failed') as failed,
           (select count(*)
              from ((select id from movements m where m.commerce_id = ${commerceId} and m.id > w.through limit ${MOST_BEHIND})
                     union all
                    (select id from happenings h where h.commerce_id = ${commerceId} and h.id > w.through limit ${MOST_BEHIND})
                     limit ${MOST_BEHIND}) events) as behind
      from webhooks w
     where w.commerce_id = ${commerceId}
     order by w.created_at, w.id`.execute(db);
  return rows;
}

/** @throws UnknownWebhook */
export async function readWebhook(db: Db, commerceId: number, id: string): Promise<Webhook> {
  const webhook = (await listWebhooks(db, commerceId)).find((one) => one.id === id);
  if (webhook === undefined) throw new UnknownWebhook();
  return webhook;
}

/** A webhook that is locked. */
export interface LockedWebhook extends WebhookTerms {
  readonly id: string;
  readonly disabledAt: Date | null;
  readonly secret: Buffer;
  /** Null if no secret before signs too. */
  readonly oldSecretUntil: Date | null;
  readonly replayThrough: number | null;
}

/** Locks a webhook. A turn that is being recorded is waited for. @throws UnknownWebhook */
export async function lockWebhook(tx: Tx, commerceId: number, id: string): Promise<LockedWebhook> {
  const { rows } = await sql<LockedWebhook>`-- lock-webhook
    select id, name, address, types, scopes, disabled_at as "disabledAt", secret, replay_through as "replayThrough",
           case when old_secret_until > now() then old_secret_until end as "oldSecretUntil"
      from webhooks
     where commerce_id = ${commerceId} and id = ${id}
       for no key update`.execute(tx);
  const [webhook] = rows;
  if (webhook === undefined) throw new UnknownWebhook();
  return webhook;
}

/** @throws UnknownWebhook, WebhookDisabled */
export async function lockEnabled(tx: Tx, commerceId: number, id: string): Promise<LockedWebhook> {
  const webhook = await lockWebhook(tx, commerceId, id);
  if (webhook.disabledAt !== null) throw new WebhookDisabled();
  return webhook;
}

/** What the audit says of the terms. The path of an address may be a secret. */
export function forAudit({ name, address, types, scopes }: WebhookTerms): Record<string, unknown> {
  return { name, host: new URL(address).host, types, scopes };
}
